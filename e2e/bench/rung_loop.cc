#include <atomic>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/log/absl_check.h"
#include "e2e/bench/ladder.h"
#include "lib/base/clock.h"
#include "lib/kafka/consumer.h"
#include "lib/kafka/producer.h"
#include "lib/record/record.h"

namespace st::e2e::bench {
namespace {

constexpr size_t kBatch = 1000;
constexpr int kPollMs = 100;
constexpr int kCallMs = 60000;
// One transaction may last a whole run. The most that brokers allow.
constexpr int kTransactionMs = 900000;
constexpr size_t kPieceBytes = size_t{1} << 20;

std::atomic<bool> g_stop{false};

// Output that stays where it is until it is written. Pieces keep their memory.
class Pieces {
 public:
  // A string with room for so many bytes more.
  std::string* Room(size_t bytes) {
    while (current_ < pieces_.size() && pieces_[current_].capacity() - pieces_[current_].size() < bytes) ++current_;
    if (current_ == pieces_.size()) pieces_.emplace_back().reserve(kPieceBytes);
    return &pieces_[current_];
  }
  void Clear() {
    for (std::string& piece : pieces_) piece.clear();
    current_ = 0;
  }

 private:
  std::vector<std::string> pieces_;
  size_t current_ = 0;
};

class RungLoop {
 public:
  explicit RungLoop(const RungFlags& flags)
      : flags_(flags), writes_(flags.rung >= Rung::kProduce), copies_(flags.rung == Rung::kCopy), batch_(kBatch) {
    const kafka::Properties properties = {{"bootstrap.servers", flags.servers}};
    consumer_ = *kafka::Consumer::Open(properties, flags.group, flags.input);
    const v1::RecordPlan plan = flags.rung == Rung::kDecode ? CheckOnlyPlanOf(flags.workload)
                                                            : PlanOf(flags.workload, flags.input, flags.output);
    executor_ = std::make_unique<record::Executor>(*record::Program::Compile(plan));
    if (!writes_) return;
    producer_ = *kafka::Producer::Open(
        properties, {.transactional_id = flags.group, .topic = flags.output, .transaction_timeout_ms = kTransactionMs});
  }

  bool Run() {
    if (writes_ && !Good(producer_->Init(kCallMs), "init")) return false;
    if (!consumer_->Subscribe().ok()) return false;
    while (!g_stop) {
      const size_t count = consumer_->Poll(kPollMs, batch_.data(), batch_.size());
      if (!TakeBatch(count)) return false;
      if (!EndTransactionIfDue(count == 0)) return false;
      if (!AnswerRebalance()) return false;
    }
    if (!CommitAll() || !consumer_->Close(kCallMs).ok()) return false;
    std::printf("\ncounted %lld %lld %lld\n", static_cast<long long>(counts_.in), static_cast<long long>(counts_.out),
                static_cast<long long>(counts_.out_bytes));
    return std::fflush(stdout) == 0;
  }

 private:
  static bool Good(const kafka::TxnResult& result, const char* what) {
    if (result.outcome == kafka::TxnOutcome::kOk) return true;
    std::fprintf(stderr, "%s: %s\n", what, result.error.c_str());
    return false;
  }

  bool TakeBatch(size_t count) {
    bool good = true;
    for (size_t i = 0; i < count; ++i) {
      if (good && batch_[i]->err == RD_KAFKA_RESP_ERR_NO_ERROR) good = Take(batch_[i]);
    }
    if (good && writes_) good = Send();
    // Their keys were staged where they are.
    for (size_t i = 0; i < count; ++i) rd_kafka_message_destroy(batch_[i]);
    return good;
  }

  bool Take(rd_kafka_message_t* message) {
    ++counts_.in;
    dirty_ = true;
    if (flags_.rung == Rung::kConsume) return true;
    std::string_view value(static_cast<const char*>(message->payload), message->len);
    if (copies_ && !Passes(TimestampOf(*message) - kFirstTimestampMs)) return true;
    // The columns in another order are as long as the value.
    std::string* out = pieces_.Room(value.size());
    const size_t begin = out->size();
    if (copies_) {
      out->append(value);
    } else {
      record::Fault fault;
      const record::Outcome outcome = executor_->Run(value, out, &fault);
      if (outcome == record::Outcome::kPoison) return false;
      if (outcome == record::Outcome::kFiltered) return true;
    }
    ++counts_.out;
    counts_.out_bytes += static_cast<int64_t>(out->size() - begin);
    if (writes_) return Stage(message, std::string_view(*out).substr(begin));
    out->resize(begin);
    return true;
  }

