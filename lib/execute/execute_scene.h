// An operator with a plan in the simulated world and a real store: what the tests of the loop start from.
// Test-only.
#ifndef ST_LIB_EXECUTE_EXECUTE_SCENE_H_
#define ST_LIB_EXECUTE_EXECUTE_SCENE_H_

#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "lib/execute/execute.h"
#include "lib/execute/journal.h"
#include "lib/execute/sim/faces.h"
#include "lib/state/state.h"
#include "schemas/st/v1/operation.pb.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::execute {

// What stands for SIGKILL here: it unwinds everything that the tool holds in memory.
struct Killed {};

class ExecuteTest : public testing::Test {
 protected:
  void SetUp() override;

  // A fresh world: a source topic, an empty store, nothing deployed.
  void Reset();

  void MakePlan();

  World Open();

  Journal Read();

  v1::ApplyReport ApplyNow();

  v1::ApplyReport ResumeNow(const std::string& operation);

  // True: the named boundary was met and the run was cut off there.
  bool ApplyKilledAt(const std::string& boundary, int nth) {
    return KilledAt(boundary, nth, [this] { ApplyNow(); });
  }
  bool ResumeKilledAt(const std::string& boundary, int nth, const std::string& operation) {
    return KilledAt(boundary, nth, [&] { ResumeNow(operation); });
  }

  template <typename Run>
  bool KilledAt(const std::string& boundary, int nth, Run run) {
    kill_at_ = boundary;
    kill_after_ = nth;
    bool killed = false;
    try {
      run();
    } catch (const Killed&) {
      killed = true;
    }
    kill_at_.clear();
    store_.reset();
    return killed;
  }

  // The one end that every way leads to.
  void ExpectDeployed();

  std::filesystem::path folder_;
  sim::State world_;
  sim::Clock clock_{&world_};
  sim::Cluster cluster_{&world_};
  sim::Host host_{&world_};
  std::unique_ptr<state::StateStore> store_;
  v1::Plan plan_;
  v1::Topology topology_;
  std::set<std::string> met_;
  std::string kill_at_;
  int kill_after_ = 0;
};

}  // namespace st::execute

#endif  // ST_LIB_EXECUTE_EXECUTE_SCENE_H_
