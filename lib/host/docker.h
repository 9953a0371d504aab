// The Docker host: a runner is a container of the engine behind a Unix socket on this machine. What the engine keeps
// (names, labels, mounts) and the folder on this side are described in docs/journal.md.
#ifndef ST_LIB_HOST_DOCKER_H_
#define ST_LIB_HOST_DOCKER_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "lib/host/host.h"

namespace st::host {

// Whom a container runs as, and to whom what it mounts belongs.
struct ContainerUser {
  uid_t uid = 0;
  gid_t gid = 0;
};

// The effective user of this process; 10001:10001, the user of our image, when that is root.
ContainerUser DefaultContainerUser();

struct DockerOptions {
  std::string socket;  // path of the engine's Unix socket
  // Folder of what containers mount; a generation's stands below it while its container is there. Made when something
  // is first written.
  std::string root;
  // As declared, for Identify: an exact image id (`sha256:` and 64 hex digits), and a network's name.
  std::string image;
  std::string network;
  ContainerUser user = DefaultContainerUser();
  int64_t timeout_ms = 60'000;  // of one request, whole
};

// Touches nothing: the engine is first asked by the first call.
std::unique_ptr<RunnerHost> OpenDockerHost(DockerOptions options);

// Of $DOCKER_HOST (`unix://PATH`), else /var/run/docker.sock. InvalidArgument names a scheme that is not supported.
absl::StatusOr<std::string> DockerSocket();

// $ST_STATE_DIR/docker, else $XDG_STATE_HOME/st/docker, else ~/.local/state/st/docker.
std::string DefaultDockerRoot();

}  // namespace st::host

#endif  // ST_LIB_HOST_DOCKER_H_
