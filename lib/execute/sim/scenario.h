// What a cell starts from: a world, a store and a reviewed plan. Test-only.
#ifndef ST_LIB_EXECUTE_SIM_SCENARIO_H_
#define ST_LIB_EXECUTE_SIM_SCENARIO_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/execute/sim/state.h"
#include "lib/execute/sim/store_place.h"
#include "schemas/st/v1/plan.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::sim {

inline constexpr char kAddress[] = "p/e";
inline constexpr char kApplication[] = "st.p.e.m";

struct Scenario {
  std::string name;
  State state;
  std::string store;  // as StorePlace kept it
  v1::Plan plan;
  v1::Topology topology;
  std::string last_operation;  // that was completed before
  std::string topic;           // that an outsider would make again
  int64_t old_minimum = 0;     // records pass from here on, by the plan that runs before
  int64_t new_minimum = 0;     // and after
  bool runs = false;           // a runner is to run afterwards
};

// In the order in which they are run.
std::vector<std::string> ScenarioNames();

// Deploys what the scenario needs, without faults. `place` is emptied first.
absl::StatusOr<Scenario> MakeScenario(const std::string& name, uint64_t seed, StorePlace* place);

}  // namespace st::sim

#endif  // ST_LIB_EXECUTE_SIM_SCENARIO_H_
