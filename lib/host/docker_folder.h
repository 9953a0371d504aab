// What a container mounts: a generation's folder on the Docker host's side. For this library's own files.
#ifndef ST_LIB_HOST_DOCKER_FOLDER_H_
#define ST_LIB_HOST_DOCKER_FOLDER_H_

#include <set>
#include <string>

#include "absl/status/status.h"
#include "lib/host/docker.h"
#include "lib/host/generation_folder.h"
#include "lib/host/host.h"

namespace st::host {

// The plan, the client properties and the client files, readable by `user` alone; built as BuildFolder does. What
// stands there by that name was left by a create that did not get to the engine, and is removed: the caller holds the
// application's lock and knows that there is no such container.
absl::Status BuildMounts(const ApplicationFolder& application, const GenerationSpec& spec, const ContainerUser& user);

// Removes that folder, if it is there.
absl::Status BuryMounts(const ApplicationFolder& application, const std::string& generation_id);

// Removes all of the application's but those of `kept`: what removals that were cut off left, secrets among it. The
// caller holds the application's lock, and no container but those of `kept` mounts from there.
absl::Status BuryMountsBut(const ApplicationFolder& application, const std::set<std::string>& kept);

}  // namespace st::host

#endif  // ST_LIB_HOST_DOCKER_FOLDER_H_
