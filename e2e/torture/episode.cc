#include "e2e/torture/episode.h"

#include <signal.h>

#include <atomic>
#include <filesystem>
#include <iterator>
#include <memory>
#include <thread>
#include <utility>

#include "absl/log/absl_check.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace st::e2e {
namespace {

namespace files = std::filesystem;

constexpr int kKilled = 128 + SIGKILL;
constexpr int kMostKills = 4;
constexpr int16_t kOffsetFetchKey = 9;
constexpr absl::Duration kToTheEnd = absl::Minutes(5);
constexpr absl::Duration kRunnerComes = absl::Minutes(2);
// Every operation crosses the first three; all of them are crossed by the replacement of one that runs.
constexpr int kEverywhere = 3;
constexpr const char* kBoundaries[] = {
    "checkpoint:1",        "complete:1",          "",  // where a tool's first entry is
    "checkpoint:2",        "checkpoint:3",        "checkpoint:4",
    "checkpoint:5",        "checkpoint:6",        "stop_generation:1",
    "remove_generation:1", "create_generation:1", "start_generation:1"};

// Whatever happens to these, an operation may be blocked for a while; all else goes on at the first resume.
bool MayWait(Kind kind) { return kind == Kind::kRunnerKilled || kind == Kind::kBrokerKilled; }

}  // namespace

const char* Name(Kind kind) {
  static constexpr const char* kNames[] = {
      "killed_at_random", "killed_at_boundary", "paused",        "two_applies",  "answer_lost", "offsets_moved",
      "foreign_member",   "copied_generation",  "runner_killed", "broker_killed"};
  static_assert(std::size(kNames) == kKinds);
  return kNames[static_cast<int>(kind)];
}

int Tally::Kills() const {
  int all = 0;
  for (const auto& [phase, count] : kills) all += count;
  return all;
}

void Episode::Log(const std::string& what, const CommandResult& result) {
  Log(absl::StrCat(what, ": exit ", result.exit_code, "\n", result.error_text));
}

std::vector<std::string> Episode::Run(Kind kind) {
  Log(absl::StrCat("episode ", tally_.episodes, ": ", Name(kind)));
  Change(kind);
  const CommandResult planned = scene_.pipe().Plan("p");
  Log("st-plan", planned);
  if (planned.exit_code < 10) Violation("the change cannot be planned");
  if (violations_.empty()) Disturb(kind);
  if (violations_.empty()) CarryOn(kind);
  if (violations_.empty()) violations_ = scene_.Check();
  tally_.records += scene_.newly_compared();
  ++tally_.kinds[Name(kind)];
  ++tally_.episodes;
  return violations_;
}

void Episode::Replace() {
  const int bound = Draw(19);
  scene_.SetBound(bound < scene_.bound() ? bound : bound + 1);
}

void Episode::Change(Kind kind) {
  const bool must_run =
      kind == Kind::kOffsetsMoved || kind == Kind::kForeignMember || kind == Kind::kTwoApplies || MayWait(kind);
  const int choice = must_run ? 0 : Draw(10);
  std::string what;
  if (choice < 6 || kind == Kind::kAnswerLost) {
    Replace();
    whole_replacement_ = scene_.running();
    what = scene_.running() ? "replace" : "replace_stopped";
    if (!scene_.running() && (must_run || Draw(2) == 0)) {
      scene_.SetRunning(true);
      what = "replace_and_start";
    }
  }
  if (choice == 5 || choice == 6 || kind == Kind::kAnswerLost) {
    scene_.ChangeConfig();
    what += what.empty() ? "config" : "+config";
  }
  if (choice > 6 && kind != Kind::kAnswerLost) {
    scene_.SetRunning(!scene_.running());
    what = scene_.running() ? "start" : "stop";
  }
  Log(absl::StrCat(what, ": n >= ", scene_.bound(), scene_.running() ? ", running" : ", stopped"));
  ++tally_.changes[what];
}

