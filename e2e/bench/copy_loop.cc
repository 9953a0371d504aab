#include "e2e/bench/copy_loop.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string_view>
#include <vector>

#include "lib/base/clock.h"
#include "lib/kafka/consumer.h"
#include "lib/kafka/producer.h"

namespace st::e2e {
namespace {

constexpr size_t kBatch = 1000;
constexpr int kPollMs = 100;
constexpr int kCallMs = 30000;
constexpr size_t kPieceBytes = size_t{1} << 20;

std::atomic<bool> g_stop{false};

class CopyLoop {
 public:
  explicit CopyLoop(const CopyFlags& flags) : flags_(flags), batch_(kBatch) {
    const kafka::Properties properties = {{"bootstrap.servers", flags.servers}};
    producer_ = *kafka::Producer::Open(properties, {.transactional_id = flags.application_id, .topic = flags.output});
    consumer_ = *kafka::Consumer::Open(properties, flags.application_id, flags.input);
  }

  int Run() {
    if (!Good(producer_->Init(kCallMs), "init")) return 1;
    if (!consumer_->Subscribe().ok()) return 1;
    while (!g_stop) {
      const size_t count = consumer_->Poll(kPollMs, batch_.data(), batch_.size());
      for (size_t i = 0; i < count; ++i) {
        if (batch_[i]->err == RD_KAFKA_RESP_ERR_NO_ERROR && !Copy(batch_[i])) return 1;
        rd_kafka_message_destroy(batch_[i]);
      }
      if (open_ && base::RealClock().MonotonicMs() - opened_ms_ >= flags_.commit_interval_ms && !Commit()) return 1;
      if (!Rebalance()) return 1;
    }
    const bool ended = !open_ || Commit();
    return ended && consumer_->Close(kCallMs).ok() ? 0 : 1;
  }

 private:
  static bool Good(const kafka::TxnResult& result, const char* what) {
    if (result.outcome == kafka::TxnOutcome::kOk) return true;
    std::fprintf(stderr, "%s: %s\n", what, result.error.c_str());
    return false;
  }

  bool Copy(rd_kafka_message_t* message) {
    if (!open_) {
      if (!Good(producer_->Begin(), "begin")) return false;
      open_ = true;
      opened_ms_ = base::RealClock().MonotonicMs();
    }
    kafka::OutputRecord output{.partition = 0,
                               .value = Keep(message),
                               .key = message->key,
                               .key_size = message->key_len,
                               .mark = static_cast<uint64_t>(message->offset)};
    rd_kafka_timestamp_type_t type;
    output.timestamp_ms = rd_kafka_message_timestamp(message, &type);
    rd_kafka_message_detach_headers(message, &output.headers);
    while (true) {
      auto code = producer_->Produce(output);
      if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return true;
      if (code != RD_KAFKA_RESP_ERR__QUEUE_FULL) return false;
      producer_->Serve(10);
    }
  }

  // Values live until the commit.
  std::string_view Keep(const rd_kafka_message_t* message) {
    if (piece_ == pieces_.size() || pieces_[piece_].size() + message->len > kPieceBytes) {
      if (piece_ < pieces_.size()) ++piece_;
      if (piece_ == pieces_.size()) pieces_.emplace_back().reserve(kPieceBytes);
    }
    std::string& piece = pieces_[piece_];
    const size_t begin = piece.size();
    piece.append(static_cast<const char*>(message->payload), message->len);
    return std::string_view(piece).substr(begin);
  }

  bool Commit() {
    consumer_->Where(&positions_);
    bool good = Good(producer_->Flush(kCallMs), "flush") && producer_->failures().empty() &&
                Good(producer_->SendOffsets(flags_.input, positions_, consumer_->metadata(), kCallMs), "offsets") &&
                Good(producer_->Commit(kCallMs), "commit");
    open_ = false;
    for (std::string& piece : pieces_) piece.clear();
    piece_ = 0;
    return good;
  }

  bool Rebalance() {
    if (consumer_->pending() == kafka::Rebalance::kNone) return true;
    if (consumer_->pending() != kafka::Rebalance::kAssign) return false;
    auto committed = consumer_->Committed(consumer_->pending_partitions(), kCallMs);
    if (!committed.ok()) return false;
    positions_ = *committed;
    return consumer_->Assign(positions_).ok();
  }

  const CopyFlags flags_;
  std::vector<rd_kafka_message_t*> batch_;
  std::unique_ptr<kafka::Producer> producer_;
  std::unique_ptr<kafka::Consumer> consumer_;
  std::vector<kafka::Position> positions_;
  std::vector<std::string> pieces_;
  size_t piece_ = 0;
  bool open_ = false;
  int64_t opened_ms_ = 0;
};

}  // namespace

int RunCopyLoop(const CopyFlags& flags) {
  std::signal(SIGTERM, [](int) { g_stop = true; });
  return CopyLoop(flags).Run();
}

}  // namespace st::e2e
