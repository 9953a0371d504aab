// Looking at topics. Used by lib/kafka only. The parts of ClusterReader with the same names; see lib/kafka/admin.h.
#ifndef ST_LIB_KAFKA_TOPICS_H_
#define ST_LIB_KAFKA_TOPICS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/kafka/admin_client.h"
#include "schemas/st/v1/observation.pb.h"

namespace st::kafka {

absl::StatusOr<v1::ClusterFacts> DescribeCluster(AdminClient& client);
absl::StatusOr<std::vector<std::string>> ListTopics(AdminClient& client);
// In bounded pieces, as DescribeTopics.
absl::StatusOr<std::vector<std::vector<int64_t>>> FindByTime(AdminClient& client,
                                                             const std::vector<std::pair<std::string, int>>& topics,
                                                             int64_t since_ms);
// Any number of names: asked in bounded pieces.
absl::StatusOr<std::vector<v1::TopicFacts>> DescribeTopics(AdminClient& client, const std::vector<std::string>& names);

}  // namespace st::kafka

#endif  // ST_LIB_KAFKA_TOPICS_H_
