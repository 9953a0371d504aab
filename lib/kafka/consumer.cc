#include "lib/kafka/consumer.h"

#include <simdjson.h>

#include <charconv>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/kafka/fault.h"
#include "lib/kafka/partition_list.h"

namespace st::kafka {
namespace {

absl::Status Failed(std::string_view what, rd_kafka_resp_err_t code) {
  const std::string message = absl::StrCat(what, ": ", rd_kafka_err2str(code), " (", ErrorName(code), ")");
  if (ClassifyConsume(code) != ConsumeFault::kDenied) return absl::UnavailableError(message);
  return absl::PermissionDeniedError(absl::StrCat(message, RunnerRight(code, Denied::kReading)));
}

// Takes the error over.
absl::Status Failed(std::string_view what, rd_kafka_error_t* error) {
  absl::Status status = absl::UnavailableError(
      absl::StrCat(what, ": ", rd_kafka_error_string(error), " (", rd_kafka_error_name(error), ")"));
  rd_kafka_error_destroy(error);
  return status;
}

// Why these are not the user's to choose: docs/runner.md.
void AddFixedSettings(const std::string& group, Settings* settings) {
  settings->Set("group.id", group)
      .Set("group.protocol", "classic")
      .Set("partition.assignment.strategy", "range")
      .Set("session.timeout.ms", absl::StrCat(kSessionTimeoutMs))
      .Set("heartbeat.interval.ms", absl::StrCat(kSessionTimeoutMs / 3))
      .Set("enable.auto.commit", "false")
      .Set("enable.auto.offset.store", "false")
      .Set("auto.offset.reset", "error")
      .Set("isolation.level", "read_committed")
      .Set("enable.partition.eof", "false")
      .Set("check.crcs", "true")
      .Set("statistics.interval.ms", "1000");
}

// By default five minutes pass until new partitions are seen.
void AddRefreshSettings(Settings* settings) { settings->Set("topic.metadata.refresh.interval.ms", "10000"); }

// Found by measuring (e2e/bench). Read ahead a little only: with much queued, records fall out of the processor's cache
// before they are looked at.
void AddSpeedSettings(Settings* settings) {
  settings->Set("queued.min.messages", "20000")
      .Set("queued.max.messages.kbytes", "32768")
      .Set("fetch.queue.backoff.ms", "1")
      .Set("fetch.message.max.bytes", "262144");
}

}  // namespace

void GroupMetadataDeleter::operator()(rd_kafka_consumer_group_metadata_t* metadata) const {
  rd_kafka_consumer_group_metadata_destroy(metadata);
}

// The part of the client's statistics that we show; the parser keeps its buffers.
struct Consumer::StatisticsReader {
  simdjson::ondemand::parser parser;
  std::string padded;

  static int64_t Offset(simdjson::ondemand::object& object, std::string_view name) {
    int64_t value = -1;
    if (object[name].get_int64().get(value) != simdjson::SUCCESS || value < 0) return -1;
    return value;
  }

  void Read(std::string_view json, std::string_view topic, std::vector<Watermarks>* out) {
    padded.assign(json);
    padded.reserve(json.size() + simdjson::SIMDJSON_PADDING);
    simdjson::ondemand::document document;
    simdjson::ondemand::object partitions;
    if (parser.iterate(padded.data(), json.size(), padded.capacity()).get(document) != simdjson::SUCCESS) return;
    if (document["topics"][topic]["partitions"].get_object().get(partitions) != simdjson::SUCCESS) return;
    out->clear();
    for (auto field : partitions) {
      simdjson::ondemand::object object;
      std::string_view key;
      if (field.unescaped_key().get(key) != simdjson::SUCCESS) return;
      Watermarks marks;
      auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), marks.partition);
      if (error != std::errc() || end != key.data() + key.size()) return;
      if (field.value().get_object().get(object) != simdjson::SUCCESS) return;
      marks.high_watermark = Offset(object, "hi_offset");
      marks.last_stable_offset = Offset(object, "ls_offset");
      if (marks.partition >= 0) out->push_back(marks);
    }
  }
};

