// Asks cluster, host and state, and writes an Observation. Changes nothing.
#ifndef ST_LIB_OBSERVE_OBSERVE_H_
#define ST_LIB_OBSERVE_OBSERVE_H_

#include <string>

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

// `host` may be null where the topology needs none (no runners).
struct World {
  kafka::ClusterReader* cluster = nullptr;
  host::RunnerHost* host = nullptr;
  state::StateStore* store = nullptr;
  base::Clock* clock = nullptr;
};

struct Scope {
  // Also external topics that no managed model reads.
  bool externals = false;
};

// What is asked: the state of the address; the host about every runner; of topics the managed and adopted ones and
// the inputs of SQL models; what the broker would say to creating those that are absent and to changing those that
// differ; of consumer groups the runners' and the exposures', and whoever else has partitions or offsets of a managed
// topic. Blocking, bounded call by call. The state is read first: what changes meanwhile makes a plan stale, not wrong.
// Fails as the adapters do; an unreadable answer is never "absent". One thread.
absl::Status Observe(const v1::Topology& topology, const World& world, const Scope& scope,
                     v1::Observation* observation);

// Nothing is asked.
void Offline(v1::Observation* observation);

// One line for people: of what was asked about, how much is there.
std::string Summary(const v1::Observation& observation);

}  // namespace st::observe

#endif  // ST_LIB_OBSERVE_OBSERVE_H_
