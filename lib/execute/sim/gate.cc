#include "lib/execute/sim/gate.h"

#include <utility>

namespace st::sim {
namespace {

constexpr std::pair<Fault, std::string_view> kNames[] = {
    {Fault::kNone, "none"},
    {Fault::kKilledBefore, "killed_before"},
    {Fault::kKilledAfter, "killed_after"},
    {Fault::kAnswerLost, "answer_lost"},
    {Fault::kTimedOut, "timed_out"},
    {Fault::kDoneLate, "done_late"},
    {Fault::kUnreachable, "unreachable"},
    {Fault::kLockLost, "lock_lost"},
    {Fault::kPaused, "paused"},
    {Fault::kAnotherApply, "another_apply"},
    {Fault::kAnotherResume, "another_resume"},
    {Fault::kForeignGeneration, "foreign_generation"},
    {Fault::kOffsetsMoved, "offsets_moved"},
    {Fault::kTopicMadeAgain, "topic_made_again"},
    {Fault::kRunnerKilled, "runner_killed"},
    {Fault::kRunnerClosed, "runner_closed"},
    {Fault::kRunnerFailed, "runner_failed"},
    {Fault::kVolumeMadeAgain, "volume_made_again"},
};

bool Changes(Boundary::Kind kind) { return kind == Boundary::Kind::kWrite || kind == Boundary::Kind::kStoreWrite; }

}  // namespace

std::string_view FaultName(Fault fault) {
  for (const auto& [value, name] : kNames) {
    if (value == fault) return name;
  }
  return "?";
}

Fault FaultOfName(std::string_view name) {
  for (const auto& [value, text] : kNames) {
    if (text == name) return value;
  }
  return Fault::kNone;
}

Fault Gate::Meet(std::string_view name, Boundary::Kind kind) {
  if (dead_) {
    ++calls_after_death_;
    return Fault::kKilledBefore;
  }
  trace_.push_back({std::string(name), kind});
  if (state_->late.has_value() && state_->late->name == name) state_->CarryOutLate();
  state_->actor = actor_;
  const bool strikes = static_cast<int>(trace_.size()) == at_;
  if (strikes) {
    fired_ = true;
    if (fault_ >= Fault::kLockLost) {
      meddle_(fault_);
      state_->actor = actor_;
      const bool loses = fault_ == Fault::kLockLost || fault_ == Fault::kPaused;
      const bool between = kind != Boundary::Kind::kWrite && kind != Boundary::Kind::kAcquire;
      if (loses && between) state_->Note({.kind = Event::Kind::kLockLost});
    }
    dead_ = fault_ == Fault::kKilledBefore;
  }
  const bool acted = strikes && fault_ < Fault::kLockLost;
  if (Changes(kind) && !(acted && fault_ == Fault::kKilledBefore)) {
    state_->Note({.kind = Event::Kind::kAsked, .subject = std::string(name)});
  }
  return acted ? fault_ : Fault::kNone;
}

absl::Status Gate::Lost(Boundary::Kind kind, std::string_view name) {
  if (Changes(kind)) {
    state_->actor = actor_;
    state_->Note({.kind = Event::Kind::kAnswerLost, .subject = std::string(name)});
  }
  switch (kind) {
    case Boundary::Kind::kStoreWrite:
      return absl::UnknownError("sim: no answer");
    case Boundary::Kind::kWrite:
      return at_ % 2 == 0 ? absl::UnknownError("sim: no answer") : absl::DeadlineExceededError("sim: no answer");
    default:
      return fault_ == Fault::kTimedOut ? absl::DeadlineExceededError("sim: no answer")
                                        : absl::UnavailableError("sim: connection lost");
  }
}

}  // namespace st::sim
