// Looking at the topics of a topology. Used by lib/observe only.
#ifndef ST_LIB_OBSERVE_TOPIC_FACTS_H_
#define ST_LIB_OBSERVE_TOPIC_FACTS_H_

#include "absl/status/status.h"
#include "lib/kafka/admin.h"
#include "lib/observe/observe.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::observe {

bool IsOurs(const v1::CompiledTopic& topic);

// Fills `topics`.
absl::Status LookAtTopics(const v1::Topology& topology, kafka::ClusterReader& cluster, const Scope& scope,
                          v1::Observation* observation);

// Fills `verdicts`, from `topics` and `state`: of managed topics, what the broker would say to the create or change
// that brings them to their declaration. None for a topic that needs neither.
absl::Status AskVerdicts(const v1::Topology& topology, kafka::ClusterReader& cluster, v1::Observation* observation);

}  // namespace st::observe

#endif  // ST_LIB_OBSERVE_TOPIC_FACTS_H_