void Episode::Disturb(Kind kind) {
  const std::vector<std::string> apply = {"--plan", scene_.pipe().Path("p")};
  switch (kind) {
    case Kind::kKilledAtRandom:
    case Kind::kKilledAtBoundary:
      kills_left_ = Draw(kMostKills);
      return Kill("st-apply", kind == Kind::kKilledAtBoundary, apply);
    case Kind::kPaused:
      return Pause();
    case Kind::kTwoApplies:
      return TwoApplies();
    case Kind::kAnswerLost:
      return LoseAnswer();
    case Kind::kOffsetsMoved:
      return MoveOffsets();
    case Kind::kForeignMember:
      return JoinGroup();
    case Kind::kCopiedGeneration:
      return CopyGeneration();
    case Kind::kRunnerKilled:
      return ApplyDuring([this] { KillRunner(); });
    case Kind::kBrokerKilled:
      return ApplyDuring([this] {
        ABSL_CHECK_OK(scene_.broker().Kill());
        Hit(Kind::kBrokerKilled);
        ABSL_CHECK_OK(scene_.broker().Restart());
      });
  }
}

// One runs when such an apply has ended, if not before.
void Episode::KillRunner() {
  const absl::Time deadline = absl::Now() + kRunnerComes;
  std::vector<int> pids = scene_.pipe().RunnerPids();
  for (; pids.empty() && absl::Now() < deadline; pids = scene_.pipe().RunnerPids()) {
    absl::SleepFor(absl::Milliseconds(5));
  }
  for (int pid : pids) kill(pid, SIGKILL);
  if (pids.empty()) return Violation("no runner was there to be killed");
  Hit(Kind::kRunnerKilled);
}

std::string Episode::DrawBoundary(const std::string& tool) {
  std::string boundary = kBoundaries[Draw(whole_replacement_ ? std::size(kBoundaries) : kEverywhere)];
  if (boundary.empty()) boundary = tool == "st-apply" ? "intent:1" : "authorization:1";
  return absl::StrCat(Draw(2) == 0 ? "before:" : "after:", boundary);
}

void Episode::CountKill(const std::string& tool) {
  scene_.AwaitUnlocked();
  const v1::OperationStatus status = scene_.pipe().Status();
  std::string phase = "no open operation";
  if (!status.operation_id().empty()) {
    phase = status.checkpoints().empty() ? "INTENT" : v1::Checkpoint::Name_Name(status.checkpoints().rbegin()->name());
  }
  ++tally_.kills[absl::StrCat(tool, " ", phase)];
}

void Episode::Kill(const std::string& tool, bool at_boundary, const std::vector<std::string>& arguments) {
  CommandResult result;
  std::string where;
  if (at_boundary) {
    where = DrawBoundary(tool);
    result = scene_.pipe().Tool(tool, arguments, scene_.pipe().Compile(), {{"ST_CRASH_AT", where}});
  } else {
    const double moment = DrawMoment();
    where = absl::StrCat("at ", moment, " s");
    result = scene_.pipe().ToolKilledAfter(moment, tool, arguments, scene_.pipe().Compile());
  }
  Log(absl::StrCat(tool, " to be killed ", where), result);
  if (result.exit_code == kKilled) {
    Hit(at_boundary ? Kind::kKilledAtBoundary : Kind::kKilledAtRandom);
    return CountKill(tool);
  }
  if (at_boundary && tool == "st-apply") return Violation("a boundary that each such apply crosses was not met");
  // It came to its end before that: nobody disturbed it.
  Undisturbed(result);
  if (result.exit_code != 0) Violation(absl::StrCat(tool, " was not killed and says no"));
}

void Episode::ApplyDuring(const std::function<void()>& act) {
  CommandResult applied;
  std::thread apply([&] { applied = scene_.pipe().Apply("p"); });
  absl::SleepFor(absl::Seconds(DrawMoment()));
  act();
  apply.join();
  Log("st-apply, disturbed", applied);
}

