// Looks at generations on the process host; changes nothing and takes no lock. For this library's own files.
#ifndef ST_LIB_HOST_INVENTORY_H_
#define ST_LIB_HOST_INVENTORY_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/host/generation_folder.h"
#include "schemas/st/v1/generation.pb.h"
#include "schemas/st/v1/observation.pb.h"

namespace st::host {

// What is known about the process of one generation.
struct Liveness {
  v1::GenerationFacts::State state = v1::GenerationFacts::STATE_UNSPECIFIED;
  pid_t pid = 0;                  // while running and known
  bool certain = false;           // running: `pid` was proven to be this generation's
  uint64_t start_time_ticks = 0;  // of `pid`, when certain
  std::vector<std::string> remarks;
};

// By identity and start mark: same boot, same start time, the copied binary, the generation's id in its environment.
// Who holds the runner's lock without being known is running too.
Liveness LookForProcess(const GenerationFolder& folder, const std::string& generation_id);

// All facts of one folder. What cannot be read is said in `detail`.
v1::GenerationFacts LookAtGeneration(const GenerationFolder& folder, const std::string& application_id);

// Every entry of the generations' folder, by generation id.
absl::StatusOr<std::vector<v1::GenerationFacts>> LookAtAll(const ApplicationFolder& application);

// The one folder whose labels name this generation, whatever the folder is called. NotFound; FailedPrecondition when
// there are two; DataLoss when the folder that is called so has no labels that can be read.
absl::StatusOr<GenerationFolder> FindGeneration(const ApplicationFolder& application, const std::string& generation_id);

}  // namespace st::host

#endif  // ST_LIB_HOST_INVENTORY_H_
