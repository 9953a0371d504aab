#include "lib/kafka/producer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/kafka/partition_list.h"

namespace st::kafka {
namespace {

// librdkafka's bounds of message.max.bytes, and the batch size from which more does not pay.
constexpr int64_t kMinMessageBytes = 1000;
constexpr int64_t kMaxMessageBytes = 1000000000;
constexpr int64_t kBatchBytes = 1000000;

void AddFixedSettings(const ProducerSettings& ours, Settings* settings) {
  const int64_t largest = std::max<int64_t>(ours.max_batch_bytes, 1);
  settings->Set("transactional.id", ours.transactional_id)
      .Set("transaction.timeout.ms", absl::StrCat(ours.transaction_timeout_ms))
      .Set("delivery.report.only.error", "true")
      .Set("compression.type", "none")
      .Set("message.max.bytes", absl::StrCat(std::clamp(largest, kMinMessageBytes, kMaxMessageBytes)))
      .Set("batch.size", absl::StrCat(std::min(largest, kBatchBytes)));
}

// Found by measuring (e2e/bench). The end of a transaction does not wait for `linger.ms`.
void AddSpeedSettings(Settings* settings) {
  settings->Set("linger.ms", "20").Set("retry.backoff.ms", "1").Set("queue.buffering.max.messages", "1000000");
}

}  // namespace

Producer::~Producer() {
  Unstage();
  if (topic_ != nullptr) rd_kafka_topic_destroy(topic_);
  // What is still queued belongs to a transaction that nobody commits; waiting for its delivery would be for nothing.
  if (handle_ != nullptr) rd_kafka_purge(handle_.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  handle_.reset();
}

absl::StatusOr<std::unique_ptr<Producer>> Producer::Open(const Properties& properties, const ProducerSettings& ours) {
  auto producer = std::unique_ptr<Producer>(new Producer());
  producer->one_by_one_ = ours.one_by_one;
  Settings settings;
  AddSpeedSettings(&settings);
  settings.SetAll(properties);
  AddFixedSettings(ours, &settings);
  auto handle = settings.Open(RD_KAFKA_PRODUCER, producer.get());
  if (!handle.ok()) return handle.status();
  producer->handle_ = *std::move(handle);
  producer->topic_ = rd_kafka_topic_new(producer->handle_.get(), ours.topic.c_str(), nullptr);
  if (producer->topic_ == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("the client library refuses the topic: ", rd_kafka_err2str(rd_kafka_last_error())));
  }
  return producer;
}

// Takes the error over.
TxnResult Producer::Ended(rd_kafka_error_t* error) const {
  if (error == nullptr) return {};
  rd_kafka_resp_err_t code = rd_kafka_error_code(error);
  char fatal_text[512] = "";
  const bool fatal = rd_kafka_error_is_fatal(error) != 0 || code == RD_KAFKA_RESP_ERR__FATAL;
  // The handle knows the reason behind _FATAL.
  if (fatal) {
    auto reason = rd_kafka_fatal_error(handle_.get(), fatal_text, sizeof(fatal_text));
    if (reason != RD_KAFKA_RESP_ERR_NO_ERROR && code == RD_KAFKA_RESP_ERR__FATAL) code = reason;
  }
  TxnResult result{.outcome = ClassifyTxn(code, fatal, rd_kafka_error_txn_requires_abort(error) != 0,
                                          rd_kafka_error_is_retriable(error) != 0),
                   .error = absl::StrCat(rd_kafka_error_string(error), " (", ErrorName(code), ")",
                                         RunnerRight(code, Denied::kWriting))};
  rd_kafka_error_destroy(error);
  return result;
}

TxnResult Producer::Init(int timeout_ms) { return Ended(rd_kafka_init_transactions(handle_.get(), timeout_ms)); }

TxnResult Producer::Begin() { return Ended(rd_kafka_begin_transaction(handle_.get())); }

TxnResult Producer::Flush(int timeout_ms) {
  // The client looks for the end every 10 ms only, as successes are not reported. Most flushes take a few milliseconds,
  // so it is asked more often at first; each time wakes its threads.
  constexpr int kSlowMs = 10;
  auto code = RD_KAFKA_RESP_ERR__TIMED_OUT;
  for (int waited = 0; waited < timeout_ms && code == RD_KAFKA_RESP_ERR__TIMED_OUT;) {
    const int slice = std::clamp(waited / 4, 1, kSlowMs);
    code = rd_kafka_flush(handle_.get(), slice);
    waited += slice;
  }
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  return {.outcome = code == RD_KAFKA_RESP_ERR__TIMED_OUT ? TxnOutcome::kRetry : TxnOutcome::kFatal,
          .error = absl::StrCat(rd_kafka_err2str(code), " (", ErrorName(code), ")")};
}

TxnResult Producer::SendOffsets(const std::string& input_topic, const std::vector<Position>& positions,
                                const rd_kafka_consumer_group_metadata_t* metadata, int timeout_ms) {
  PartitionList list = MakePartitionList(input_topic, positions);
  return Ended(rd_kafka_send_offsets_to_transaction(handle_.get(), list.get(), metadata, timeout_ms));
}

TxnResult Producer::Commit(int timeout_ms) { return Ended(rd_kafka_commit_transaction(handle_.get(), timeout_ms)); }

TxnResult Producer::Abort(int timeout_ms) { return Ended(rd_kafka_abort_transaction(handle_.get(), timeout_ms)); }

// The library keeps the reason, and tells it to any call that does not fit the state: this one does so in every state
// of an open transaction, and sends nothing.
TxnResult Producer::WhyBroken() { return Ended(rd_kafka_begin_transaction(handle_.get())); }

void Producer::Staged::DropFirst(ptrdiff_t count) {
  messages.erase(messages.begin(), messages.begin() + count);
  timestamps.erase(timestamps.begin(), timestamps.begin() + count);
  headers.erase(headers.begin(), headers.begin() + count);
}

void Producer::Staged::Clear() {
  messages.clear();
  timestamps.clear();
  headers.clear();
  has_headers = false;
}

void Producer::Stage(const OutputRecord& record) {
  const auto partition = static_cast<size_t>(record.partition);
  if (partition >= staged_.size()) staged_.resize(partition + 1);
  Staged& staged = staged_[partition];
  rd_kafka_message_t& message = staged.messages.emplace_back();
  // librdkafka's messages have no const; it copies the key, and reads the value.
  message.payload = const_cast<char*>(record.value.data());
  message.len = record.value.size();
  message.key = const_cast<void*>(record.key);
  message.key_len = record.key_size;
  static_assert(sizeof(void*) == sizeof(record.mark));
  message._private = reinterpret_cast<void*>(record.mark);  // NOLINT(performance-no-int-to-ptr)
  staged.timestamps.push_back(record.timestamp_ms);
  staged.headers.push_back(record.headers);
  staged.has_headers |= record.headers != nullptr;
}

Producer::Sent Producer::Send() {
  for (size_t partition = 0; partition < staged_.size(); ++partition) {
    Staged& staged = staged_[partition];
    if (staged.messages.empty()) continue;
    const auto number = static_cast<int32_t>(partition);
    const size_t taken = one_by_one_ ? HandOverOneByOne(number, &staged) : HandOver(number, &staged);
    if (taken < staged.messages.size()) {
      const Sent sent{staged.messages[taken].err, reinterpret_cast<uint64_t>(staged.messages[taken]._private)};
      staged.DropFirst(static_cast<ptrdiff_t>(taken));
      if (sent.code != RD_KAFKA_RESP_ERR__QUEUE_FULL) Unstage();
      return sent;
    }
    staged.Clear();
  }
  return {};
}

void Producer::Unstage() {
  for (Staged& staged : staged_) {
    for (rd_kafka_headers_t* headers : staged.headers) {
      if (headers != nullptr) rd_kafka_headers_destroy(headers);
    }
    staged.Clear();
  }
}

// The client library takes many records at once with their timestamps and headers by a patch of ours
// (tools/dev/setup.d/librdkafka-batch-1.patch); others do not.
size_t Producer::HandOver(int32_t partition, Staged* staged) {
#ifdef RD_KAFKA_HAVE_PRODUCE_BATCH_FULL
  const int taken = rd_kafka_produce_batch_full(topic_, partition, staged->messages.data(), staged->timestamps.data(),
                                                staged->has_headers ? staged->headers.data() : nullptr,
                                                static_cast<int>(staged->messages.size()));
  return static_cast<size_t>(taken);
#else
  return HandOverOneByOne(partition, staged);
#endif
}

size_t Producer::HandOverOneByOne(int32_t partition, Staged* staged) {
  enum Argument : size_t { kTopic, kPartition, kValue, kKey, kTimestamp, kMark, kHeaders, kArguments };
  rd_kafka_vu_t arguments[kArguments];
  arguments[kTopic].vtype = RD_KAFKA_VTYPE_RKT;
  arguments[kTopic].u.rkt = topic_;
  arguments[kPartition].vtype = RD_KAFKA_VTYPE_PARTITION;
  arguments[kPartition].u.i32 = partition;
  arguments[kValue].vtype = RD_KAFKA_VTYPE_VALUE;
  arguments[kKey].vtype = RD_KAFKA_VTYPE_KEY;
  arguments[kTimestamp].vtype = RD_KAFKA_VTYPE_TIMESTAMP;
  arguments[kMark].vtype = RD_KAFKA_VTYPE_OPAQUE;
  arguments[kHeaders].vtype = RD_KAFKA_VTYPE_HEADERS;
  for (size_t i = 0; i < staged->messages.size(); ++i) {
    rd_kafka_message_t& message = staged->messages[i];
    arguments[kValue].u.mem = {message.payload, message.len};
    arguments[kKey].u.mem = {message.key, message.key_len};
    arguments[kTimestamp].u.i64 = staged->timestamps[i];
    arguments[kMark].u.ptr = message._private;
    arguments[kHeaders].u.headers = staged->headers[i];
    const size_t count = staged->headers[i] == nullptr ? kHeaders : kArguments;
    rd_kafka_error_t* error = rd_kafka_produceva(handle_.get(), arguments, count);
    if (error == nullptr) continue;
    message.err = rd_kafka_error_code(error);
    rd_kafka_error_destroy(error);
    return i;
  }
  return staged->messages.size();
}

void Producer::Serve(int timeout_ms) { rd_kafka_poll(handle_.get(), timeout_ms); }

void Producer::OnDeliveryFailure(const rd_kafka_message_t& message) {
  failures_.push_back({.code = message.err, .mark = reinterpret_cast<uint64_t>(message._private)});
}

}  // namespace st::kafka
