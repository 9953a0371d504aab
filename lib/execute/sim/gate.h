// The boundaries of one run of the driver, counted, and one fault at one of them. Test-only.
//
// A killed tool is a dead gate: from then on every call fails and does nothing, so the driver unwinds by its own error
// paths and releases what it holds. From outside that cannot be told from SIGKILL, as a driver has no other way out
// than these calls; and it costs nothing, where a child process for each of many thousand cells would cost minutes.
#ifndef ST_LIB_EXECUTE_SIM_GATE_H_
#define ST_LIB_EXECUTE_SIM_GATE_H_

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "lib/execute/sim/state.h"

namespace st::sim {

enum class Fault {
  kNone,
  kKilledBefore,
  kKilledAfter,
  kAnswerLost,   // done, and nobody says so
  kTimedOut,     // not done, with the same answer
  kDoneLate,     // the same answer, and done after somebody has looked and is about to ask for it again
  kUnreachable,  // not done, and the answer says so
  kLockLost,     // another has the address's lock from here to the end of the run
  kPaused,       // meanwhile the lock is lost, and another operator carries the operation to its end
  // Another operator, who
  kAnotherApply,
  kAnotherResume,
  kForeignGeneration,  // makes a generation with our application's label
  kOffsetsMoved,       // sets the group's offsets, where the broker lets him
  kTopicMadeAgain,     // deletes the scenario's topic and makes it again, or makes one where there is none
  kRunnerKilled,
  kRunnerClosed,  // tells it to close, and it has closed
  kRunnerFailed,  // gives it a record that it fails at
  kVolumeMadeAgain,
};
inline constexpr Fault kFaults[] = {
    Fault::kKilledBefore,   Fault::kKilledAfter,   Fault::kAnswerLost,        Fault::kTimedOut,
    Fault::kDoneLate,       Fault::kUnreachable,   Fault::kLockLost,          Fault::kPaused,
    Fault::kAnotherApply,   Fault::kAnotherResume, Fault::kForeignGeneration, Fault::kOffsetsMoved,
    Fault::kTopicMadeAgain, Fault::kRunnerKilled,  Fault::kRunnerClosed,      Fault::kRunnerFailed,
    Fault::kVolumeMadeAgain};
std::string_view FaultName(Fault fault);
// kNone for a name that is none.
Fault FaultOfName(std::string_view name);

struct Boundary {
  enum class Kind {
    kRead,   // of cluster or host
    kWrite,  // something outside changes
    kStoreRead,
    kStoreWrite,
    kAcquire,
    kLeaseCheck,
  };
  std::string name;
  Kind kind;
};
// Only what is done outside can be done late.
inline bool CanStrike(Fault fault, Boundary::Kind kind) {
  return fault != Fault::kDoneLate || kind == Boundary::Kind::kWrite;
}

class Gate {
 public:
  // `state` outlives it. `meddle` does what other operators do: all faults from kLockLost on.
  Gate(State* state, int actor, std::function<void(Fault)> meddle)
      : state_(state), actor_(actor), meddle_(std::move(meddle)) {}

  // The fault strikes at the n-th boundary, from 1.
  void Arm(int at, Fault fault) {
    at_ = at;
    fault_ = fault;
  }

  // Crosses a boundary: `call` does it. Its result is a Status or a StatusOr. `late` does it of itself, to whatever
  // State has come of this one by then.
  template <typename Call>
  std::invoke_result_t<Call> Cross(std::string_view name, Boundary::Kind kind, Call call,
                                   std::function<void(State*)> late = nullptr) {
    switch (Meet(name, kind)) {
      case Fault::kKilledBefore:
        return Dead();
      case Fault::kKilledAfter:
        (void)call();
        dead_ = true;
        return Dead();
      case Fault::kAnswerLost:
        (void)call();
        return Lost(kind, name);
      case Fault::kDoneLate:
        if (late) state_->late = State::Late{std::string(name), actor_, std::move(late)};
        return Lost(kind, name);
      case Fault::kTimedOut:
        return Lost(kind, name);
      case Fault::kUnreachable:
        return absl::UnavailableError("sim: not reached");
      default:
        return call();
    }
  }

  // Something was seen: `subject` and `text` as in Event.
  void NoteLook(const char* subject, std::string text = {}) {
    state_->actor = actor_;
    state_->Note({.kind = Event::Kind::kLooked, .subject = subject, .text = std::move(text)});
  }

  const std::vector<Boundary>& trace() const { return trace_; }
  bool fired() const { return fired_; }
  bool dead() const { return dead_; }
  int calls_after_death() const { return calls_after_death_; }
  int actor() const { return actor_; }
  State* state() const { return state_; }

 private:
  // The fault that this call has to act out itself, or kNone.
  Fault Meet(std::string_view name, Boundary::Kind kind);
  static absl::Status Dead() { return absl::CancelledError("sim: killed"); }
  absl::Status Lost(Boundary::Kind kind, std::string_view name);

  State* state_;
  int actor_;
  std::function<void(Fault)> meddle_;
  int at_ = 0;
  Fault fault_ = Fault::kNone;
  std::vector<Boundary> trace_;
  bool fired_ = false;
  bool dead_ = false;
  int calls_after_death_ = 0;
};

}  // namespace st::sim

#endif  // ST_LIB_EXECUTE_SIM_GATE_H_
