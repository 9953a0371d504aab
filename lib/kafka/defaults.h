// What a broker does where a topic or a group sets nothing. Used by lib/kafka only. The part of ClusterReader with the
// same name; see lib/kafka/admin.h.
#ifndef ST_LIB_KAFKA_DEFAULTS_H_
#define ST_LIB_KAFKA_DEFAULTS_H_

#include "absl/status/statusor.h"
#include "lib/kafka/admin_client.h"
#include "schemas/st/v1/observation.pb.h"

namespace st::kafka {

// Asks the broker that the client library takes for the controller. Names and precedence of the configs: Kafka 4.3,
// "Broker Configs": log.retention.ms, else log.retention.minutes, else log.retention.hours.
absl::StatusOr<v1::BrokerDefaults> DescribeDefaults(AdminClient& client);

}  // namespace st::kafka

#endif  // ST_LIB_KAFKA_DEFAULTS_H_
