// What a Docker engine answers, of API 1.41 and newer, as far as we need it. Pure. For this library's own files.
// Members that are missing or of another type are DataLoss, by name; others are ignored.
#ifndef ST_LIB_HOST_ENGINE_ANSWERS_H_
#define ST_LIB_HOST_ENGINE_ANSWERS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/host/container_shape.h"

namespace st::host {

struct ApiVersion {
  int major = 0;
  int minor = 0;
  bool operator<(const ApiVersion& other) const { return std::tie(major, minor) < std::tie(other.major, other.minor); }
  std::string Text() const;  // 1.41
};

// GET /version
struct VersionAnswer {
  std::string engine;  // e.g. 20.10.24
  ApiVersion newest;
  ApiVersion oldest;
};

// GET /info
struct InfoAnswer {
  std::string id;
  bool limits_memory = false;
  bool limits_pids = false;
  std::vector<std::string> security_options;
};

// GET /images/{id}/json
struct ImageAnswer {
  std::string id;
  std::vector<std::string> entrypoint;
  std::map<std::string, std::string> labels;
};

// GET /networks/{id or name}
struct NetworkAnswer {
  std::string id;
  std::string name;
  std::string driver;
};

// One of GET /volumes; GET /volumes/{name}; POST /volumes/create
struct VolumeAnswer {
  std::string name;
  std::map<std::string, std::string> labels;
};

// One of GET /containers/json
struct ListedContainer {
  std::string id;
  std::string image_id;
  std::string state;
  std::string network;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> sources;  // of bind mounts, by the place in the container
};

// GET /containers/{id}/json
struct ContainerAnswer {
  std::string id;
  std::string image_id;
  std::string state;
  int64_t exit_code = 0;
  bool out_of_memory = false;
  std::string error;           // the engine's words on a start that failed
  int64_t started_at_ms = 0;   // Unix time of the last start; 0: never
  int64_t finished_at_ms = 0;  // of the last end; 0: never
  std::map<std::string, std::string> labels;
  ContainerShape shape;
};

absl::StatusOr<VersionAnswer> ReadVersion(std::string_view json);
absl::StatusOr<InfoAnswer> ReadInfo(std::string_view json);
absl::StatusOr<ImageAnswer> ReadImage(std::string_view json);
absl::StatusOr<NetworkAnswer> ReadNetwork(std::string_view json);
absl::StatusOr<VolumeAnswer> ReadVolume(std::string_view json);
absl::StatusOr<std::vector<VolumeAnswer>> ReadVolumes(std::string_view json);
absl::StatusOr<std::vector<ListedContainer>> ReadContainers(std::string_view json);
absl::StatusOr<ContainerAnswer> ReadContainer(std::string_view json);
// The new container's id: 64 hex digits.
absl::StatusOr<std::string> ReadCreated(std::string_view json);
// The sentence of an error's body; what it is when it holds none.
std::string ReadMessage(std::string_view json);

}  // namespace st::host

#endif  // ST_LIB_HOST_ENGINE_ANSWERS_H_
