#include "runner/transaction.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace st::runner {
namespace {

using kafka::TxnOutcome;

// So many aborts without a commit in between are no passing trouble.
constexpr int kMaxAborts = 20;
constexpr int kBackoffMs = 50;
constexpr int kAnswerMs = 15000;

}  // namespace

kafka::TxnResult Transaction::Insist(const Call& call) {
  int64_t begun = Pulse::NowMs();
  bool stopped = false;
  kafka::TxnResult result;
  do {
    pulse_->Beat();
    const int64_t called = Pulse::NowMs();
    result = call(kSliceMs);
    // The answer may say what became of the transaction meanwhile.
    if (!stopped && Pulse::NowMs() - called >= kStoppedMs) {
      stopped = true;
      begun = Pulse::NowMs();
    }
  } while (result.outcome == TxnOutcome::kRetry && !pulse_->Expired(begun));
  pulse_->Beat();
  return result;
}

Ended Transaction::Fail(Failure* failure, Failure value) {
  *failure = std::move(value);
  return Ended::kFailed;
}

MaybeFailure Transaction::Open() {
  if (open_) return std::nullopt;
  kafka::TxnResult begun = producer_->Begin();
  if (begun.outcome != TxnOutcome::kOk) return FailureOf(begun, "beginning a transaction");
  open_ = true;
  opened_ms_ = Pulse::NowMs();
  return std::nullopt;
}

bool Transaction::SendStaged(std::string* why) {
  const int64_t begun = Pulse::NowMs();
  kafka::Producer::Sent sent = producer_->Send();
  // The queue has room for more than one transaction, so this is rare.
  while (sent.code == RD_KAFKA_RESP_ERR__QUEUE_FULL && !pulse_->Expired(begun)) {
    constexpr int kRoomMs = 10;
    pulse_->Beat();
    producer_->Serve(kRoomMs);
    sent = producer_->Send();
  }
  if (sent.code == RD_KAFKA_RESP_ERR_NO_ERROR) return true;
  if (sent.code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) {
    // What comes before it is read again, and then the runner stops there.
    refusals_.Convict(PartitionOf(sent.mark), OffsetOf(sent.mark), sent.code);
  } else {
    // Once a record was refused, the library takes no more. Which one it was is among the reports, of which it has told
    // all when nothing is left to be sent.
    Insist([this](int ms) { return producer_->Flush(ms); });
  }
  *why = absl::StrCat("a record could not be written: ", rd_kafka_err2str(sent.code), " (", kafka::ErrorName(sent.code),
                      ")");
  return false;
}

Ended Transaction::Commit(Failure* failure) {
  const std::vector<kafka::Position> moved = ledger_->Uncommitted();
  if (!open_ && moved.empty()) return Ended::kCommitted;
  return CommitWith(moved, failure);
}

Ended Transaction::KeepAlive(Failure* failure) {
  if (ledger_->empty()) return Ended::kCommitted;
  return CommitWith(ledger_->Positions(), failure);
}

Ended Transaction::CommitWith(const std::vector<kafka::Position>& positions, Failure* failure) {
  // Brokers also take offsets from one who is no member any more, so this is looked at for offsets alone, too.
  if (consumer_->metadata() == nullptr || consumer_->Lost()) {
    return Abort("the partitions belong to another member of the group", failure);
  }
  if (auto failed = Open()) return Fail(failure, *failed);
  const int64_t begun_us = Pulse::NowUs();
  if (std::string why; !SendStaged(&why)) return AbortFailed(why, failure);
  kafka::TxnResult result = Insist([this](int ms) { return producer_->Flush(ms); });
  if (!producer_->failures().empty()) return AbortFailed({}, failure);
  if (result.outcome != TxnOutcome::kOk) return Fail(failure, FailureOf(result, "writing records"));
  if (!positions.empty()) {
    result = Insist([&](int ms) { return producer_->SendOffsets(input_topic_, positions, consumer_->metadata(), ms); });
    if (result.outcome == TxnOutcome::kAbort) return Abort(result.error, failure);
    if (result.outcome != TxnOutcome::kOk) return Fail(failure, FailureOf(result, "adding offsets to a transaction"));
  }
  result = Insist([this](int ms) { return producer_->Commit(ms); });
  if (result.outcome == TxnOutcome::kAbort || result.outcome == TxnOutcome::kRetry) {
    // The request may have been sent. The broker knows, and the next start reads it there.
    return Fail(failure, {.reason = v1::RunnerStatus::TRANSACTION_UNKNOWN,
                          .detail = absl::StrCat("whether a transaction was committed is not known: ", result.error)});
  }
  if (result.outcome != TxnOutcome::kOk) return Fail(failure, FailureOf(result, "committing"));
  open_ = false;
  ended_ms_ = Pulse::NowMs();
  aborts_ = 0;
  ledger_->MarkCommitted();
  tally_.Commit();
  tally_.commit_times.Add(ended_ms_, Pulse::NowUs() - begun_us);
  refusals_.Committed(ledger_->Positions());
  arena_.Reset();
  return Ended::kCommitted;
}

