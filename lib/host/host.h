// Where a runner lives. An edge with two real implementations (process, docker); one conformance suite.
// A *generation* is one process or container of a model; it is created and started in two steps. It is CREATED until
// its runner may have touched Kafka (on the process host: wrote its identity, which it does before it opens a socket),
// RUNNING while a process is there that is it or may be it, EXITED after that.
#ifndef ST_LIB_HOST_HOST_H_
#define ST_LIB_HOST_HOST_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace st::v1 {
class GenerationFacts;
class HostFacts;
class VolumeFacts;
}  // namespace st::v1

namespace st::host {

// A text that the runner reads from a file beside client.properties: what cannot stand in there, or is not where the
// runner would look for it.
struct ClientFile {
  std::string property;  // librdkafka's name, e.g. `ssl.ca.location`
  std::string name;      // of the file, a plain name
  std::string content;   // may be secret
};

// All that makes a generation. Its id is deterministic (lib/transition), so that a second create under the same name
// meets the first as a conflict.
struct GenerationSpec {
  std::string generation_id;
  std::string application_id;
  std::string operation_id;
  uint32_t action_index = 0;
  std::string plan_document;      // st.v1.RecordPlan with header and trailer, byte for byte
  std::string plan_sha256;        // of the plan message
  std::string client_properties;  // the file's content; secret
  // Written beside it; the host adds a line `<property>=<path as the runner sees it>` for each.
  std::vector<ClientFile> client_files;
  std::string cluster_id;
  std::string input_topic_id;
  std::string output_topic_id;
  uint32_t initialized_partitions = 0;
  uint32_t commit_interval_ms = 0;
  std::string volume_instance;
  std::string runner_sha256;  // of the binary (or the image id)
  // Docker only.
  std::string network_id;
  uint32_t memory_mib = 0;
  uint32_t pids_limit = 0;
};

// How closely to look at generations.
enum class Depth {
  // Of many, by a bounded number of requests: what the host's own list shows. On docker a running one comes without its
  // status, and its evidence is not compared; one that does not run is looked at as in kDeep.
  kShallow,
  kDeep,
};

// Blocking; one thread at a time; several handles and processes may be at work. Failures: NotFound, AlreadyExists,
// InvalidArgument (an id that is no plain name; a plan that is not what its checksum says), FailedPrecondition (said by
// the host: nothing happened), DataLoss (what is there cannot be read), Unavailable (not asked, or another tool is at
// work), Unknown (a write whose answer was lost).
class RunnerHost {
 public:
  virtual ~RunnerHost() = default;
  // Kind, host id, boot id, the runner binary's SHA-256. On docker the declared image and network.
  virtual absl::StatusOr<v1::HostFacts> Identify() = 0;
  // Every generation of these applications, whatever made it, by application id and generation id. Found by label,
  // never by name or pid alone; plan and binary are hashed now. What is there and cannot be understood, or was not made
  // by us, is listed too: no id, state unspecified, and the reason in `detail`.
  virtual absl::StatusOr<std::vector<v1::GenerationFacts>> Inventory(const std::vector<std::string>& application_ids,
                                                                     Depth depth) = 0;
  // At most one for each of these applications, by application id. What has the place and the name of one but does not
  // carry our marks has no instance id, and the reason in `detail`.
  virtual absl::StatusOr<std::vector<v1::VolumeFacts>> Volumes(const std::vector<std::string>& application_ids) = 0;
  // A fresh instance id, labelled with the operation. AlreadyExists when there is one.
  virtual absl::StatusOr<std::string> CreateVolume(const std::string& application_id,
                                                   const std::string& operation_id) = 0;
  // Created, not started. FailedPrecondition when the host does not have the binary or image of the spec, or not its
  // volume. AlreadyExists when a generation has that id, whatever else it is.
  virtual absl::Status Create(const GenerationSpec& spec) = 0;
  // A created one, or again one that exited. FailedPrecondition when it runs, or when its plan or binary is not what it
  // was created with. Returns when the runner executes; whether it gets on is seen in Inventory.
  virtual absl::Status Start(const std::string& application_id, const std::string& generation_id) = 0;
  // SIGTERM, once; does not wait and never kills. The end shows in Inventory. One that does not run has nothing to
  // stop: OK, as it may end by itself at any time after the caller saw it run. FailedPrecondition when it may run and
  // cannot be told (its identity is in doubt, its container is paused).
  virtual absl::Status Stop(const std::string& application_id, const std::string& generation_id) = 0;
  // A stopped one, by exact id; never its volume.
  virtual absl::Status Remove(const std::string& application_id, const std::string& generation_id) = 0;
  // Requests sent to an engine since this handle was opened; 0 on a host that has none.
  virtual uint64_t Requests() const { return 0; }
};

}  // namespace st::host

#endif  // ST_LIB_HOST_HOST_H_
