// The cluster as the tools see it: a face that only reads, and one that also writes. An edge: the real one is
// librdkafka's (OpenAdmin), the other is the simulated world's. Blocking; one thread at a time for each object.
#ifndef ST_LIB_KAFKA_ADMIN_H_
#define ST_LIB_KAFKA_ADMIN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/kafka/properties.h"

namespace st::v1 {
class BrokerDefaults;
class ClusterFacts;
class CreateTopic;
class GroupFacts;
class GroupOffsets;
class PartitionOffset;
class TopicFacts;
class TopicVerdict;
}  // namespace st::v1

namespace st::kafka {

// Failures of every call: Unavailable (not reached, no answer in time: nothing may be concluded about a read),
// PermissionDenied (names the resource on which a right is missing), InvalidArgument and FailedPrecondition (the broker
// refused: its code and words in the message), AlreadyExists (a topic of that name), Unknown (a write that may have
// been carried out or not). Each call is bounded: about 10 s, or less with a shorter `socket.timeout.ms`. Reads are
// asked again within that time while a topic is just being made or a group moves to another coordinator.
class ClusterReader {
 public:
  // In place of a number of partitions: see DescribeGroup.
  static constexpr int kWhatIsCommitted = -1;

  virtual ~ClusterReader() = default;
  virtual absl::StatusOr<v1::ClusterFacts> DescribeCluster() = 0;
  // Empty when we lack the right to see it.
  virtual absl::StatusOr<v1::BrokerDefaults> DescribeDefaults() = 0;
  // Every topic, the broker's own included; names only.
  virtual absl::StatusOr<std::vector<std::string>> ListTopics() = 0;
  // In the order of `names`, any number of them: presence, id, partitions with offsets, configs (`effective`: every
  // value in force). Never creates a topic by looking.
  virtual absl::StatusOr<std::vector<v1::TopicFacts>> DescribeTopics(const std::vector<std::string>& names) = 0;
  // For partitions 0 to n-1 of each topic (name, n): the first offset whose record is of `since_ms` (Unix time) or
  // later; -1: none is. By the record's own timestamp, or the broker's where the topic says so.
  virtual absl::StatusOr<std::vector<std::vector<int64_t>>> FindByTime(
      const std::vector<std::pair<std::string, int>>& topics, int64_t since_ms) = 0;
  virtual absl::StatusOr<std::vector<std::string>> ListGroups() = 0;
  // Members and state; stable committed offsets of `topics` (name, number of partitions: asked one by one by
  // name, so that a partition with only a pending offset shows as unstable). With kWhatIsCommitted for every topic
  // only offsets that are there are asked for and given: cheap, but a first pending offset does not show.
  virtual absl::StatusOr<v1::GroupFacts> DescribeGroup(const std::string& group,
                                                       const std::vector<std::pair<std::string, int>>& topics) = 0;
  // What the broker would say (validate-only); in the order given. Changes nothing.
  virtual absl::StatusOr<std::vector<v1::TopicVerdict>> ValidateCreate(const std::vector<v1::CreateTopic>& topics) = 0;
  // As a change: absolute configs (empty optional value: remove) and the new number of partitions (0: unchanged).
  virtual absl::StatusOr<v1::TopicVerdict> ValidateUpdate(const std::string& topic,
                                                          const std::vector<std::pair<std::string, std::string>>& set,
                                                          const std::vector<std::string>& unset, int partitions) = 0;
};

class ClusterAdmin : public ClusterReader {
 public:
  // Each crosses one boundary outside, once, and is never retried here.
  virtual absl::Status CreateTopic(const v1::CreateTopic& topic) = 0;
  virtual absl::Status AlterConfigs(const std::string& topic,
                                    const std::vector<std::pair<std::string, std::string>>& set,
                                    const std::vector<std::string>& unset) = 0;
  virtual absl::Status CreatePartitions(const std::string& topic, int total) = 0;
  // Writes committed offsets of a group without members, each with `metadata`.
  virtual absl::Status CommitOffsets(const std::string& group, const std::string& topic,
                                     const std::vector<v1::PartitionOffset>& offsets, const std::string& metadata) = 0;
};

// Does not connect yet; InvalidArgument when the client library refuses a property (named, without its value).
absl::StatusOr<std::unique_ptr<ClusterAdmin>> OpenAdmin(const Properties& properties, const std::string& client_id);

}  // namespace st::kafka

#endif  // ST_LIB_KAFKA_ADMIN_H_
