#include "e2e/bench/filled_topic.h"

#include <numeric>
#include <utility>

#include "absl/log/absl_check.h"
#include "absl/strings/str_cat.h"
#include "e2e/bench/plain_client.h"

namespace st::e2e::bench {
namespace {

constexpr int kTimeoutMs = 60000;

void Write(rd_kafka_t* client, const std::string& topic, Workload workload, int64_t n) {
  std::string key = KeyOf(n), value = ValueOf(workload, n);
  while (true) {
    const auto code = rd_kafka_producev(
        client, RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_PARTITION(RD_KAFKA_PARTITION_UA),
        RD_KAFKA_V_VALUE(value.data(), value.size()), RD_KAFKA_V_KEY(key.data(), key.size()),
        RD_KAFKA_V_TIMESTAMP(kFirstTimestampMs + n), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return;
    ABSL_CHECK(code == RD_KAFKA_RESP_ERR__QUEUE_FULL) << rd_kafka_err2str(code);
    constexpr int kRoomMs = 100;
    rd_kafka_poll(client, kRoomMs);
  }
}

std::string_view TextOf(const void* bytes, size_t size) { return {static_cast<const char*>(bytes), size}; }

}  // namespace

Configs TopicConfigs() { return {{"retention.ms", "-1"}, {"retention.bytes", "-1"}, {"file.delete.delay.ms", "1000"}}; }

FilledTopic::FilledTopic(Cluster* cluster, const std::string& servers, Workload workload, int64_t count)
    : servers_(servers), workload_(workload), name_(absl::StrCat("bench-", NameOf(workload))), count_(count) {
  cluster->CreateTopic(name_, kPartitions, TopicConfigs());
  Client client = NewClient(RD_KAFKA_PRODUCER, {{"bootstrap.servers", servers},
                                                {"enable.idempotence", "true"},
                                                {"linger.ms", "50"},
                                                {"queue.buffering.max.messages", "500000"},
                                                {"delivery.report.only.error", "true"},
                                                {"partitioner", "murmur2"}});
  for (int64_t n = 0; n < count; ++n) Write(client.get(), name_, workload, n);
  ABSL_CHECK(rd_kafka_flush(client.get(), kTimeoutMs) == RD_KAFKA_RESP_ERR_NO_ERROR) << "flushing";
  ends_ = EndsOf(servers, name_, kPartitions);
  ABSL_CHECK_EQ(std::accumulate(ends_.begin(), ends_.end(), int64_t{0}), count) << "each record is written once";
}

Tail FilledTopic::LastRecords(int64_t about) const {
  Tail tail;
  for (const int64_t end : ends_) {
    const int64_t share = about * end / count_;
    tail.starts.push_back(end - share);
    tail.records += share;
    tail.end_sum += end;
  }
  return tail;
}

FilledTopic::Expected FilledTopic::WhatComesOf(const Tail& tail) const {
  Expected expected;
  TopicReader(servers_, name_, tail.starts).ReadToEnd([&](const rd_kafka_message_t& message) {
    const int64_t timestamp_ms = TimestampOf(message);
    const int64_t n = timestamp_ms - kFirstTimestampMs;
    const std::string_view key = TextOf(message.key, message.key_len);
    const std::string value = ValueOf(workload_, n);
    ABSL_CHECK_EQ(TextOf(message.payload, message.len), value) << "what was written is what is there";
    expected.input.Add(message.partition, timestamp_ms, key, value);
    if (!Passes(n)) return;
    expected.copies.Add(message.partition, timestamp_ms, key, value);
    expected.model.Add(message.partition, timestamp_ms, key, OutputOf(workload_, n));
  });
  ABSL_CHECK_EQ(expected.input.records(), tail.records);
  return expected;
}

}  // namespace st::e2e::bench
