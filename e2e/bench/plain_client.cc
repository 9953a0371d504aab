#include "e2e/bench/plain_client.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/log/absl_check.h"

namespace st::e2e::bench {
namespace {

constexpr int kTimeoutMs = 60000;
constexpr size_t kBatch = 1000;

struct ListDeleter {
  void operator()(rd_kafka_topic_partition_list_t* list) const { rd_kafka_topic_partition_list_destroy(list); }
};
using List = std::unique_ptr<rd_kafka_topic_partition_list_t, ListDeleter>;

List ListOf(const std::string& topic, int partitions) {
  List list(rd_kafka_topic_partition_list_new(partitions));
  for (int i = 0; i < partitions; ++i) rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), i);
  return list;
}

void Check(rd_kafka_resp_err_t code, const std::string& what) {
  ABSL_CHECK_EQ(code, RD_KAFKA_RESP_ERR_NO_ERROR) << what << ": " << rd_kafka_err2str(code);
}

void OnDelivery(rd_kafka_t* /*client*/, const rd_kafka_message_t* message, void* /*opaque*/) {
  Check(message->err, "writing");
}

}  // namespace

Client NewClient(rd_kafka_type_t type, const std::map<std::string, std::string>& properties) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  std::array<char, 512> why{};
  for (const auto& [name, value] : properties) {
    ABSL_CHECK(rd_kafka_conf_set(conf, name.c_str(), value.c_str(), why.data(), why.size()) == RD_KAFKA_CONF_OK)
        << why.data();
  }
  if (type == RD_KAFKA_PRODUCER) rd_kafka_conf_set_dr_msg_cb(conf, OnDelivery);
  Client client(rd_kafka_new(type, conf, why.data(), why.size()));
  ABSL_CHECK(client != nullptr) << why.data();
  return client;
}

std::vector<int64_t> EndsOf(const std::string& servers, const std::string& topic, int partitions) {
  Client client = NewClient(RD_KAFKA_PRODUCER, {{"bootstrap.servers", servers}});
  std::vector<int64_t> ends;
  for (int i = 0; i < partitions; ++i) {
    int64_t low = -1, high = -1;
    Check(rd_kafka_query_watermark_offsets(client.get(), topic.c_str(), i, &low, &high, kTimeoutMs), topic);
    ends.push_back(high);
  }
  return ends;
}

OffsetWatch::OffsetWatch(const std::string& servers, const std::string& group, std::string topic, int partitions)
    : topic_(std::move(topic)),
      partitions_(partitions),
      client_(
          NewClient(RD_KAFKA_CONSUMER,
                    {{"bootstrap.servers", servers}, {"group.id", group}, {"isolation.level", "read_uncommitted"}})) {}

int64_t OffsetWatch::Sum() {
  List list = ListOf(topic_, partitions_);
  Check(rd_kafka_committed(client_.get(), list.get(), kTimeoutMs), "committed offsets");
  int64_t sum = 0;
  for (int i = 0; i < list->cnt; ++i) {
    Check(list->elems[i].err, "a committed offset");
    sum += std::max<int64_t>(list->elems[i].offset, 0);
  }
  return sum;
}

TopicReader::TopicReader(const std::string& servers, const std::string& topic, const std::vector<int64_t>& starts)
    : client_(NewClient(RD_KAFKA_CONSUMER, {{"bootstrap.servers", servers},
                                            {"group.id", "bench-reader"},
                                            {"isolation.level", "read_committed"},
                                            {"check.crcs", "true"},
                                            {"enable.auto.commit", "false"},
                                            {"auto.offset.reset", "error"},
                                            {"enable.partition.eof", "true"},
                                            {"fetch.queue.backoff.ms", "1"}})),
      batch_(kBatch),
      ended_(starts.size()) {
  Check(rd_kafka_poll_set_consumer(client_.get()), "the reader");
  queue_ = rd_kafka_queue_get_consumer(client_.get());
  List list = ListOf(topic, static_cast<int>(starts.size()));
  for (size_t i = 0; i < starts.size(); ++i) list->elems[i].offset = starts[i];
  Check(rd_kafka_assign(client_.get(), list.get()), "the reader's partitions");
}

TopicReader::~TopicReader() { rd_kafka_queue_destroy(queue_); }

void TopicReader::Poll(int timeout_ms, Sink sink) {
  // The batch call waits for a full batch.
  ssize_t count = rd_kafka_consume_batch_queue(queue_, 0, batch_.data(), kBatch);
  if (count == 0) count = rd_kafka_consume_batch_queue(queue_, timeout_ms, batch_.data(), 1);
  for (ssize_t i = 0; i < count; ++i) {
    rd_kafka_message_t* message = batch_[static_cast<size_t>(i)];
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      ended_[static_cast<size_t>(message->partition)] = true;
    } else {
      Check(message->err, "reading");
      sink(*message);
    }
    rd_kafka_message_destroy(message);
  }
}

void TopicReader::ReadToEnd(Sink sink) {
  constexpr int kPollMs = 1000;
  while (std::find(ended_.begin(), ended_.end(), false) != ended_.end()) Poll(kPollMs, sink);
}

int64_t TimestampOf(const rd_kafka_message_t& message) {
  rd_kafka_timestamp_type_t type;
  return rd_kafka_message_timestamp(&message, &type);
}

}  // namespace st::e2e::bench
