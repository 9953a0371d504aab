// What must be so before a container is made or started. Each asks the engine; FailedPrecondition says what is not so
// and what to do, other failures are the engine's. For this library's own files.
#ifndef ST_LIB_HOST_DOCKER_CHECKS_H_
#define ST_LIB_HOST_DOCKER_CHECKS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/host/engine.h"

namespace st::host {

// There is no container of this generation, by label or by name; else AlreadyExists.
absl::Status CheckAbsent(const std::string& generation_id, Engine* engine);

// The application's volume is there, and is the one that was made as this instance.
absl::Status CheckVolume(const std::string& application_id, const std::string& instance, Engine* engine);

// The engine has exactly this image. Its entry point.
absl::StatusOr<std::vector<std::string>> CheckImage(const std::string& image_id, Engine* engine);

// Exactly this network is there, and is a bridge.
absl::Status CheckNetwork(const std::string& network_id, Engine* engine);

// The engine can limit memory and threads, and a container's user ids are this machine's.
absl::Status CheckEngine(Engine* engine);

}  // namespace st::host

#endif  // ST_LIB_HOST_DOCKER_CHECKS_H_
