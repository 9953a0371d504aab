#include "lib/execute/loop.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/execute/boundary.h"
#include "lib/execute/facts.h"

namespace st::execute {
namespace {

using transition::Do;
using transition::Step;

// Between two looks at a condition that somebody else brings about.
constexpr int64_t kPollMs = 200;
// While it waits, the lock is looked at so often.
constexpr int64_t kLockCheckMs = 5'000;

std::string Words(const absl::Status& status) { return std::string(status.message()); }

// A second operator can change nothing of ours while we hold the lease; a boundary that the facts ask for twice
// under one checkpoint therefore means that the other side refuses it, or does not do what it answers.
class ActionRun {
 public:
  ActionRun(const v1::Action& action, const World& world, Writer* writer, transition::Progress* progress)
      : action_(action), world_(world), writer_(writer), progress_(progress) {}

  // True: this action is done. False: `ending` says why the run ends.
  bool Run(Ending* ending) {
    progress_->crossed.clear();
    progress_->met.clear();
    for (;;) {
      absl::StatusOr<transition::Facts> facts = Look(action_, world_);
      if (!facts.ok()) return End(LookFailed(facts.status()), ending);
      Step step = transition::Next(action_, *progress_, *facts);
      switch (step.kind) {
        case Step::Kind::kDone:
          return true;
        case Step::Kind::kBlocked:
          if (LockLost(ending)) return false;
          return End({v1::ApplyReport::BLOCKED, absl::StrCat(step.code, ": ", step.text), HalfWay(step), step.stale},
                     ending);
        case Step::Kind::kWait:
          if (LockIsDue(facts->now_ms) && LockLost(ending)) return false;
          // What was refused for this may be asked for again when it is over.
          tried_.clear();
          SayWaiting(step);
          world_.clock->SleepMs(kPollMs);
          continue;
        case Step::Kind::kRecord:
          if (!RecordCheckpoint(std::move(step.record), facts->now_ms, ending)) return false;
          continue;
        case Step::Kind::kDo:
          if (!CrossBoundary(step.act, ending)) return false;
          continue;
      }
    }
  }

 private:
  static bool End(Ending reached, Ending* ending) {
    *ending = std::move(reached);
    return false;
  }

  // Who has the lock now makes what we see: that is said, and not what it looks like from here.
  bool LockLost(Ending* ending) {
    const absl::Status status = writer_->CheckLease();
    if (!status.ok()) *ending = JournalFailed(status);
    return !status.ok();
  }

  bool LockIsDue(int64_t now_ms) {
    if (lock_seen_ms_ != 0 && now_ms - lock_seen_ms_ < kLockCheckMs) return false;
    return std::exchange(lock_seen_ms_, now_ms) != 0;
  }

  void SayWaiting(const Step& step) {
    if (step.text == said_) return;
    said_ = step.text;
    world_.progress(absl::StrCat("waiting: ", step.text));
  }

  bool RecordCheckpoint(v1::Checkpoint checkpoint, int64_t now_ms, Ending* ending) {
    checkpoint.set_at_ms(now_ms);
    world_.boundary("before:checkpoint");
    if (absl::Status status = writer_->Append(checkpoint); !status.ok()) return End(JournalFailed(status), ending);
    world_.boundary("after:checkpoint");
    world_.progress(absl::StrCat(v1::Checkpoint::Name_Name(checkpoint.name()), " ", action_.resource()));
    progress_->checkpoints.push_back(std::move(checkpoint));
    progress_->crossed.clear();
    tried_.clear();
    return true;
  }

