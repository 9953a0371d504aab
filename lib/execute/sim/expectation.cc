#include "lib/execute/sim/expectation.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace st::sim {
namespace {

using Kind = Boundary::Kind;
using Words = std::vector<std::string_view>;

// Reasons that may stand in the way for good, and only where that fault had an effect.
Words StandingReasons(Fault fault) {
  switch (fault) {
    case Fault::kForeignGeneration:
      return {"RUNNER_NOT_OURS"};
    case Fault::kOffsetsMoved:
      return {"GROUP_HAS_OFFSETS", "OFFSETS_MOVED", "OFFSETS_MOVED_BACK"};
    case Fault::kTopicMadeAgain:
      return {"TOPIC_ID_CHANGED", "ADOPTION_REQUIRED"};
    case Fault::kVolumeMadeAgain:
      return {"VOLUME_CHANGED", "VOLUME_NOT_OURS"};
    default:
      return {};
  }
}

// Reasons that stop the run in which it happened, and that a resume gets over.
Words PassingReasons(Fault fault) {
  switch (fault) {
    case Fault::kRunnerKilled:
      // RUNNER_NOT_READY: a resume started it again, and its member's session took most of the time for waiting.
      return {"UNCLEAN_END", "RUNNER_FAILED", "RUNNER_NOT_READY"};
    case Fault::kRunnerClosed:
      // It was started, and closed before it was seen to be ready. GROUP_ACTIVE: as of a topic that is made again.
      return {"RUNNER_FAILED", "GROUP_ACTIVE"};
    case Fault::kRunnerFailed:
      return {"UNCLEAN_END", "GROUP_ACTIVE"};
    case Fault::kTopicMadeAgain:
      // The runner may see it first, and ends: between two answers of one look its member may still be seen, and the
      // time for waiting may be over by then.
      // Of an input, a look may show the old topic and no offsets any more.
      return {"UNCLEAN_END", "GROUP_ACTIVE", "OFFSETS_MISSING", "OFFSETS_MOVED"};
    case Fault::kVolumeMadeAgain:
      return {"REFUSED"};
    default:
      return {};
  }
}

// The end of a run in which the fault struck a boundary of that kind; `begun`: the intent was stored before.
Words EndsOf(Fault fault, Kind kind, bool begun) {
  switch (fault) {
    case Fault::kKilledBefore:
    case Fault::kKilledAfter:
      return {"killed"};
    case Fault::kAnswerLost:
    case Fault::kTimedOut:
    case Fault::kDoneLate:
      if (kind == Kind::kWrite || kind == Kind::kStoreWrite) return {"UNKNOWN"};
      if (begun) return {"UNREACHABLE"};
      return {fault == Fault::kTimedOut ? "ERROR:DEADLINE_EXCEEDED" : "ERROR:UNAVAILABLE"};
    case Fault::kUnreachable:
      return {begun ? "UNREACHABLE" : "ERROR:UNAVAILABLE"};
    case Fault::kLockLost:
      // Before the lock is asked for, another simply has it.
      if (kind == Kind::kAcquire) return {"REFUSED"};
      return {begun ? "BLOCKED:LOCK_LOST" : "ERROR:ABORTED"};
    default:
      return {};
  }
}

bool Has(const Words& words, std::string_view word) { return std::count(words.begin(), words.end(), word) > 0; }

// The run had come so far that it answers by a report: an apply when its intent is stored, a resume when it is about to
// store its authorization.
bool BegunAt(const Run& run) {
  const bool resumes = run.mode == Run::Mode::kResume;
  // A lost lock shows at the next look at it.
  if (resumes && run.injection.fault == Fault::kLockLost) return true;
  const size_t struck = static_cast<size_t>(run.injection.at);
  for (size_t i = 0; i < struck; ++i) {
    const bool begins =
        resumes ? run.trace[i].kind == Kind::kLeaseCheck : i + 1 < struck && run.trace[i].name == "begin";
    if (begins) return true;
  }
  return false;
}

// Nothing that needs the lock was done from the fault on.
bool NeedsNoLock(const Run& run) {
  for (size_t i = static_cast<size_t>(run.injection.at) - 1; i < run.trace.size(); ++i) {
    const Kind kind = run.trace[i].kind;
    if (kind == Kind::kAcquire || kind == Kind::kLeaseCheck || kind == Kind::kStoreWrite) return false;
  }
  return true;
}

bool IsDone(const std::string& end) { return end == "DONE" || end == "NO_CHANGES" || end == "RUNNER_FAILED"; }

// A resume says that an unclean end may be gone on from, and that what has ended may be started again.
bool IsSettledByResume(const Run& run) {
  if (run.mode != Run::Mode::kResume) return false;
  const bool started = std::any_of(run.trace.begin(), run.trace.end(),
                                   [](const Boundary& boundary) { return boundary.name == "start_generation"; });
  return run.code == "UNCLEAN_END" || (run.code == "RUNNER_FAILED" && !started);
}

bool Stands(const Run& run) { return run.outcome == "BLOCKED" || run.outcome == "REFUSED"; }

class Reader {
 public:
  std::vector<std::string> Read(const std::vector<Run>& runs, bool settled) {
    for (size_t i = 0; i < runs.size(); ++i) ReadRun(runs[i], settled && i + 1 == runs.size());
    return std::move(surprises_);
  }

