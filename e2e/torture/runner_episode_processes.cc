// Episodes in which processes are killed, stopped, doubled, or lose their partitions.
#include <csignal>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/torture/runner_episode.h"

namespace st::e2e {
namespace {

constexpr int kSomeRecords = 3000;

}  // namespace

void RunnerEpisode::Kill() {
  constexpr int kMostMs = 1500;
  constexpr int kStartMs = 400;
  Begin(brokers_.steady(), kSomeRecords);
  // Most while records flow, some while it starts.
  const bool starting = Draw(5) == 0;
  if (starting) {
    Start();
  } else if (!StartUnderLoad()) {
    return;
  }
  SleepUpTo(starting ? kStartMs : kMostMs);
  runner_->Signal(SIGKILL);
  const std::optional<int> ended = AwaitEnd(runner_.get(), 10'000);
  if (!ended.has_value()) return;
  if (*ended != -SIGKILL) return Violation(absl::StrCat("it ended with ", *ended, " before it was killed"));
  runner_.reset();
  Finish();
}

void RunnerEpisode::Stop(int64_t ms, const Reasons& reasons) {
  constexpr int kMostMs = 500;
  Begin(brokers_.steady(), kSomeRecords);
  if (!StartUnderLoad()) return;
  SleepUpTo(kMostMs);
  runner_->Signal(SIGSTOP);
  Log(absl::StrCat("stopped for ", ms, " ms"));
  absl::SleepFor(absl::Milliseconds(ms));
  runner_->Signal(SIGCONT);
  Finish(reasons);
}

void RunnerEpisode::TwoProcesses() {
  constexpr int kMostMs = 1500;
  Begin(brokers_.steady(), kSomeRecords);
  const std::unique_ptr<Model> other = subject_->Copy();
  Start();
  SleepUpTo(kMostMs);
  auto second = std::make_unique<RunnerProcess>(*other);
  const absl::Time deadline = absl::Now() + absl::Minutes(1);
  while (!runner_->Poll().has_value() && !second->Poll().has_value() && absl::Now() < deadline) {
    absl::SleepFor(absl::Milliseconds(10));
  }
  if (second->Poll().has_value()) std::swap(runner_, second);
  ExpectEnd(runner_.get(), {Status::FENCED, Status::TRANSACTION_UNKNOWN});
  runner_ = std::move(second);
  Finish();
}

void RunnerEpisode::Zombie() {
  constexpr int kMostMs = 500;
  Begin(brokers_.steady(), kSomeRecords);
  const std::unique_ptr<Model> other = subject_->Copy();
  if (!StartUnderLoad()) return;
  SleepUpTo(kMostMs);
  const std::unique_ptr<RunnerProcess> zombie = std::move(runner_);
  zombie->Signal(SIGSTOP);
  runner_ = std::make_unique<RunnerProcess>(*other);
  if (!Await(runner_.get(), "no transaction", [](const Status& s) { return s.transactions() > 0; })) return;
  SleepUpTo(kMostMs);
  zombie->Signal(SIGCONT);
  ExpectEnd(zombie.get(), {Status::FENCED, Status::TRANSACTION_UNKNOWN});
  Finish();
}

void RunnerEpisode::Rebalance() {
  constexpr int kMostMs = 700;
  Begin(brokers_.steady(), kSomeRecords);
  // A member of its own gets one of two or more.
  if (subject_->in() == 1) subject_->AddPartitions(1);
  if (!StartUnderLoad()) return;
  for (int round = Draw(2); round >= 0; --round) {
    SleepUpTo(kMostMs);
    Member member(brokers_.steady(), subject_->group(), subject_->input());
    member.AwaitAssignment();
    SleepUpTo(kMostMs);
  }
  Finish();
}

void RunnerEpisode::AddPartitions() {
  // It finds them within some ten seconds.
  constexpr int kMostMs = 12'000;
  Begin(brokers_.steady(), kSomeRecords);
  if (!StartUnderLoad()) return;
  subject_->AddPartitions(1 + Draw(2));
  SleepUpTo(kMostMs);
  if (Toss()) {
    runner_->Signal(SIGKILL);
    if (AwaitEnd(runner_.get(), 10'000) != -SIGKILL) return Violation("it ended before it was killed");
    runner_.reset();
  }
  Finish();
}

}  // namespace st::e2e