  bool CrossBoundary(Do act, Ending* ending) {
    const auto [tried, first] = tried_.try_emplace(act);
    if (!first) return !LockLost(ending) && End(std::move(tried->second), ending);
    if (absl::Status status = writer_->CheckLease(); !status.ok()) return End(JournalFailed(status), ending);
    world_.boundary(absl::StrCat("before:", BoundaryName(act)));
    absl::Status status = Cross(act, action_, *progress_, world_);
    world_.boundary(absl::StrCat("after:", BoundaryName(act)));
    // It exists already: perhaps a late first create of ours. The next look decides whose it is.
    if (absl::IsAlreadyExists(status)) {
      progress_->met.push_back(act);
      tried->second = DoesNotShow(act, Words(status));
      return true;
    }
    if (!status.ok()) {
      tried->second = BoundaryFailed(status);
      if (tried->second.outcome != v1::ApplyReport::BLOCKED) return End(std::move(tried->second), ending);
      // Refused, perhaps because it is no longer needed: an earlier call of ours was carried out late, a runner ended
      // or was started since it was looked at. The next look decides; it is not asked for twice.
      return !LockLost(ending);
    }
    tried->second = DoesNotShow(act, "done");
    progress_->crossed.push_back(act);
    return true;
  }

  static Ending DoesNotShow(Do act, std::string_view answer) {
    return {
        v1::ApplyReport::BLOCKED,
        absl::StrCat("CONFLICT: ", BoundaryName(act), " was answered (", answer, "), and no such one of ours shows"),
        "find out who has that name, and give it back; then resume"};
  }

  const v1::Action& action_;
  const World& world_;
  Writer* writer_;
  transition::Progress* progress_;
  std::map<Do, Ending> tried_;  // since the last checkpoint, and how the run ends when the facts ask for it again
  std::string said_;
  int64_t lock_seen_ms_ = 0;
};

}  // namespace

std::string HalfWay(const transition::Step& step) {
  if (!step.stale) return absl::StrCat(step.way_out, ", then resume");
  return absl::StrCat(step.way_out, step.way_out.empty() ? "" : "; ",
                      "what was reviewed is no longer there, so this operation cannot go on");
}

bool OtherSideNotReached(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

Ending LookFailed(const absl::Status& status) {
  if (OtherSideNotReached(status)) {
    return {v1::ApplyReport::UNREACHABLE, Words(status), "when it can be reached again, resume"};
  }
  return {v1::ApplyReport::BLOCKED, Words(status), "mend the cause, then resume"};
}

Ending BoundaryFailed(const absl::Status& status) {
  // By their contracts, hosts and cluster say Unavailable of a write that was not made (no room, not connected).
  if (absl::IsUnavailable(status)) return {v1::ApplyReport::UNREACHABLE, Words(status), "mend that, then resume"};
  if (absl::IsDeadlineExceeded(status) || absl::IsUnknown(status)) {
    return {v1::ApplyReport::UNKNOWN, absl::StrCat("the answer was lost: ", Words(status)),
            "resume: it looks at what really happened"};
  }
  return {v1::ApplyReport::BLOCKED, absl::StrCat("REFUSED: ", Words(status)), "mend the cause, then resume"};
}

Ending JournalFailed(const absl::Status& status) {
  if (absl::IsUnknown(status)) {
    return {v1::ApplyReport::UNKNOWN, absl::StrCat("whether the state store has it is not known: ", Words(status)),
            "resume: it reads the store"};
  }
  if (absl::IsAborted(status)) {
    return {v1::ApplyReport::BLOCKED, absl::StrCat("LOCK_LOST: ", Words(status)),
            "another operator may hold the address: look at the status, then resume"};
  }
  if (OtherSideNotReached(status)) {
    return {v1::ApplyReport::UNREACHABLE, Words(status), "when the state store can be reached again, resume"};
  }
  return {v1::ApplyReport::BLOCKED, absl::StrCat("STATE_REFUSED: ", Words(status)),
          "mend the state store, then resume"};
}

const v1::Action* NextAction(const v1::Intent& intent, const transition::Progress& progress) {
  for (const v1::Action& action : intent.actions()) {
    const v1::Checkpoint* last = transition::LastCheckpoint(progress, action.index());
    if (last == nullptr || last->name() != v1::Checkpoint::ACTION_DONE) return &action;
  }
  return nullptr;
}

Ending RunActions(const v1::Intent& intent, const World& world, Writer* writer, transition::Progress* progress) {
  while (const v1::Action* action = NextAction(intent, *progress)) {
    Ending ending;
    if (!ActionRun(*action, world, writer, progress).Run(&ending)) return ending;
  }
  return {};
}

}  // namespace st::execute
