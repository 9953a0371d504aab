// Asks cluster, host and state, and writes an Observation. Changes nothing.
#ifndef ST_LIB_OBSERVE_OBSERVE_H_
#define ST_LIB_OBSERVE_OBSERVE_H_

#include "absl/status/status.h"
#include "lib/base/clock.h"
#include "lib/host/host.h"
#include "lib/kafka/admin.h"
#include "lib/state/state.h"

namespace st::v1 {
class Observation;
class Topology;
}  // namespace st::v1

namespace st::observe {

// Any may be null when the topology needs none (no runners) or this version has none (docker, postgres: said in the
// observation as unsupported).
struct World {
  kafka::ClusterReader* cluster = nullptr;
  host::RunnerHost* host = nullptr;
  state::StateStore* store = nullptr;
  base::Clock* clock = nullptr;
};

// Fails as the adapters do; an unreadable answer is never "absent".
absl::Status Observe(const v1::Topology& topology, const World& world, v1::Observation* observation);

// Nothing is asked.
void Offline(const v1::Topology& topology, v1::Observation* observation);

}  // namespace st::observe

#endif  // ST_LIB_OBSERVE_OBSERVE_H_
