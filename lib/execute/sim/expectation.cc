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
      return {"TOPIC_ID_CHANGED"};
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
      // REFUSED: the host had nothing to stop any more.
      return {"UNCLEAN_END", "RUNNER_FAILED", "REFUSED"};
    case Fault::kTopicMadeAgain:
      // The runner may see it first, and ends.
      return {"UNCLEAN_END"};
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

// The intent, or the authorization of a resume, was stored before the run came to that boundary.
bool BegunAt(const Run& run) {
  for (int i = 0; i + 1 < run.injection.at; ++i) {
    const std::string& name = run.trace[static_cast<size_t>(i)].name;
    if (name == "begin" || name == "authorization") return true;
  }
  return false;
}

bool IsDone(const std::string& end) { return end == "DONE" || end == "NO_CHANGES" || end == "RUNNER_FAILED"; }

bool Stands(const Run& run) { return run.outcome == "BLOCKED" || run.outcome == "REFUSED"; }

class Reader {
 public:
  std::vector<std::string> Read(const std::vector<Run>& runs) {
    for (size_t i = 0; i < runs.size(); ++i) ReadRun(runs[i], i + 1 == runs.size());
    return std::move(surprises_);
  }

 private:
  void ReadRun(const Run& run, bool last) {
    if (run.effect) {
      for (const std::string_view word : StandingReasons(run.injection.fault)) standing_.push_back(word);
      for (const std::string_view word : PassingReasons(run.injection.fault)) passing_.push_back(word);
    }
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
    // What was in the way before the fault, and is still.
    if (Stands(run) && Has(standing_, run.code)) return;
    Surprise(run, "is not how such a run ends");
  }

  // A run that no fault cut off.
  void ReadEnd(const Run& run, bool last) {
    if (IsDone(EndOf(run))) return;
    if (Stands(run) && Has(standing_, run.code)) return;
    if (!last && Stands(run) && Has(passing_, run.code)) return;
    // While he was away another took the lock and carried it to its end.
    const bool overtaken = run.injection.fault == Fault::kPaused || run.injection.fault == Fault::kAnotherApply ||
                           run.injection.fault == Fault::kAnotherResume;
    if (!last && overtaken && run.fired && (Stands(run) || EndOf(run) == "ERROR:ABORTED")) return;
    Surprise(run, "is not how such a run ends");
  }

  // One who waits for nobody: turned away while the lock is held, else he does it all.
  void ReadOther(const Run& run, const Run& other) {
    const bool free = run.injection.fault == Fault::kPaused || run.struck.kind == Kind::kAcquire;
    const bool fits =
        free ? IsDone(EndOf(other)) || (Stands(other) && (Has(standing_, other.code) || other.code.empty()))
             : EndOf(other) == "REFUSED";
    if (!fits) Surprise(other, "is not how another operator's run ends then");
  }

  void Surprise(const Run& run, std::string_view what) {
    surprises_.push_back(absl::StrCat("run ", run.actor, " (", FaultName(run.injection.fault), " at ", run.struck.name,
                                      "): ", EndOf(run), " ", what, ": ", run.reason));
  }

  static constexpr int kCallsAfterDeath = 3;
  Words standing_;
  Words passing_;
  std::vector<std::string> surprises_;
};

}  // namespace

std::string EndOf(const Run& run) {
  return run.killed ? "killed" : run.code.empty() ? run.outcome : absl::StrCat(run.outcome, ":", run.code);
}

std::vector<std::string> Surprises(const std::vector<Run>& runs) { return Reader().Read(runs); }

}  // namespace st::sim
