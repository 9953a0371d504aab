// One cell: the driver runs again and again, with a fault in the first runs, until it is done or blocked. Test-only.
#ifndef ST_LIB_EXECUTE_SIM_PLAY_H_
#define ST_LIB_EXECUTE_SIM_PLAY_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/execute/sim/gate.h"
#include "lib/execute/sim/scenario.h"
#include "lib/execute/sim/store_place.h"

namespace st::sim {

struct Injection {
  int at = 0;  // boundary of the run, from 1
  Fault fault = Fault::kNone;
};

// How one run of the driver ended.
struct Run {
  enum class Mode { kApply, kResume } mode = Mode::kApply;
  int actor = 0;
  Injection injection;
  bool fired = false;
  bool effect = false;  // of another operator's act on the world
  bool killed = false;
  int calls_after_death = 0;
  Boundary struck;  // where it fired
  // DONE, BLOCKED, ... or ERROR when the call itself failed.
  std::string outcome;
  std::string code;  // that the reason begins with, or the status of an ERROR
  std::string reason;
  std::vector<Boundary> trace;
  std::vector<Run> others;  // another operator's runs meanwhile
};

class Play {
 public:
  // The place holds what `scenario` or an earlier Play of it left.
  Play(const Scenario& scenario, StorePlace* place, State state)
      : scenario_(scenario), place_(place), state_(std::move(state)) {}

  // Apply, or resume when an operation of ours was begun.
  absl::StatusOr<Run> Drive(Injection injection);
  // Without faults, until it is done or blocked twice for one reason.
  absl::Status Settle();

  const State& state() const { return state_; }
  // What the last run left in the store, and the whole log of it.
  const state::Snapshot& left() const { return left_; }
  const std::vector<state::HistoryEntry>& history() const { return history_; }
  const std::vector<Run>& runs() const { return runs_; }
  std::vector<Run> TakeRuns() { return std::move(runs_); }
  void GiveRuns(std::vector<Run> runs) { runs_ = std::move(runs); }

 private:
  absl::StatusOr<Run> DriveAs(int actor, Injection injection, bool always_apply);
  void Meddle(Fault fault, int at, Run* run);
  void TakeLock();
  absl::Status LookAtStore(state::StateStore* store);

  const Scenario& scenario_;
  StorePlace* place_;
  State state_;
  std::vector<Run> runs_;
  state::Snapshot left_;
  std::vector<state::HistoryEntry> history_;
  int drivers_ = 0;
  std::unique_ptr<state::StateStore> thief_;
  std::unique_ptr<state::Lease> stolen_;
};

}  // namespace st::sim

#endif  // ST_LIB_EXECUTE_SIM_PLAY_H_
