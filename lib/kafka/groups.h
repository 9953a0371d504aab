// Looking at consumer groups. Used by lib/kafka only. The parts of ClusterReader with the same names; see
// lib/kafka/admin.h.
#ifndef ST_LIB_KAFKA_GROUPS_H_
#define ST_LIB_KAFKA_GROUPS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/kafka/admin_client.h"
#include "schemas/st/v1/observation.pb.h"

namespace st::kafka {

absl::StatusOr<std::vector<std::string>> ListGroups(AdminClient& client);
absl::StatusOr<v1::GroupFacts> DescribeGroup(AdminClient& client, const std::string& group,
                                             const std::vector<std::pair<std::string, int>>& topics);

}  // namespace st::kafka

#endif  // ST_LIB_KAFKA_GROUPS_H_
