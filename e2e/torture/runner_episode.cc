#include "e2e/torture/runner_episode.h"

#include <algorithm>
#include <csignal>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace st::e2e {
namespace {

constexpr absl::Duration kLook = absl::Milliseconds(10);
constexpr absl::Duration kPatience = absl::Minutes(1);
constexpr absl::Duration kToTheEnd = absl::Minutes(3);
constexpr int64_t kCloseMs = 15'000;
constexpr int kMostStarts = 5;

struct Kind {
  const char* name;
  int weight;  // against the others
};

constexpr Kind kKinds[] = {
    {"killed", 250},        {"stopped", 40},          {"overslept", 4},    {"two_processes", 90}, {"zombie", 40},
    {"rebalanced", 40},     {"partitions_added", 40}, {"poison", 160},     {"too_large", 80},     {"disk_full", 60},
    {"clock_set_back", 60}, {"password_changed", 10}, {"network_cut", 20}, {"network_slow", 10},  {"retention", 60},
    {"made_again", 56},     {"broker_killed", 20}};
static_assert(std::size(kKinds) == kFires);

}  // namespace

const char* Name(Fire fire) { return kKinds[static_cast<int>(fire)].name; }

Fire DrawFire(std::mt19937_64* random) {
  std::vector<int> weights;
  for (const Kind& kind : kKinds) weights.push_back(kind.weight);
  return static_cast<Fire>(std::discrete_distribution<int>(weights.begin(), weights.end())(*random));
}

RunnerEpisode::RunnerEpisode(FireBrokers* brokers, std::string name, std::mt19937_64* random)
    : brokers_(*brokers), name_(std::move(name)), random_(*random) {}

std::vector<std::string> RunnerEpisode::Run(Fire fire) {
  constexpr int kBeyondSessionMs = 6500;
  constexpr int kBeyondTransactionMs = 62'000;
  Log(Name(fire));
  switch (fire) {
    case Fire::kKilled:
      Kill();
      break;
    case Fire::kStopped:
      Stop(kBeyondSessionMs + Draw(1500), {});
      break;
    case Fire::kOverslept:
      Stop(kBeyondTransactionMs + Draw(2000), {Status::FENCED, Status::TRANSACTION_UNKNOWN});
      break;
    case Fire::kTwoProcesses:
      TwoProcesses();
      break;
    case Fire::kZombie:
      Zombie();
      break;
    case Fire::kRebalanced:
      Rebalance();
      break;
    case Fire::kPartitionsAdded:
      AddPartitions();
      break;
    case Fire::kPoison:
      Poison();
      break;
    case Fire::kTooLarge:
      TooLarge();
      break;
    case Fire::kDiskFull:
      FillDisk();
      break;
    case Fire::kClockSetBack:
      SetClock();
      break;
    case Fire::kPasswordChanged:
      ChangePassword();
      break;
    case Fire::kNetworkCut:
      CutNetwork();
      break;
    case Fire::kNetworkSlow:
      SlowNetwork();
      break;
    case Fire::kRetention:
      Retain();
      break;
    case Fire::kMadeAgain:
      MakeAgain();
      break;
    case Fire::kBrokerKilled:
      KillBroker();
      break;
  }
  runner_.reset();
  subject_.reset();
  return violations_;
}

void RunnerEpisode::Violation(std::string sentence) {
  violations_.push_back(std::move(sentence));
  if (runner_ != nullptr) Log(absl::StrCat(runner_->Status().ShortDebugString(), runner_->Log()));
}

void RunnerEpisode::SleepUpTo(int ms) {
  const int drawn = Draw(ms + 1);
  Log(absl::StrCat("after ", drawn, " ms"));
  absl::SleepFor(absl::Milliseconds(drawn));
}

Subject::Shape RunnerEpisode::DrawShape() {
  constexpr int kIntervals[] = {20, 100, 100, 500};
  return {.in = 1 + Draw(4), .out = 1 + Draw(3), .commit_interval_ms = kIntervals[Draw(std::size(kIntervals))]};
}

void RunnerEpisode::Begin(const std::string& servers, int most_records) {
  constexpr int kMostBatch = 40;
  const Subject::Shape shape = DrawShape();
  subject_ = std::make_unique<Subject>(servers, name_, shape);
  const int there = Draw(most_records + 1);
  const int batch = 4 + Draw(kMostBatch);
  Log(absl::StrCat(shape.in, " to ", shape.out, " partitions, a commit each ", shape.commit_interval_ms, " ms, ", there,
                   " records and then ", batch, " at a time"));
  if (there > 0) subject_->Produce(subject_->FedRecords(there));
  subject_->Feed(batch);
}

bool RunnerEpisode::StartUnderLoad() {
  Start();
  return Await(runner_.get(), "no transaction", [](const Status& s) { return s.transactions() > 0; });
}