 private:
  void ReadRun(const Run& run, bool last) {
    if (run.effect) {
      for (const std::string_view word : StandingReasons(run.injection.fault)) standing_.push_back(word);
      for (const std::string_view word : PassingReasons(run.injection.fault)) passing_.push_back(word);
    }
    late_ = late_ || (run.injection.fault == Fault::kDoneLate && run.fired);
    for (const Run& other : run.others) ReadOther(run, other);
    if (run.calls_after_death > kCallsAfterDeath) Surprise(run, "goes on after all its calls fail");
    if (run.injection.fault != Fault::kNone && !run.fired) {
      // A run that ends at once has fewer boundaries than the recorded one.
      if (!IsDone(EndOf(run)) && !Stands(run)) Surprise(run, "ended before the fault struck");
      return ReadEnd(run, last);
    }
    const Words ends = EndsOf(run.injection.fault, run.struck.kind, run.fired && BegunAt(run));
    if (ends.empty()) return ReadEnd(run, last);
    if (Has(ends, EndOf(run))) return;
    if (run.injection.fault == Fault::kLockLost && NeedsNoLock(run)) return ReadEnd(run, last);
    // A finished operation is told from its receipt; what runs is only looked at.
    const bool finished = run.mode == Run::Mode::kResume && run.struck.kind == Kind::kRead && NeedsNoLock(run);
    if (finished && IsDone(EndOf(run))) return;
    // What was in the way before the fault, and is still.
    if (Stands(run) && Has(standing_, run.code)) return;
    Surprise(run, "is not how such a run ends");
  }

  // A run that no fault cut off.
  void ReadEnd(const Run& run, bool last) {
    if (IsDone(EndOf(run))) return;
    if (Stands(run) && Has(standing_, run.code)) return;
    if (!last && Stands(run) && Has(passing_, run.code) && !IsSettledByResume(run)) return;
    // Its start was refused, as a late one was carried out just then; and when it looked again that one had ended.
    if (!last && late_ && run.effect && EndOf(run) == "BLOCKED:REFUSED") return;
    // While he was away another took the lock and carried it to its end.
    const bool overtaken = run.injection.fault == Fault::kPaused || run.injection.fault == Fault::kAnotherApply ||
                           run.injection.fault == Fault::kAnotherResume;
    if (!last && overtaken && run.fired && (Stands(run) || EndOf(run) == "ERROR:ABORTED")) return;
    Surprise(run, "is not how such a run ends");
  }

  // Turned away while the lock is held, else he does it all, or is told why not.
  void ReadOther(const Run& run, const Run& other) {
    const bool free = run.injection.fault == Fault::kPaused || run.struck.kind == Kind::kAcquire;
    if (!free && EndOf(other) == "REFUSED") return;
    const bool pending = other.mode == Run::Mode::kApply && EndOf(other) == "REFUSED:OPERATION_PENDING";
    const bool stale = other.mode == Run::Mode::kApply && EndOf(other) == "REFUSED";
    const bool stands = Stands(other) && (Has(standing_, other.code) || Has(passing_, other.code));
    if (free && (IsDone(EndOf(other)) || pending || stale || stands)) return;
    Surprise(other, "is not how another operator's run ends then");
  }

  void Surprise(const Run& run, std::string_view what) {
    surprises_.push_back(absl::StrCat("run ", run.actor, " (", FaultName(run.injection.fault), " at ", run.struck.name,
                                      "): ", EndOf(run), " ", what, ": ", run.reason));
  }

  static constexpr int kCallsAfterDeath = 3;
  Words standing_;
  Words passing_;
  bool late_ = false;  // a call was left to be carried out
  std::vector<std::string> surprises_;
};

}  // namespace

std::string EndOf(const Run& run) {
  return run.killed ? "killed" : run.code.empty() ? run.outcome : absl::StrCat(run.outcome, ":", run.code);
}

std::vector<std::string> Surprises(const std::vector<Run>& runs, bool settled) { return Reader().Read(runs, settled); }

}  // namespace st::sim