Consumer::Consumer(std::string topic) : topic_(std::move(topic)), statistics_(std::make_unique<StatisticsReader>()) {}

Consumer::~Consumer() {
  metadata_.reset();
  if (queue_ != nullptr) rd_kafka_queue_destroy(queue_);
  if (close_queue_ != nullptr) rd_kafka_queue_destroy(close_queue_);
  handle_.reset();
}

absl::StatusOr<std::unique_ptr<Consumer>> Consumer::Open(const Properties& properties, const std::string& group,
                                                         const std::string& topic) {
  auto consumer = std::unique_ptr<Consumer>(new Consumer(topic));
  Settings settings;
  AddSpeedSettings(&settings);
  AddRefreshSettings(&settings);
  settings.SetAll(properties);
  AddFixedSettings(group, &settings);
  auto handle = settings.Open(RD_KAFKA_CONSUMER, consumer.get());
  if (!handle.ok()) return handle.status();
  consumer->handle_ = *std::move(handle);
  // One queue for events and records.
  if (auto code = rd_kafka_poll_set_consumer(consumer->handle_.get()); code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return Failed("the consumer could not be set up", code);
  }
  consumer->queue_ = rd_kafka_queue_get_consumer(consumer->handle_.get());
  return consumer;
}

absl::Status Consumer::Subscribe() {
  PartitionList topics(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(topics.get(), topic_.c_str(), RD_KAFKA_PARTITION_UA);
  auto code = rd_kafka_subscribe(handle_.get(), topics.get());
  return code == RD_KAFKA_RESP_ERR_NO_ERROR ? absl::OkStatus() : Failed("the input could not be subscribed", code);
}

size_t Consumer::Poll(int timeout_ms, rd_kafka_message_t** out, size_t max) {
  // The batch call waits until the batch is full or the time is over, so it is not let wait for more than one.
  ssize_t count = rd_kafka_consume_batch_queue(queue_, 0, out, max);
  if (count == 0 && timeout_ms > 0 && pending_ == Rebalance::kNone) {
    count = rd_kafka_consume_batch_queue(queue_, timeout_ms, out, 1);
  }
  return count > 0 ? static_cast<size_t>(count) : 0;
}

void Consumer::OnRebalance(rd_kafka_resp_err_t what, const rd_kafka_topic_partition_list_t& partitions) {
  if (closing_) {
    rd_kafka_assign(handle_.get(), nullptr);
    return;
  }
  pending_partitions_.clear();
  for (int i = 0; i < partitions.cnt; ++i) pending_partitions_.push_back(partitions.elems[i].partition);
  if (what != RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
    pending_ = Lost() ? Rebalance::kLost : Rebalance::kRevoke;
    return;
  }
  pending_ = Rebalance::kAssign;
  metadata_.reset(rd_kafka_consumer_group_metadata(handle_.get()));
  if (metadata_ != nullptr && (rd_kafka_consumer_group_metadata_generation_id(metadata_.get()) < 0 ||
                               *rd_kafka_consumer_group_metadata_member_id(metadata_.get()) == '\0')) {
    metadata_.reset();
  }
}

void Consumer::OnStatistics(std::string_view json) { statistics_->Read(json, topic_, &watermarks_); }

absl::Status Consumer::Assign(const std::vector<Position>& positions) {
  PartitionList list = MakePartitionList(topic_, positions);
  auto code = rd_kafka_assign(handle_.get(), list.get());
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return Failed("the partitions could not be taken", code);
  pending_ = Rebalance::kNone;
  return absl::OkStatus();
}

absl::Status Consumer::Unassign() {
  metadata_.reset();
  auto code = rd_kafka_assign(handle_.get(), nullptr);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return Failed("the partitions could not be given up", code);
  pending_ = Rebalance::kNone;
  return absl::OkStatus();
}

std::string Consumer::MemberId() const {
  char* id = rd_kafka_memberid(handle_.get());
  if (id == nullptr) return {};
  std::string copy = id;
  rd_kafka_mem_free(handle_.get(), id);
  return copy;
}

bool Consumer::Lost() const { return rd_kafka_assignment_lost(handle_.get()) != 0; }

absl::StatusOr<std::vector<Position>> Consumer::Committed(const std::vector<int32_t>& partitions, int timeout_ms) {
  std::vector<Position> positions;
  positions.reserve(partitions.size());
  for (int32_t partition : partitions) positions.push_back({.partition = partition});
  PartitionList list = MakePartitionList(topic_, positions);
  // Stable offsets only: the client asks so with isolation.level=read_committed.
  auto code = rd_kafka_committed(handle_.get(), list.get(), timeout_ms);
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return Failed("the committed offsets could not be read", code);
  for (int i = 0; i < list->cnt; ++i) {
    const auto& entry = list->elems[i];
    if (entry.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return Failed(absl::StrCat("the committed offset of partition ", entry.partition, " could not be read"),
                    entry.err);
    }
    positions[static_cast<size_t>(i)] = {
        .partition = entry.partition,
        .offset = entry.offset < 0 ? -1 : entry.offset,
        .leader_epoch = rd_kafka_topic_partition_get_leader_epoch(&entry),
    };
  }
  return positions;
}

absl::StatusOr<std::vector<Position>> Consumer::Begins(const std::vector<int32_t>& partitions, int timeout_ms) {
  std::vector<Position> begins;
  begins.reserve(partitions.size());
  for (int32_t partition : partitions) {
    int64_t low = -1;
    int64_t high = -1;
    auto code = rd_kafka_query_watermark_offsets(handle_.get(), topic_.c_str(), partition, &low, &high, timeout_ms);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return Failed(absl::StrCat("where partition ", partition, " begins could not be asked"), code);
    }
    begins.push_back({.partition = partition, .offset = low});
  }
  return begins;
}