bool RunnerEpisode::Await(RunnerProcess* runner, const std::string& what,
                          const std::function<bool(const Status&)>& wanted) {
  const absl::Time deadline = absl::Now() + kPatience;
  while (true) {
    const bool ended = runner->Poll().has_value();
    if (wanted(runner->Status())) return true;
    if (ended || absl::Now() > deadline) {
      Violation(absl::StrCat(
          what, ended ? ", and the runner has ended: " : " within a minute: ", runner->Status().ShortDebugString()));
      return false;
    }
    absl::SleepFor(kLook);
  }
}

std::optional<int> RunnerEpisode::AwaitEnd(RunnerProcess* runner, int64_t ms) {
  const absl::Time deadline = absl::Now() + absl::Milliseconds(ms);
  while (!runner->Poll().has_value()) {
    if (absl::Now() > deadline) {
      Violation(absl::StrCat("the runner does not end: ", runner->Status().ShortDebugString()));
      return std::nullopt;
    }
    absl::SleepFor(kLook);
  }
  return runner->Poll();
}

void RunnerEpisode::ExpectEnd(RunnerProcess* runner, const Reasons& reasons, int64_t ms) {
  const std::optional<int> exit_code = AwaitEnd(runner, ms);
  if (!exit_code.has_value()) return;
  const Status status = runner->Status();
  Log(absl::StrCat("ended with ", *exit_code, ", ", Status::Reason_Name(status.reason()), ": ", status.detail()));
  const bool early_abort = status.reason() == Status::INTERNAL && absl::StartsWith(status.detail(), "aborting ") &&
                           absl::StrContains(status.detail(), "INVALID_TXN_STATE");
  if (*exit_code != 3 || (reasons.count(status.reason()) == 0 && !early_abort)) {
    Violation("ended for another reason");
  }
}

std::vector<int64_t> RunnerEpisode::CommittedByStatus() const {
  const Status status = runner_->Status();
  std::vector<int64_t> committed(static_cast<size_t>(subject_->in()), -1);
  for (const auto& one : status.partitions()) committed.at(static_cast<size_t>(one.partition())) = one.committed();
  return committed;
}

void RunnerEpisode::ExpectStop(Status::Reason reason, const Record& record, const std::vector<Record>& input) {
  ExpectEnd(runner_.get(), {reason});
  if (!Good()) return;
  const Status::Stop stop = runner_->Status().stop();
  if (stop.topic() != subject_->input() || stop.partition() != record.partition || stop.offset() != record.offset) {
    return Violation("another stop is named: " + stop.ShortDebugString());
  }
  const size_t partition = static_cast<size_t>(record.partition);
  const std::vector<int64_t> committed = CommittedByStatus();
  if (committed[partition] != record.offset) {
    return Violation(absl::StrCat("offset ", committed[partition], " is committed, not ", record.offset));
  }
  if (!subject_->AwaitCommitted(committed)) {
    return Violation(absl::StrCat("the broker has other offsets: ", absl::StrJoin(subject_->Committed(), ", "),
                                  ", not ", absl::StrJoin(committed, ", ")));
  }
  if (std::string difference = subject_->Difference(input, committed); !difference.empty()) Violation(difference);
}

void RunnerEpisode::Finish(const Reasons& reasons) {
  if (!Good()) return;
  subject_->EndFeeding();
  const std::vector<Record> input = subject_->Input();
  FinishWith(input, Ends(input, subject_->in()), reasons);
}

bool RunnerEpisode::ReadAll(const std::vector<int64_t>& ends, const Reasons& reasons) {
  const absl::Time deadline = absl::Now() + kToTheEnd;
  for (int starts = 0; absl::Now() < deadline; absl::SleepFor(kLook)) {
    if (runner_ == nullptr || runner_->Poll().has_value()) {
      if (runner_ != nullptr) ExpectEnd(runner_.get(), reasons);
      if (!Good()) return false;
      if (++starts > kMostStarts) break;
      Start();
    }
    if (runner_->Status().state() == Status::RUNNING && CommittedByStatus() == ends) return true;
  }
  Violation("it does not read on to the end of its input, which is at " + absl::StrJoin(ends, ", "));
  return false;
}

void RunnerEpisode::FinishWith(const std::vector<Record>& input, const std::vector<int64_t>& ends,
                               const Reasons& reasons) {
  if (!Good() || !ReadAll(ends, reasons)) return;
  runner_->Signal(SIGTERM);
  const std::optional<int> exit_code = AwaitEnd(runner_.get(), kCloseMs);
  if (!exit_code.has_value()) return;
  if (*exit_code != 0) return Violation(absl::StrCat("closing ended with ", *exit_code));
  if (!subject_->AwaitCommitted(ends)) Violation("the broker has other offsets than the end of the input");
  if (std::string difference = subject_->Difference(input, ends); !difference.empty()) Violation(difference);
  records_ = static_cast<int64_t>(input.size());
}

}  // namespace st::e2e
