#include "runner/loop.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runner/new_partitions.h"

namespace st::runner {
namespace {

// Polling records one by one costs half of the speed; more than this at a time brings nothing.
constexpr size_t kBatch = 1000;
constexpr int kIdlePollMs = 100;
// Offsets move also when nothing is written: they are committed at least every 5 s.
constexpr int64_t kOffsetsMs = 2000;
constexpr int64_t kPublishMs = 250;
// A transaction that is this full ends before its time. The client library's queue holds more than that.
constexpr size_t kMostBytes = size_t{64} << 20;
constexpr int64_t kMostRecords = 400000;
constexpr int kLeaveMs = 3000;
// For committed offsets, on which an assignment waits.
constexpr int kAnswerMs = 15000;

std::string DescribeAssignment(const std::vector<int32_t>& partitions, const std::string& topic) {
  if (partitions.empty()) return absl::StrCat("has no partition of ", topic);
  return absl::StrCat("reads partition ", absl::StrJoin(partitions, ", "), " of ", topic);
}

}  // namespace

Loop::Loop(Parts parts)
    : parts_(std::move(parts)),
      transaction_(parts_.plan->input_topic(), parts_.consumer, parts_.producer, &ledger_, parts_.pulse, parts_.log),
      step_(*parts_.plan, parts_.program, parts_.expected.output_partitions, &transaction_),
      batch_(kBatch),
      settled_ms_(Pulse::NowMs()),
      named_(parts_.named) {
  transaction_.tally() = parts_.tally;
}

MaybeFailure Loop::Run() {
  while (!parts_.pulse->stop_requested()) {
    parts_.pulse->Beat();
    if (auto failure = Turn()) return failure;
  }
  return std::nullopt;
}

MaybeFailure Loop::Turn() {
  if (parts_.watch->alarmed()) return parts_.watch->Alarm();
  const size_t count = parts_.consumer->Poll(PollMs(), batch_.data(), batch_.size());
  if (auto failure = TakeBatch(count)) return failure;
  parts_.producer->Serve(0);
  if (!parts_.producer->failures().empty()) {
    if (auto failure = AbortFailed({})) return failure;
  }
  // Only here is everything that the client has handed out also processed.
  if (auto failure = CommitIfDue()) return failure;
  if (parts_.consumer->pending() != kafka::Rebalance::kNone) {
    if (auto failure = AnswerRebalance()) return failure;
  }
  if (Pulse::NowMs() - published_ms_ >= kPublishMs) Publish();
  return std::nullopt;
}

int Loop::PollMs() const {
  if (!transaction_.open()) return kIdlePollMs;
  const int64_t left = transaction_.opened_ms() + parts_.commit_interval_ms - Pulse::NowMs();
  return static_cast<int>(std::clamp<int64_t>(left, 0, kIdlePollMs));
}

MaybeFailure Loop::TakeBatch(size_t count) {
  MaybeFailure failure;
  bool go_on = true;
  for (size_t i = 0; i < count; ++i) {
    if (go_on && !failure.has_value()) failure = TakeMessage(batch_[i], &go_on);
  }
  std::string why;
  if (failure.has_value()) {
    parts_.producer->Unstage();
  } else if (!transaction_.SendStaged(&why)) {
    failure = AbortFailed(why);
  }
  // Their keys were staged where they are.
  for (size_t i = 0; i < count; ++i) rd_kafka_message_destroy(batch_[i]);
  return failure;
}

MaybeFailure Loop::AbortFailed(const std::string& why) {
  Failure failure;
  if (transaction_.AbortFailed(why, &failure) == Ended::kFailed) return failure;
  return AfterAbort();
}

// `go_on` becomes false when the rest of the batch is to be read again.
MaybeFailure Loop::TakeMessage(rd_kafka_message_t* message, bool* go_on) {
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) return ConsumeError(*message);
  if (!ledger_.Expects(message->partition, message->offset)) return std::nullopt;
  Failure why;
  switch (step_.Take(message, &why)) {
    case Taken::kDone:
      ledger_.Advance(message->partition, message->offset + 1, rd_kafka_message_leader_epoch(message));
      return std::nullopt;
    case Taken::kStop:
      *go_on = false;
      return StopBefore(*message, why);
    case Taken::kAbort:
      *go_on = false;
      return AbortFailed(why.detail);
    case Taken::kFailed:
      return why;
  }
  return why;
}

// What came before is committed, and the committed offset stands at the record, so that the next start meets it again.
// If that commit is aborted, reading goes on from the last one and comes here again.
MaybeFailure Loop::StopBefore(const rd_kafka_message_t& message, const Failure& why) {
  ledger_.Advance(message.partition, message.offset, rd_kafka_message_leader_epoch(&message));
  Failure failure;
  switch (transaction_.Commit(&failure)) {
    case Ended::kCommitted:
      return why;
    case Ended::kAborted:
      return AfterAbort();
    case Ended::kFailed:
      return failure;
  }
  return failure;
}