absl::Status Consumer::Seek(const std::vector<Position>& positions, int timeout_ms) {
  PartitionList list = MakePartitionList(topic_, positions);
  if (rd_kafka_error_t* error = rd_kafka_seek_partitions(handle_.get(), list.get(), timeout_ms)) {
    return Failed("the client could not go back to the committed offsets", error);
  }
  for (int i = 0; i < list->cnt; ++i) {
    const auto& entry = list->elems[i];
    if (entry.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return Failed(absl::StrCat("partition ", entry.partition, " could not go back to its committed offset"),
                    entry.err);
    }
  }
  return absl::OkStatus();
}

void Consumer::Where(std::vector<Position>* positions) const {
  PartitionList list = MakePartitionList(topic_, *positions);
  rd_kafka_position(handle_.get(), list.get());
  for (int i = 0; i < list->cnt; ++i) {
    const auto& entry = list->elems[i];
    const bool known = entry.err == RD_KAFKA_RESP_ERR_NO_ERROR && entry.offset >= 0;
    Position& position = (*positions)[static_cast<size_t>(i)];
    position.offset = known ? entry.offset : -1;
    position.leader_epoch = known ? rd_kafka_topic_partition_get_leader_epoch(&entry) : -1;
  }
}

absl::Status Consumer::Close(int timeout_ms) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  if (!closing_) {
    closing_ = true;
    metadata_.reset();
    // A rebalance that nobody answered would hold the close back.
    if (pending_ != Rebalance::kNone) rd_kafka_assign(handle_.get(), nullptr);
    // The client forwards its own queue to this one.
    close_queue_ = rd_kafka_queue_new(handle_.get());
    if (rd_kafka_error_t* error = rd_kafka_consumer_close_queue(handle_.get(), close_queue_)) {
      return Failed("the consumer could not be closed", error);
    }
  }
  while (rd_kafka_consumer_closed(handle_.get()) == 0) {
    constexpr int kSliceMs = 20;
    rd_kafka_message_t* message = nullptr;
    if (rd_kafka_consume_batch_queue(close_queue_, kSliceMs, &message, 1) > 0) rd_kafka_message_destroy(message);
    if (std::chrono::steady_clock::now() >= until && rd_kafka_consumer_closed(handle_.get()) == 0) {
      return absl::DeadlineExceededError("the group could not be left in time");
    }
  }
  return absl::OkStatus();
}

}  // namespace st::kafka
