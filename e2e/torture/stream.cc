#include "e2e/torture/stream.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "absl/log/absl_check.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/runner/cluster.h"
#include "e2e/torture/feeder.h"

namespace st::e2e {
namespace {

constexpr int kFlushMs = 120'000;
constexpr size_t kBatch = 1000;
constexpr absl::Duration kTick = absl::Milliseconds(10);

rd_kafka_t* NewClient(rd_kafka_type_t type, Configs configs, const std::string& servers) {
  configs["bootstrap.servers"] = servers;
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  char why[512];
  for (const auto& [name, value] : configs) {
    ABSL_CHECK(rd_kafka_conf_set(conf, name.c_str(), value.c_str(), why, sizeof why) == RD_KAFKA_CONF_OK) << why;
  }
  rd_kafka_t* client = rd_kafka_new(type, conf, why, sizeof why);
  ABSL_CHECK(client != nullptr) << why;
  return client;
}

}  // namespace

Stream::Stream(const std::string& servers, const std::string& topic, int partitions)
    : topic_(topic),
      partitions_(partitions),
      client_(NewClient(RD_KAFKA_PRODUCER,
                        {{"enable.idempotence", "true"},
                         {"linger.ms", "20"},
                         {"queue.buffering.max.messages", "1000000"},
                         {"message.timeout.ms", "0"}},
                        servers)),
      bound_(std::numeric_limits<int64_t>::max()),
      thread_([this] { Write(); }) {}

Stream::~Stream() {
  over_ = true;
  thread_.join();
  rd_kafka_destroy(client_);
}

void Stream::SetRate(int64_t records_a_second) { rate_ = records_a_second; }

void Stream::Flush() { ABSL_CHECK_EQ(rd_kafka_flush(client_, kFlushMs), RD_KAFKA_RESP_ERR_NO_ERROR); }

void Stream::Write() {
  absl::Time last = absl::Now();
  double due = 0;
  while (!over_) {
    const absl::Time now = absl::Now();
    due += absl::ToDoubleSeconds(now - last) * static_cast<double>(rate_);
    last = now;
    const int64_t end = std::min(next_ + static_cast<int64_t>(due), bound_.load());
    // What the bound keeps back is not made up for.
    due -= static_cast<double>(static_cast<int64_t>(due));
    WriteSome(end);
    rd_kafka_poll(client_, 0);
    absl::SleepFor(kTick);
  }
}

void Stream::WriteSome(int64_t end) {
  while (next_ < end && !over_) {
    Record record = FedRecord(next_, partitions_);
    const auto code =
        rd_kafka_producev(client_, RD_KAFKA_V_TOPIC(topic_.c_str()), RD_KAFKA_V_PARTITION(record.partition),
                          RD_KAFKA_V_KEY(record.key->data(), record.key->size()),
                          RD_KAFKA_V_VALUE(record.value->data(), record.value->size()),
                          RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
    if (code == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
      rd_kafka_poll(client_, 10);
      continue;
    }
    ABSL_CHECK_EQ(code, RD_KAFKA_RESP_ERR_NO_ERROR) << rd_kafka_err2str(code);
    ++next_;
  }
}

Follower::Follower(const std::string& servers, const std::string& topic, int partitions, int bound)
    : partitions_(partitions),
      bound_(bound),
      client_(NewClient(RD_KAFKA_CONSUMER,
                        {{"group.id", "follower"},
                         {"isolation.level", "read_committed"},
                         {"enable.auto.commit", "false"},
                         {"auto.offset.reset", "error"},
                         {"fetch.queue.backoff.ms", "10"}},
                        servers)) {
  for (int i = 0; i < partitions_; ++i) {
    next_.push_back(i);
    while (!Passes(next_.back())) next_.back() += partitions_;
  }
  queue_ = rd_kafka_queue_get_consumer(client_);
  rd_kafka_topic_partition_list_t* list = rd_kafka_topic_partition_list_new(partitions_);
  for (int i = 0; i < partitions_; ++i) rd_kafka_topic_partition_list_add(list, topic.c_str(), i)->offset = 0;
  ABSL_CHECK_EQ(rd_kafka_assign(client_, list), RD_KAFKA_RESP_ERR_NO_ERROR);
  rd_kafka_topic_partition_list_destroy(list);
  thread_ = std::thread([this] { Read(); });
}

Follower::~Follower() {
  over_ = true;
  thread_.join();
  rd_kafka_queue_destroy(queue_);
  rd_kafka_consumer_close(client_);
  rd_kafka_destroy(client_);
}

bool Follower::Passes(int64_t number) const { return number / partitions_ % kFedValues >= bound_; }

int64_t Follower::Expected(int64_t count) const {
  int64_t expected = 0;
  const int64_t cycle = int64_t{kFedValues} * partitions_;
  expected += count / cycle * (kFedValues - bound_) * partitions_;
  for (int64_t number = count - count % cycle; number < count; ++number) expected += Passes(number) ? 1 : 0;
  return expected;
}

std::string Follower::Wrong() const {
  const absl::MutexLock lock(&mu_);
  return wrong_;
}

void Follower::Read() {
  constexpr int kWaitMs = 100;
  std::vector<rd_kafka_message_t*> batch(kBatch);
  while (!over_) {
    const ssize_t count = rd_kafka_consume_batch_queue(queue_, kWaitMs, batch.data(), batch.size());
    for (ssize_t i = 0; i < count; ++i) {
      Take(*batch[static_cast<size_t>(i)]);
      rd_kafka_message_destroy(batch[static_cast<size_t>(i)]);
    }
  }
}

// {"k":"<partition>-<number>","number":<n>}
void Follower::Take(const rd_kafka_message_t& message) {
  const std::string_view value(static_cast<const char*>(message.payload), message.len);
  const size_t dash = value.find('-');
  int64_t number = -1;
  if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR && dash != std::string_view::npos) {
    const std::string_view rest = value.substr(dash + 1);
    if (!absl::SimpleAtoi(rest.substr(0, rest.find('"')), &number)) number = -1;
  }
  ++seen_;
  if (number >= 0) {
    int64_t& next = next_[static_cast<size_t>(number % partitions_)];
    if (number == next) {
      do next += partitions_;
      while (!Passes(next));
      return;
    }
  }
  const absl::MutexLock lock(&mu_);
  if (wrong_.empty()) {
    wrong_ = absl::StrCat("not the next one: ", value, rd_kafka_err2str(message.err), " in partition ",
                          message.partition, " at ", message.offset);
  }
}

}  // namespace st::e2e