MaybeFailure Loop::ConsumeError(const rd_kafka_message_t& message) {
  const std::string where = message.rkt == nullptr ? "the group" : absl::StrCat("partition ", message.partition);
  const std::string text = absl::StrCat("reading ", where, ": ", rd_kafka_message_errstr(&message), " (",
                                        kafka::ErrorName(message.err), ")");
  switch (kafka::ClassifyConsume(message.err)) {
    case kafka::ConsumeFault::kPassing:
      parts_.log->Say(Level::kWarning, "reading", text);
      return std::nullopt;
    case kafka::ConsumeFault::kTopicGone:
      parts_.log->Say(Level::kWarning, "reading", text);
      parts_.watch->Suspect();
      return std::nullopt;
    case kafka::ConsumeFault::kNoPosition:
      // A topic that was made again has other offsets too: then that is the reason to name.
      parts_.watch->LookNow();
      if (parts_.watch->alarmed()) return parts_.watch->Alarm();
      return Failure{v1::RunnerStatus::OFFSET_MISSING, text};
    case kafka::ConsumeFault::kDenied:
      return Failure{v1::RunnerStatus::NOT_AUTHORIZED,
                     absl::StrCat(text, kafka::RunnerRight(message.err, kafka::Denied::kReading))};
    case kafka::ConsumeFault::kFatal:
      return Failure{v1::RunnerStatus::INTERNAL, text};
  }
  return Failure{v1::RunnerStatus::INTERNAL, text};
}

MaybeFailure Loop::CommitIfDue() {
  const int64_t now = Pulse::NowMs();
  if (transaction_.open()) {
    const bool full = transaction_.arena().UsedBytes() >= kMostBytes || transaction_.tally().open.out >= kMostRecords;
    if (full || now - transaction_.opened_ms() >= parts_.commit_interval_ms) return Commit();
    return std::nullopt;
  }
  if (now - settled_ms_ >= kOffsetsMs) return Commit();
  return std::nullopt;
}

MaybeFailure Loop::Commit() {
  if (parts_.watch->alarmed()) return parts_.watch->Alarm();
  Absorb();
  settled_ms_ = Pulse::NowMs();
  const bool moved = ledger_.HasUncommitted();
  const bool quiet = !transaction_.open() && !moved;
  const bool keep_alive = quiet && settled_ms_ - transaction_.ended_ms() >= parts_.keep_alive_ms;
  Failure failure;
  switch (keep_alive ? transaction_.KeepAlive(&failure) : transaction_.Commit(&failure)) {
    case Ended::kCommitted:
      if (moved) parts_.watch->Committed(ledger_.Positions());
      return std::nullopt;
    case Ended::kAborted:
      return AfterAbort();
    case Ended::kFailed:
      return failure;
  }
  return failure;
}

MaybeFailure Loop::AfterAbort() { return transaction_.Rewind(); }

void Loop::Absorb() {
  std::vector<kafka::Position> positions = ledger_.Positions();
  if (positions.empty()) return;
  parts_.consumer->Where(&positions);
  ledger_.Absorb(positions);
}

MaybeFailure Loop::AnswerRebalance() {
  switch (parts_.consumer->pending()) {
    case kafka::Rebalance::kAssign:
      return TakeAssignment();
    case kafka::Rebalance::kRevoke:
      return GiveUpAssignment(false);
    case kafka::Rebalance::kLost:
      return GiveUpAssignment(true);
    case kafka::Rebalance::kNone:
      break;
  }
  return std::nullopt;
}

MaybeFailure Loop::TakeAssignment() {
  if (parts_.consumer->metadata() == nullptr) {
    return Failure{v1::RunnerStatus::INTERNAL, "partitions were assigned without a group generation"};
  }
  std::vector<kafka::Position> positions;
  if (auto failure = AskPositions(parts_.consumer, parts_.expected, named_, parts_.consumer->pending_partitions(),
                                  kAnswerMs, &positions)) {
    return failure;
  }
  MaybeFailure failure;
  if (!StartFresh(&positions, &failure)) return failure;
  if (auto assigned = parts_.consumer->Assign(positions); !assigned.ok()) return FailureOf(assigned);
  ledger_.Assign(positions);
  for (const kafka::Position& position : positions) named_ = std::max(named_, position.partition + 1);
  parts_.watch->Committed(positions);
  parts_.log->Say(Level::kInfo, "assignment", DescribeAssignment(ledger_.assigned(), parts_.expected.input_topic));
  const std::string member_id = parts_.consumer->MemberId();
  parts_.status->Update([&](v1::RunnerStatus* status) { status->set_member_id(member_id); });
  Publish();
  if (running_) return std::nullopt;
  running_ = true;
  absl::Status written = parts_.status->Enter(v1::RunnerStatus::RUNNING);
  return written.ok() ? std::nullopt : MaybeFailure(FailureOf(written));
}

