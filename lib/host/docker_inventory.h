// Looks at containers and what they mount; changes nothing and takes no lock. For this library's own files.
#ifndef ST_LIB_HOST_DOCKER_INVENTORY_H_
#define ST_LIB_HOST_DOCKER_INVENTORY_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/host/engine.h"
#include "lib/host/host.h"
#include "schemas/st/v1/observation.pb.h"

namespace st::host {

// It executes, or may at any moment.
bool IsRunning(const std::string& engine_state);

// The container is what a request of ours made, whole and unchanged; else FailedPrecondition says what is wrong.
absl::Status CheckEvidence(const ContainerAnswer& container);

// The SHA-256 of the record plan that stands where the container has its plan mounted from.
absl::StatusOr<std::string> MountedPlanSha256(const ContainerAnswer& container);

// Nothing when it was removed meanwhile. What is not ours, or cannot be read, has no id and a `detail`.
absl::StatusOr<std::optional<v1::GenerationFacts>> LookAtContainer(const ListedContainer& listed, Depth depth,
                                                                   Engine* engine);

// Of a volume that has the name of this application's.
v1::VolumeFacts LookAtVolume(const VolumeAnswer& volume, const std::string& application_id);

}  // namespace st::host

#endif  // ST_LIB_HOST_DOCKER_INVENTORY_H_
