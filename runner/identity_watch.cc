#include "runner/identity_watch.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "lib/diag/diag.h"
#include "runner/pulse.h"

namespace st::runner {
namespace {

constexpr int64_t kFlowingMs = 1000;
constexpr int64_t kLookNowMs = 10'000;
constexpr int64_t kIdleMs = 60'000;
constexpr int kAnswerMs = 10'000;
constexpr int64_t kBrokerMs = 200;

}  // namespace

std::string DescribeDoubt(const std::vector<kafka::Position>& good, const std::vector<kafka::Position>& now) {
  std::vector<std::string> ranges;
  for (const kafka::Position& position : now) {
    auto before = std::find_if(good.begin(), good.end(),
                               [&](const kafka::Position& p) { return p.partition == position.partition; });
    if (before == good.end() || before->offset >= position.offset) continue;
    ranges.push_back(absl::StrCat("partition ", position.partition, " from offset ", before->offset, " to before ",
                                  position.offset));
  }
  return absl::StrJoin(ranges, ", ");
}

std::string DescribeTrouble(const absl::Status& answer, std::string_view known) {
  if (absl::IsDeadlineExceeded(answer)) return absl::StrCat("no answer from the broker: ", known);
  // Parts of it come from brokers.
  return diag::Visible(answer.message());
}

IdentityWatch::IdentityWatch(Expected expected, kafka::Producer* producer, StatusFile* status, Log* log)
    : expected_(std::move(expected)),
      producer_(producer),
      status_(status),
      log_(log),
      asked_ms_(Pulse::NowMs()),
      thread_([this] { Watch(); }) {}

IdentityWatch::~IdentityWatch() {
  {
    absl::MutexLock lock(&mu_);
    stop_ = true;
    changed_.SignalAll();
  }
  thread_.join();
}

void IdentityWatch::Committed(const std::vector<kafka::Position>& positions) {
  absl::MutexLock lock(&mu_);
  // What was assigned is where the topics were last known to be the right ones.
  if (good_.empty()) good_ = positions;
  committed_ = positions;
  if (!moved_) changed_.SignalAll();
  moved_ = true;
}

void IdentityWatch::Suspect() {
  absl::MutexLock lock(&mu_);
  if (!suspect_) changed_.SignalAll();
  suspect_ = true;
}

void IdentityWatch::LookNow() {
  const int64_t deadline = Pulse::NowMs() + kLookNowMs;
  absl::MutexLock lock(&mu_);
  const int64_t wanted = answers_ + 2;
  while (!alarmed() && answers_ < wanted && Pulse::NowMs() < deadline) {
    suspect_ = true;
    changed_.SignalAll();
    changed_.WaitWithTimeout(&mu_, absl::Milliseconds(100));
  }
}

Failure IdentityWatch::Alarm() const {
  absl::MutexLock lock(&mu_);
  return alarm_;
}

bool IdentityWatch::AwaitTurn() {
  absl::MutexLock lock(&mu_);
  while (!stop_) {
    const int64_t due = asked_ms_ + (moved_ || suspect_ ? kFlowingMs : kIdleMs);
    const int64_t wait = due - Pulse::NowMs();
    if (wait <= 0) break;
    changed_.WaitWithTimeout(&mu_, absl::Milliseconds(wait));
  }
  asked_ms_ = Pulse::NowMs();
  moved_ = false;
  suspect_ = false;
  return !stop_;
}

// A question that waits for a connection lets the client library try to connect again and again without a pause (its
// admin requests ask for one on each change of a connection's state, which overrides the back-off): a whole core, for
// as long as the question lives. So nothing is asked while nobody is there; the library connects by itself all the
// same.
bool IdentityWatch::AwaitBroker() {
  while (!producer_->IsConnected()) {
    NoteTrouble(absl::DeadlineExceededError(""));
    absl::MutexLock lock(&mu_);
    if (stop_) return false;
    changed_.WaitWithTimeout(&mu_, absl::Milliseconds(kBrokerMs));
  }
  return true;
}

void IdentityWatch::Watch() {
  constexpr int kSlice = 100;
  kafka::TopicProbe probe(producer_->handle(), {expected_.input_topic, expected_.output_topic});
  while (AwaitTurn() && AwaitBroker()) {
    std::vector<kafka::Position> asked;
    {
      absl::MutexLock lock(&mu_);
      asked = committed_;
    }
    probe.Ask(kAnswerMs);
    std::optional<absl::StatusOr<std::vector<kafka::TopicIdentity>>> topics;
    while (!topics.has_value()) {
      topics = probe.Take(kSlice);
      absl::MutexLock lock(&mu_);
      if (stop_) return;
    }
    Judge(*topics, asked);
    if (alarmed()) return;
  }
}

// Nothing may be concluded from it; the status says what there is.
void IdentityWatch::NoteTrouble(const absl::Status& answer) {
  const std::string trouble = DescribeTrouble(answer, producer_->Trouble());
  status_->Update([&](v1::RunnerStatus* status) { status->set_detail(trouble); });
  if (!std::exchange(silent_, true)) log_->Say(Level::kWarning, "broker", trouble);
}

void IdentityWatch::NoteAnswer() {
  status_->Update([](v1::RunnerStatus* status) { status->clear_detail(); });
  if (std::exchange(silent_, false)) log_->Say(Level::kInfo, "broker", "the broker answers again");
}

void IdentityWatch::Judge(const absl::StatusOr<std::vector<kafka::TopicIdentity>>& topics,
                          const std::vector<kafka::Position>& asked) {
  if (!topics.ok()) return NoteTrouble(topics.status());
  NoteAnswer();
  auto failure = CheckTopics(expected_, *topics);
  absl::MutexLock lock(&mu_);
  ++answers_;
  changed_.SignalAll();
  if (!failure.has_value()) {
    good_ = asked;
    return;
  }
  if (std::string doubt = DescribeDoubt(good_, committed_); !doubt.empty()) {
    absl::StrAppend(&failure->detail, "; input committed since the last good look is in doubt: ", doubt);
  }
  alarm_ = *std::move(failure);
  alarmed_.store(true, std::memory_order_release);
}

}  // namespace st::runner
