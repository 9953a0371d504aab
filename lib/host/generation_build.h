// Makes a generation's folder whole or not at all, and takes it away. For this library's own files. The caller holds
// the application's lock.
#ifndef ST_LIB_HOST_GENERATION_BUILD_H_
#define ST_LIB_HOST_GENERATION_BUILD_H_

#include <string>

#include "absl/status/status.h"
#include "lib/host/generation_folder.h"
#include "lib/host/host.h"

namespace st::host {

// InvalidArgument when ids cannot be used or the plan document is not the plan that `plan_sha256` names.
absl::Status CheckSpec(const GenerationSpec& spec);

// Built beside the generations, every file and folder synced, then renamed into place. AlreadyExists when something is
// there; FailedPrecondition when `runner_binary` is not the one of the spec: nothing is left of either.
absl::Status BuildGeneration(const ApplicationFolder& application, const GenerationSpec& spec,
                             const std::string& runner_binary);

// Out of sight first, by one rename; then the tree is removed, with what earlier removals left.
absl::Status BuryGeneration(const ApplicationFolder& application, const GenerationFolder& folder);

}  // namespace st::host

#endif  // ST_LIB_HOST_GENERATION_BUILD_H_