bool Loop::StartFresh(std::vector<kafka::Position>* positions, MaybeFailure* failure) {
  ledger_.Assign(*positions);
  std::vector<int32_t> fresh;
  for (kafka::Position& position : *positions) {
    if (position.offset >= 0) continue;
    fresh.push_back(position.partition);
    position.offset = 0;
    ledger_.Advance(position.partition, 0, position.leader_epoch);
  }
  if (fresh.empty()) return true;
  Failure failed;
  const Ended ended = transaction_.Commit(&failed);
  if (ended == Ended::kCommitted) {
    parts_.log->Say(Level::kInfo, "new partitions",
                    absl::StrCat("takes over the new partition ", absl::StrJoin(fresh, ", "), " of ",
                                 parts_.expected.input_topic, " from offset 0"));
    return true;
  }
  ledger_.Clear();
  if (ended == Ended::kFailed) *failure = failed;
  return false;
}

MaybeFailure Loop::GiveUpAssignment(bool lost) {
  Failure failure;
  if (!lost) Absorb();
  const Ended ended = lost ? transaction_.Abort("the assignment was lost", &failure) : transaction_.Commit(&failure);
  if (ended == Ended::kFailed) return failure;
  parts_.log->Say(Level::kInfo, "assignment",
                  lost ? "its partitions were taken away" : "gives up its partitions, as the group asks");
  ledger_.Clear();
  Publish();
  absl::Status given_up = parts_.consumer->Unassign();
  return given_up.ok() ? std::nullopt : MaybeFailure(FailureOf(given_up));
}

MaybeFailure Loop::Close() {
  if (parts_.watch->alarmed()) return parts_.watch->Alarm();
  Absorb();
  Failure failure;
  if (transaction_.Commit(&failure) == Ended::kFailed) return failure;
  ledger_.DropUncommitted();
  Publish();
  const int64_t left = kCloseMs - kLeaveMs - parts_.pulse->SinceStopMs();
  absl::Status left_group = parts_.consumer->Close(static_cast<int>(std::max<int64_t>(left, kSliceMs)));
  if (left_group.ok()) return std::nullopt;
  return Failure{v1::RunnerStatus::CLOSE_TIMEOUT, std::string(left_group.message())};
}

void Loop::GiveUp(const Failure& failure) {
  // After a call of unknown outcome nothing more is begun on the producer.
  const bool producer_ends =
      failure.reason == v1::RunnerStatus::TRANSACTION_UNKNOWN || failure.reason == v1::RunnerStatus::FENCED ||
      failure.reason == v1::RunnerStatus::PRODUCER_EXPIRED || failure.reason == v1::RunnerStatus::BROKER_UNREACHABLE;
  if (transaction_.open() && !producer_ends) parts_.producer->Abort(kLeaveMs);
  ledger_.DropUncommitted();
  Publish();
  // The group is free at once for the next start.
  parts_.consumer->Close(kLeaveMs).IgnoreError();
}

void Loop::Publish() {
  published_ms_ = Pulse::NowMs();
  const Tally& tally = transaction_.tally();
  const std::vector<kafka::Position> positions = ledger_.Positions();
  parts_.status->SetCommits(tally.commit_times);
  parts_.status->Update([&](v1::RunnerStatus* status) {
    status->set_records_in(tally.committed.in);
    status->set_records_out(tally.committed.out);
    status->set_filtered(tally.committed.filtered);
    status->set_tombstones(tally.committed.tombstones);
    status->set_transactions(tally.transactions);
    status->set_transactions_aborted(tally.aborted);
    NamedPartitions before;
    before.Swap(status->mutable_partitions());
    for (const kafka::Position& position : positions) PublishPartition(position, status);
    KeepNamed(before, status->mutable_partitions());
  });
}

void Loop::PublishPartition(const kafka::Position& position, v1::RunnerStatus* status) const {
  kafka::Watermarks found;
  for (const kafka::Watermarks& marks : parts_.consumer->watermarks()) {
    if (marks.partition == position.partition) found = marks;
  }
  auto* partition = status->add_partitions();
  partition->set_partition(position.partition);
  partition->set_committed(ledger_.Committed(position.partition));
  partition->set_position(position.offset);
  partition->set_last_stable_offset(found.last_stable_offset);
  partition->set_high_watermark(found.high_watermark);
  // While nobody is there to tell, the input may grow unseen.
  const int64_t end = parts_.consumer->IsConnected() ? found.high_watermark : -1;
  partition->set_lag_records(ledger_.Lag(position.partition, end));
}

}  // namespace st::runner
