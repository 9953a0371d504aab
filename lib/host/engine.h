// A Docker engine: the requests that the Docker host makes, with negotiated API version and typed answers. For this
// library's own files.
#ifndef ST_LIB_HOST_ENGINE_H_
#define ST_LIB_HOST_ENGINE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/host/engine_answers.h"
#include "lib/host/engine_socket.h"

namespace st::host {

// The oldest API that has all that we use, and the newest that we know.
inline constexpr ApiVersion kOldestApi{1, 41};
inline constexpr ApiVersion kNewestApi{1, 47};

// Blocking, one thread. The first request of all asks for the engine's version; FailedPrecondition when it speaks no
// version that we know. All fail as EngineSocket does; besides,
//   NotFound             the engine says that there is no such thing
//   AlreadyExists        a create: the name is taken
//   FailedPrecondition   the engine refuses: nothing happened
//   Internal             a write failed inside the engine: look what became of it
//   Unknown              a write was done and its answer cannot be understood
//   Unavailable          a read failed inside the engine
//   DataLoss             a read's answer cannot be understood
class Engine {
 public:
  Engine(std::string socket, int64_t timeout_ms) : socket_(std::move(socket), timeout_ms) {}

  absl::StatusOr<InfoAnswer> Info();
  absl::StatusOr<ImageAnswer> Image(std::string_view id);
  absl::StatusOr<NetworkAnswer> Network(std::string_view id_or_name);
  absl::StatusOr<std::vector<VolumeAnswer>> Volumes();
  absl::StatusOr<VolumeAnswer> Volume(std::string_view name);
  // Each label is a name, or `name=value`; a container must have all of them. Running or not.
  absl::StatusOr<std::vector<ListedContainer>> Containers(const std::vector<std::string>& labels);
  absl::StatusOr<ContainerAnswer> Container(std::string_view id_or_name);
  // A regular file out of a container, running or not. NotFound when it or the container is not there.
  absl::StatusOr<std::string> File(std::string_view id, std::string_view path);

  // What there is afterwards: the engine answers alike when there was one of that name, with that one's labels.
  absl::StatusOr<VolumeAnswer> CreateVolume(const std::string& name, const std::map<std::string, std::string>& labels);
  // The new container's id.
  absl::StatusOr<std::string> CreateContainer(std::string_view name, std::string request);
  // FailedPrecondition when it runs already.
  absl::Status Start(std::string_view id);
  // SIGTERM to its first process. Does not wait. FailedPrecondition when it does not run.
  absl::Status Terminate(std::string_view id);
  // Neither by force nor with its volumes.
  absl::Status Remove(std::string_view id);

  uint64_t requests() const { return socket_.requests(); }

 private:
  absl::Status Negotiate();
  // An answer of class 2xx; else the error that it stands for. `target` without the version.
  absl::StatusOr<std::string> Ask(std::string_view target, size_t max_bytes);
  absl::StatusOr<EngineAnswer> Write(std::string_view method, std::string_view target, std::string body);

  EngineSocket socket_;
  std::string prefix_;  // e.g. /v1.41
};

}  // namespace st::host

#endif  // ST_LIB_HOST_ENGINE_H_
