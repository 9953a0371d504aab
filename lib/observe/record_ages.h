// How old the records are that runners read, beside what their output topics keep. Internal to lib/observe.
#ifndef ST_LIB_OBSERVE_RECORD_AGES_H_
#define ST_LIB_OBSERVE_RECORD_AGES_H_

#include "absl/status/status.h"
#include "lib/kafka/admin.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::observe {

// Fills `record_ages` from topics, defaults and time of the observation: one question to the cluster for each retention
// that occurs. A model is left out whose output keeps its records for ever, or stamps them with the time at which it
// got them, or whose configs cannot be seen.
absl::Status LookAtRecordAges(const v1::Topology& topology, kafka::ClusterReader& cluster,
                              v1::Observation* observation);

}  // namespace st::observe

#endif  // ST_LIB_OBSERVE_RECORD_AGES_H_
