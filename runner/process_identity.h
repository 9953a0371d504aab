// Which process this is, so that a recycled pid cannot be taken for it.
#ifndef ST_RUNNER_PROCESS_IDENTITY_H_
#define ST_RUNNER_PROCESS_IDENTITY_H_

#include <string>

#include "absl/status/statusor.h"
#include "schemas/st/v1/runner_status.pb.h"

namespace st::runner {

// From /proc and the environment variable ST_GENERATION_ID. Unavailable when /proc cannot be read.
absl::StatusOr<v1::RunnerIdentity> ReadOwnIdentity(int64_t now_ms);

}  // namespace st::runner

#endif  // ST_RUNNER_PROCESS_IDENTITY_H_
