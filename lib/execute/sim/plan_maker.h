// Plans for the simulated world, made by hand from what is owned there, and carried out to make a beginning. Test-only.
#ifndef ST_LIB_EXECUTE_SIM_PLAN_MAKER_H_
#define ST_LIB_EXECUTE_SIM_PLAN_MAKER_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "lib/execute/sim/scenario.h"
#include "lib/execute/sim/store_place.h"
#include "schemas/st/v1/operation.pb.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::sim {

// One scenario in the making: a world with an input topic, a store that is empty at first, and the plan so far.
class PlanMaker {
 public:
  // `place` outlives it.
  PlanMaker(uint64_t seed, StorePlace* place);

  // Forgets the plan; the next one is made for what the store holds now.
  absl::Status NewPlan();
  // Carries the plan out, without faults, and makes an empty one.
  absl::Status Deploy();

  // Topic and runner.
  void AddCreates();
  void AddSideTopic();
  void AddUpdate();
  void AddStop();
  void AddStart();
  // To another filter; it runs if the scenario says so. `ended`: the runner had ended when the plan was made.
  void AddReplace(bool ended);
  // What follows in the plan starts from what is restored.
  void AddRestore(v1::RestoreOffsets::From from);

  Scenario* scenario() { return &scenario_; }
  State& state() { return scenario_.state; }

 private:
  v1::Action& AddAction(const std::string& resource);
  // The runner that we own, and where.
  template <typename Runner>
  void Bind(const v1::OwnedRunner& owned, Runner* runner);
  // Where it goes on: what was restored, or what is committed now.
  template <typename Runner>
  void BindOffsets(const v1::OwnedRunner& owned, Runner* runner);

  StorePlace* place_;
  Scenario scenario_;
  v1::OwnedResources owned_;
  int deployed_ = 0;
};

}  // namespace st::sim

#endif  // ST_LIB_EXECUTE_SIM_PLAN_MAKER_H_
