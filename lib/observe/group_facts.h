// Looking at the consumer groups around a topology. Used by lib/observe only.
#ifndef ST_LIB_OBSERVE_GROUP_FACTS_H_
#define ST_LIB_OBSERVE_GROUP_FACTS_H_

#include "absl/status/status.h"
#include "lib/kafka/admin.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::observe {

// Fills `groups`, from `topics`.
absl::Status LookAtGroups(const v1::Topology& topology, kafka::ClusterReader& cluster, v1::Observation* observation);

}  // namespace st::observe

#endif  // ST_LIB_OBSERVE_GROUP_FACTS_H_
