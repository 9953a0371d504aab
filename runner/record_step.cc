#include "runner/record_step.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "lib/diag/diag.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::runner {
namespace {

constexpr size_t kColumnBytes = 128;
// What the client library keeps for a record or header besides its bytes, about.
constexpr size_t kOverheadBytes = 128;

v1::RunnerStatus::Stop StopAt(const std::string& topic, const rd_kafka_message_t& message) {
  v1::RunnerStatus::Stop stop;
  stop.set_topic(topic);
  stop.set_partition(message.partition);
  stop.set_offset(message.offset);
  return stop;
}

// 0 and -1 are "none" in Kafka's protocol; the record then gets the time of writing.
int64_t TimestampOf(const rd_kafka_message_t& message) {
  rd_kafka_timestamp_type_t type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
  const int64_t timestamp = rd_kafka_message_timestamp(&message, &type);
  return timestamp > 0 ? timestamp : 0;
}

size_t HeaderBytes(const rd_kafka_headers_t* headers) {
  size_t bytes = 0;
  if (headers == nullptr) return bytes;
  const char* name = nullptr;
  const void* value = nullptr;
  size_t size = 0;
  for (size_t i = 0; rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; ++i) {
    bytes += kOverheadBytes + size;
  }
  return bytes;
}

}  // namespace

RecordStep::RecordStep(const v1::RecordPlan& plan, std::shared_ptr<const record::Program> program,
                       int output_partitions, Transaction* transaction)
    : input_topic_(plan.input_topic()),
      executor_(std::move(program)),
      partitioner_(output_partitions, static_cast<uint32_t>(Pulse::NowMs())),
      transaction_(transaction) {
  // Names may be escaped (six bytes for one), a column may be projected more than once; a value never grows.
  absl::flat_hash_map<std::string, size_t> uses;
  fixed_bytes_ = 2;
  for (const auto& projection : plan.projections()) {
    fixed_bytes_ += 6 * projection.name().size() + 4;
    value_factor_ = std::max(value_factor_, ++uses[projection.column()]);
  }
}

Taken RecordStep::Take(rd_kafka_message_t* message, Failure* why) {
  if (!transaction_->refusals().idle()) {
    if (auto code = transaction_->refusals().Convicted(message->partition, message->offset)) {
      *why = Refused(*message, *code);
      return Taken::kStop;
    }
  }
  if (message->payload == nullptr) {
    ++transaction_->tally().open.in;
    ++transaction_->tally().open.tombstones;
    return Taken::kDone;
  }
  std::string* out = transaction_->arena().Room(fixed_bytes_ + value_factor_ * message->len);
  const size_t begin = out->size();
  record::Fault fault;
  switch (executor_.Run({static_cast<const char*>(message->payload), message->len}, out, &fault)) {
    case record::Outcome::kPoison:
      *why = Poison(*message, fault);
      return Taken::kStop;
    case record::Outcome::kFiltered:
      ++transaction_->tally().open.in;
      ++transaction_->tally().open.filtered;
      return Taken::kDone;
    case record::Outcome::kPass:
      break;
  }
  Taken taken = Send(message, std::string_view(*out).substr(begin), why);
  if (taken == Taken::kDone) {
    ++transaction_->tally().open.in;
    ++transaction_->tally().open.out;
  }
  return taken;
}

Taken RecordStep::Send(rd_kafka_message_t* message, std::string_view value, Failure* why) {
  if (auto failure = transaction_->Open()) {
    *why = *std::move(failure);
    return Taken::kFailed;
  }
  kafka::OutputRecord output{.value = value,
                             .key = message->key,
                             .key_size = message->key_len,
                             .timestamp_ms = TimestampOf(*message),
                             .mark = MarkOf(message->partition, message->offset)};
  output.partition = message->key != nullptr
                         ? partitioner_.ForKey({static_cast<const char*>(message->key), message->key_len})
                         : partitioner_.WithoutKey(value.size());
  const auto headers = rd_kafka_message_detach_headers(message, &output.headers);
  if (headers != RD_KAFKA_RESP_ERR_NO_ERROR && headers != RD_KAFKA_RESP_ERR__NOENT) {
    *why = {.detail = absl::StrCat("the headers of the record at partition ", message->partition, ", offset ",
                                   message->offset, " cannot be read (", kafka::ErrorName(headers), ")"),
            .stop = StopAt(input_topic_, *message)};
    return Taken::kStop;
  }
  transaction_->arena().Charge(kOverheadBytes + message->key_len + HeaderBytes(output.headers));
  const Taken taken = transaction_->refusals().idle() ? Taken::kDone : Separate(*message, why);
  transaction_->producer().Stage(output);
  return taken;
}

// Keeps groups of suspects apart: all that was sent before is written before the next group begins.
Taken RecordStep::Separate(const rd_kafka_message_t& message, Failure* why) {
  const RefusalSearch& refusals = transaction_->refusals();
  const bool is_suspect = refusals.IsSuspect(message.partition, message.offset);
  Taken taken = Taken::kDone;
  if (is_suspect != (grouped_ > 0) || grouped_ >= refusals.GroupSize()) {
    taken = Flush(why);
    grouped_ = 0;
  }
  if (is_suspect) ++grouped_;
  return taken;
}

// All that was staged before is written then.
Taken RecordStep::Flush(Failure* why) {
  if (!transaction_->SendStaged(&why->detail)) return Taken::kAbort;
  const int64_t begun = Pulse::NowMs();
  kafka::TxnResult flushed;
  do {
    transaction_->pulse().Beat();
    flushed = transaction_->producer().Flush(kSliceMs);
  } while (flushed.outcome == kafka::TxnOutcome::kRetry && !transaction_->pulse().Expired(begun));
  if (flushed.outcome == kafka::TxnOutcome::kOk && transaction_->producer().failures().empty()) return Taken::kDone;
  why->detail = absl::StrCat("writing failed: ", flushed.error);
  return Taken::kAbort;
}

Failure RecordStep::Poison(const rd_kafka_message_t& message, const record::Fault& fault) const {
  Failure failure{.reason = v1::RunnerStatus::POISON_RECORD, .stop = StopAt(input_topic_, message)};
  const auto kind = static_cast<v1::FaultKind>(fault.kind);
  failure.stop.set_fault(kind);
  const std::string column = diag::Visible(fault.column, kColumnBytes);
  failure.stop.set_column(column);
  failure.detail =
      absl::StrCat("the record at topic ", input_topic_, ", partition ", message.partition, ", offset ", message.offset,
                   " is poison: ", v1::FaultKind_Name(kind), column.empty() ? "" : absl::StrCat(" at `", column, "`"));
  return failure;
}

Failure RecordStep::Refused(const rd_kafka_message_t& message, rd_kafka_resp_err_t code) const {
  Failure failure{.reason = v1::RunnerStatus::OUTPUT_REFUSED, .stop = StopAt(input_topic_, message)};
  failure.stop.set_broker_code(std::string(kafka::ErrorName(code)));
  failure.detail =
      absl::StrCat("the broker refuses what the record at topic ", input_topic_, ", partition ", message.partition,
                   ", offset ", message.offset, " gives: ", rd_kafka_err2str(code), " (", kafka::ErrorName(code), ")");
  return failure;
}

}  // namespace st::runner