// At a random moment, and at a boundary at the latest.
void Episode::Pause() {
  Pipe& pipe = scene_.pipe();
  const std::string at = DrawBoundary("st-apply");
  const bool take_lock = scene_.postgres() && Draw(2) == 0;
  std::unique_ptr<RunningCommand> apply =
      pipe.StartTool("st-apply", {"--plan", pipe.Path("p")}, pipe.Compile(), {{"ST_CRASH_AT", at + ":stop"}});
  absl::SleepFor(absl::Seconds(DrawMoment()));
  apply->Signal(SIGSTOP);
  auto stopped = apply->AwaitStop();
  if (!stopped.ok() || !*stopped) return Violation("st-apply ended without being stopped, at the latest " + at);
  Hit(Kind::kPaused);
  const bool taken = take_lock && scene_.TakeLockAway();
  if (taken) ++tally_.hits[kPausedPastItsLock];
  const std::string operation = taken ? pipe.Status().operation_id() : "";
  const CommandResult second = operation.empty() ? pipe.Apply("p") : pipe.Resume("p", operation);
  do {
    apply->Signal(SIGCONT);
    stopped = apply->AwaitStop();
  } while (stopped.ok() && *stopped);
  const CommandResult first = apply->Wait().value();
  Log(absl::StrCat("st-apply, stopped for a while, at the latest ", at, taken ? ", and its lock taken" : ""), first);
  Log(absl::StrCat("another ", operation.empty() ? "st-apply" : "st-resume", " meanwhile"), second);
  if (first.exit_code == 0 && second.exit_code == 0) Violation("both carried the plan out");
  // Whoever took the lock may be kept from going on, as by the host's own lock, which the first one has.
  if (!taken && first.exit_code != 0 && second.exit_code != 0) Violation("neither of two applies carried the plan out");
}

void Episode::TwoApplies() {
  CommandResult first;
  std::thread apply([&] { first = scene_.pipe().Apply("p"); });
  absl::SleepFor(absl::Milliseconds(Draw(300)));
  const CommandResult second = scene_.pipe().Apply("p");
  apply.join();
  Log("st-apply", first);
  Log("the other st-apply", second);
  Undisturbed(first.exit_code == 0 ? first : second);
  if ((first.exit_code == 0) == (second.exit_code == 0)) Violation("not one of the two applies carried the plan out");
  if (first.exit_code + second.exit_code != 1) Violation("the other one does not say no");
  Hit(Kind::kTwoApplies);
}

void Episode::LoseAnswer() {
  const bool write = Draw(2) == 0;
  const int16_t key = write ? kIncrementalAlterConfigsKey : kOffsetFetchKey;
  const int before = scene_.proxy().Count(key);
  scene_.proxy().SetFate(key, Proxy::Fate::kLoseAnswer, 1);
  const CommandResult applied = scene_.pipe().Apply("p");
  scene_.proxy().SetFate(key, Proxy::Fate::kPass);
  Log(absl::StrCat("st-apply, whose ", write ? "change of a config" : "look at offsets", " had no answer"), applied);
  if (scene_.proxy().Count(key) == before) return Violation("no such request came by");
  Hit(Kind::kAnswerLost);
  if (write && applied.exit_code != 4) Violation("a write without an answer is not UNKNOWN");
}

bool Episode::ApplyUntilClosed() {
  const CommandResult applied = scene_.pipe().Apply("p", {{"ST_CRASH_AT", "after:checkpoint:2"}});
  Log("st-apply until the old one closed", applied);
  const v1::OperationStatus status = scene_.pipe().Status();
  const bool closed = applied.exit_code == kKilled && status.checkpoints_size() == 2 &&
                      status.checkpoints(1).name() == v1::Checkpoint::GENERATION_CLOSED;
  if (!closed) Violation("the apply was not cut off after the close");
  if (closed) CountKill("st-apply");
  return closed;
}

