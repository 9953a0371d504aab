// Changing topics and offsets, or asking what a change would be answered. Used by lib/kafka only. The parts of
// ClusterAdmin and ClusterReader with the same names; see lib/kafka/admin.h.
#ifndef ST_LIB_KAFKA_WRITES_H_
#define ST_LIB_KAFKA_WRITES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/kafka/admin_client.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::kafka {

using ConfigValues = std::vector<std::pair<std::string, std::string>>;

absl::StatusOr<std::vector<v1::TopicVerdict>> ValidateCreate(AdminClient& client,
                                                             const std::vector<v1::CreateTopic>& topics);
absl::StatusOr<v1::TopicVerdict> ValidateUpdate(AdminClient& client, const std::string& topic, const ConfigValues& set,
                                                const std::vector<std::string>& unset, int partitions);
absl::Status CreateTopic(AdminClient& client, const v1::CreateTopic& topic);
absl::Status AlterConfigs(AdminClient& client, const std::string& topic, const ConfigValues& set,
                          const std::vector<std::string>& unset);
absl::Status CreatePartitions(AdminClient& client, const std::string& topic, int total);
absl::Status CommitOffsets(AdminClient& client, const std::string& group, const std::string& topic,
                           const std::vector<v1::PartitionOffset>& offsets, const std::string& metadata);

}  // namespace st::kafka

#endif  // ST_LIB_KAFKA_WRITES_H_