  static int64_t TimestampOf(const rd_kafka_message_t& message) {
    rd_kafka_timestamp_type_t type;
    return rd_kafka_message_timestamp(&message, &type);
  }

  // As the runner does it, but for the partition: the topics are partitioned alike, and a copy keeps its place.
  bool Stage(rd_kafka_message_t* message, std::string_view value) {
    if (!open_) {
      if (!Good(producer_->Begin(), "begin")) return false;
      open_ = true;
      opened_ms_ = base::RealClock().MonotonicMs();
    }
    kafka::OutputRecord output{.partition = message->partition,
                               .value = value,
                               .key = message->key,
                               .key_size = message->key_len,
                               .timestamp_ms = TimestampOf(*message),
                               .mark = static_cast<uint64_t>(message->offset)};
    rd_kafka_message_detach_headers(message, &output.headers);
    producer_->Stage(output);
    return true;
  }

  bool Send() {
    while (true) {
      const auto code = producer_->Send().code;
      if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return true;
      if (code != RD_KAFKA_RESP_ERR__QUEUE_FULL) return false;
      constexpr int kRoomMs = 10;
      producer_->Serve(kRoomMs);
    }
  }

  bool EndTransactionIfDue(bool idle) {
    if (idle) return CommitAll();
    if (!open_ || base::RealClock().MonotonicMs() - opened_ms_ < flags_.commit_interval_ms) return true;
    if (flags_.rung != Rung::kProduce) return CommitAll();
    opened_ms_ = base::RealClock().MonotonicMs();
    return Written();
  }

  bool Written() {
    const bool good = Good(producer_->Flush(kCallMs), "flush") && producer_->failures().empty();
    pieces_.Clear();
    return good;
  }

  // What was written, and where reading stands.
  bool CommitAll() {
    if (!dirty_) return true;
    dirty_ = false;
    consumer_->Where(&positions_);
    if (!open_) return CommitOffsets();
    open_ = false;
    return Written() &&
           Good(producer_->SendOffsets(flags_.input, positions_, consumer_->metadata(), kCallMs), "offsets") &&
           Good(producer_->Commit(kCallMs), "commit");
  }

  bool CommitOffsets() {
    rd_kafka_topic_partition_list_t* list = rd_kafka_topic_partition_list_new(kPartitions);
    for (const kafka::Position& position : positions_) {
      if (position.offset < 0) continue;
      rd_kafka_topic_partition_list_add(list, flags_.input.c_str(), position.partition)->offset = position.offset;
    }
    const auto code = rd_kafka_commit(consumer_->handle(), list, 0);
    rd_kafka_topic_partition_list_destroy(list);
    return code == RD_KAFKA_RESP_ERR_NO_ERROR;
  }

  // Alone in its group, it gets its partitions once and never gives them up.
  bool AnswerRebalance() {
    if (consumer_->pending() == kafka::Rebalance::kNone) return true;
    if (consumer_->pending() != kafka::Rebalance::kAssign) return false;
    auto committed = consumer_->Committed(consumer_->pending_partitions(), kCallMs);
    if (!committed.ok()) return false;
    positions_ = *committed;
    return consumer_->Assign(positions_).ok();
  }

  const RungFlags flags_;
  const bool writes_;
  const bool copies_;
  std::vector<rd_kafka_message_t*> batch_;
  std::unique_ptr<kafka::Consumer> consumer_;
  std::unique_ptr<kafka::Producer> producer_;
  std::unique_ptr<record::Executor> executor_;
  std::vector<kafka::Position> positions_;
  Pieces pieces_;
  RungCounts counts_;
  bool dirty_ = false;  // something was read since the last commit
  bool open_ = false;
  int64_t opened_ms_ = 0;
};

}  // namespace

int RunRung(const RungFlags& flags) {
  std::signal(SIGTERM, [](int) { g_stop = true; });
  return RungLoop(flags).Run() ? 0 : 1;
}

}  // namespace st::e2e::bench