// What failed decides whether another try makes sense.
Ended Transaction::AbortFailed(const std::string& why, Failure* failure) {
  const std::vector<kafka::FailedDelivery> failures = producer_->failures();
  if (failures.empty()) return Abort(why, failure);
  std::string first;
  for (const kafka::FailedDelivery& one : failures) {
    const std::string text = absl::StrCat(rd_kafka_err2str(one.code), " (", kafka::ErrorName(one.code), ")");
    if (first.empty()) first = text;
    switch (kafka::ClassifyDelivery(one.code)) {
      case kafka::DeliveryFault::kDenied:
        return Fail(failure,
                    FailureOf({.outcome = TxnOutcome::kDenied,
                               .error = absl::StrCat(text, kafka::RunnerRight(one.code, kafka::Denied::kWriting))},
                              "writing records"));
      case kafka::DeliveryFault::kFenced:
        return Fail(failure, FailureOf({.outcome = TxnOutcome::kFenced, .error = text}, "writing records"));
      case kafka::DeliveryFault::kExpired:
        return Fail(failure, FailureOf({.outcome = TxnOutcome::kExpired, .error = text}, "writing records"));
      case kafka::DeliveryFault::kTopicGone:
        return Fail(failure, {.reason = v1::RunnerStatus::IDENTITY_MISMATCH,
                              .detail = absl::StrCat("the output topic is not there any more: ", text)});
      case kafka::DeliveryFault::kRefused:
      case kafka::DeliveryFault::kConsequence:
        break;
    }
  }
  // Records are purged, too, when the transaction was refused their partition: the transaction knows that, they do not.
  if (kafka::TxnResult broken = producer_->WhyBroken(); broken.outcome == TxnOutcome::kDenied) {
    return Fail(failure, FailureOf(broken, "writing records"));
  }
  // A search that gets further is no trouble that stays.
  if (refusals_.Note(failures)) --aborts_;
  return Abort(absl::StrCat("a record could not be written: ", first), failure);
}

Ended Transaction::Abort(const std::string& why, Failure* failure) {
  const bool was_open = std::exchange(open_, false);
  producer_->Unstage();
  if (was_open) {
    kafka::TxnResult result = Insist([this](int ms) { return producer_->Abort(ms); });
    if (result.outcome != TxnOutcome::kOk) {
      *failure = FailureOf(result, "aborting a transaction");
      absl::StrAppend(&failure->detail, "; it was to be aborted because ", why);
      return Ended::kFailed;
    }
    ++tally_.aborted;
  }
  log_->Say(Level::kWarning, "abort",
            absl::StrCat(was_open ? "a transaction was aborted: " : "nothing is committed: ", why));
  producer_->ClearFailures();
  tally_.Abort();
  arena_.Reset();
  if (!was_open) return Ended::kAborted;
  if (++aborts_ >= kMaxAborts) {
    return Fail(failure,
                {.reason = v1::RunnerStatus::INTERNAL,
                 .detail = absl::StrCat(aborts_, " transactions in a row were aborted, the last one because ", why)});
  }
  producer_->Serve(aborts_ * kBackoffMs);
  return Ended::kAborted;
}

MaybeFailure Transaction::Rewind() {
  ledger_->DropUncommitted();
  const std::vector<int32_t> partitions = ledger_->assigned();
  if (partitions.empty() || consumer_->Lost()) {
    ledger_->Clear();
    return std::nullopt;
  }
  pulse_->Beat();
  auto committed = consumer_->Committed(partitions, kAnswerMs);
  if (!committed.ok()) return FailureOf(committed.status());
  for (const kafka::Position& position : *committed) {
    if (position.offset >= 0) continue;
    return Failure{.reason = v1::RunnerStatus::OFFSET_MISSING,
                   .detail = absl::StrCat("partition ", position.partition, " has no committed offset any more")};
  }
  pulse_->Beat();
  if (auto sought = consumer_->Seek(*committed, kAnswerMs); !sought.ok()) return FailureOf(sought);
  ledger_->Assign(*committed);
  return std::nullopt;
}

}  // namespace st::runner