void Episode::MoveOffsets() {
  if (!ApplyUntilClosed()) return;
  const std::vector<int64_t> there = scene_.Committed();
  std::vector<int64_t> moved = there;
  const size_t partition = static_cast<size_t>(Draw(Scene::kPartitions));
  moved[partition] += Draw(2) == 0 ? -1 : 1;
  scene_.cluster().CommitOffsets(scene_.group(), scene_.input(), moved);
  Hit(Kind::kOffsetsMoved);
  const CommandResult resumed = scene_.pipe().Resume("p", scene_.pipe().Status().operation_id());
  Log(absl::StrCat("st-resume with offset ", there[partition], " of partition ", partition, " at ", moved[partition]),
      resumed);
  if (resumed.exit_code != 1 || !absl::StrContains(resumed.error_text, "OFFSETS_MOVED")) {
    Violation("an offset that somebody moved does not block");
  }
  scene_.cluster().CommitOffsets(scene_.group(), scene_.input(), there);
}

void Episode::JoinGroup() {
  if (!ApplyUntilClosed()) return;
  const std::string operation = scene_.pipe().Status().operation_id();
  CommandResult resumed;
  std::atomic<bool> ended = false;
  auto member = std::make_unique<Member>(scene_.address(), scene_.group(), scene_.input());
  member->AwaitAssignment();
  Hit(Kind::kForeignMember);
  std::thread resume([&] {
    resumed = scene_.pipe().Resume("p", operation);
    ended = true;
  });
  absl::SleepFor(absl::Seconds(DrawMoment()));
  if (ended) Violation("a foreign member of the group is not waited for");
  member.reset();
  resume.join();
  Log("st-resume with a foreign member that left", resumed);
}

void Episode::CopyGeneration() {
  const std::string folder = scene_.pipe().Generations().front();
  const std::string copy = folder + "-copy";
  files::copy(folder, copy, files::copy_options::recursive | files::copy_options::copy_symlinks);
  Hit(Kind::kCopiedGeneration);
  const CommandResult applied = scene_.pipe().Apply("p");
  Log("st-apply beside a copied generation", applied);
  const CommandResult planned = scene_.pipe().Plan("blocked");
  Log("st-plan beside a copied generation", planned);
  files::remove_all(copy);
  if (planned.exit_code != 1 || !absl::StrContains(planned.error_text, "RUNNER_NOT_OURS")) {
    Violation("a second generation with our labels does not block");
  }
}

bool Episode::CarryOnOnce(Kind kind) {
  Pipe& pipe = scene_.pipe();
  const std::string operation = pipe.Status().operation_id();
  if (!operation.empty() && kills_left_ > 0) {
    --kills_left_;
    Kill("st-resume", kind == Kind::kKilledAtBoundary, {"--plan", pipe.Path("p"), "--operation", operation});
    return false;
  }
  if (!operation.empty()) {
    const CommandResult resumed = pipe.Resume("p", operation);
    Log("st-resume", resumed);
    if (resumed.exit_code != 0 && !MayWait(kind)) Violation("a resume that nobody disturbs does not carry it out");
    if (resumed.exit_code != 0) absl::SleepFor(absl::Seconds(2));
    return false;
  }
  const CommandResult planned = pipe.Plan("p");
  if (planned.exit_code == 0) return true;
  Log("st-plan", planned);
  const CommandResult applied = planned.exit_code >= 10 ? pipe.Apply("p") : planned;
  if (planned.exit_code >= 10) Log("st-apply", applied);
  if (applied.exit_code != 0 && !MayWait(kind)) Violation("an apply that nobody disturbs does not carry it out");
  if (applied.exit_code != 0) absl::SleepFor(absl::Seconds(2));
  return false;
}

void Episode::CarryOn(Kind kind) {
  const absl::Time deadline = absl::Now() + kToTheEnd;
  while (violations_.empty() && !CarryOnOnce(kind)) {
    if (absl::Now() > deadline) return Violation("it does not come to an end");
  }
}

}  // namespace st::e2e
