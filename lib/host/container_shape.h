// What a generation's container is made from: as we ask the engine for it, and as the engine shows it afterwards. Both
// have one canonical text, so that a container that was made otherwise, or was changed, is told from ours. Pure. For
// this library's own files.
#ifndef ST_LIB_HOST_CONTAINER_SHAPE_H_
#define ST_LIB_HOST_CONTAINER_SHAPE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/host/host.h"

namespace st::host {

class Fields;

// Where a runner finds things in its container.
inline constexpr char kContainerFolder[] = "/run/st";
inline constexpr char kContainerState[] = "/var/lib/st";
inline constexpr char kPlanName[] = "plan.textproto";
inline constexpr char kPropertiesName[] = "client.properties";

// Labels of a container and of a volume.
inline constexpr char kApplicationLabel[] = "st.application";
inline constexpr char kOperationLabel[] = "st.operation";
inline constexpr char kActionLabel[] = "st.action";
inline constexpr char kGenerationLabel[] = "st.generation";
inline constexpr char kPlanLabel[] = "st.plan_sha256";
inline constexpr char kImageLabel[] = "st.image";
inline constexpr char kVolumeInstanceLabel[] = "st.volume_instance";
inline constexpr char kClusterLabel[] = "st.cluster";
inline constexpr char kInputTopicLabel[] = "st.input_topic";
inline constexpr char kOutputTopicLabel[] = "st.output_topic";
inline constexpr char kPartitionsLabel[] = "st.initialized_partitions";
// SHA-256 of the canonical text of all else that was asked for.
inline constexpr char kEvidenceLabel[] = "st.evidence";
// Of a volume: random, made with it.
inline constexpr char kInstanceLabel[] = "st.instance";

// The names by which the engine keeps a generation's container and an application's volume. Names are deterministic,
// so that a second create meets the first; things are found by their labels.
std::string ContainerName(std::string_view generation_id);
std::string VolumeName(std::string_view application_id);

struct MountShape {
  std::string type;  // `bind` or `volume`
  std::string source;
  std::string target;
  bool read_only = false;
  std::string propagation;
};

struct UlimitShape {
  std::string name;
  int64_t soft = 0;
  int64_t hard = 0;
};

struct ContainerShape {
  std::string image;
  std::vector<std::string> entrypoint;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // those that begin with `ST_`: the image adds its own
  std::string user;
  std::map<std::string, std::string> labels;  // those above but kEvidenceLabel: the image adds its own
  std::string stop_signal;
  int64_t stop_timeout_s = 0;
  std::string network;
  int64_t memory_bytes = 0;
  int64_t pids_limit = 0;
  bool init = false;
  bool auto_remove = false;
  bool privileged = false;
  bool read_only_root = false;
  std::vector<std::string> cap_add;
  std::vector<std::string> cap_drop;
  std::vector<std::string> security_options;
  std::vector<std::string> binds;
  std::string restart;
  std::string log_driver;
  std::map<std::string, std::string> log_options;
  std::vector<UlimitShape> ulimits;  // of nofile and core, by name: the daemon adds its own
  std::vector<MountShape> mounts;
};

// `folder`: the generation's on this machine. `user`: uid:gid.
ContainerShape ShapeOf(const GenerationSpec& spec, const std::string& folder, const std::string& user,
                       const std::vector<std::string>& entrypoint);

// Of the answer to an inspection; faults go to the status that `container` was made with.
ContainerShape ReadShape(Fields container);

// 64 hex digits.
std::string EvidenceOf(const ContainerShape& shape);

// The body of the create request, with the evidence among its labels.
std::string CreateRequest(const ContainerShape& shape);

}  // namespace st::host

#endif  // ST_LIB_HOST_CONTAINER_SHAPE_H_
