#include "e2e/torture/feeder.h"

#include "absl/log/absl_check.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/runner/cluster.h"

namespace st::e2e {
namespace {

constexpr int kFlushMs = 120000;
constexpr absl::Duration kPace = absl::Milliseconds(25);

rd_kafka_t* NewProducer(const std::string& servers) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  char why[512];
  // No record is ever given up.
  for (const auto& [name, value] : Configs{{"bootstrap.servers", servers},
                                           {"enable.idempotence", "true"},
                                           {"message.timeout.ms", "0"},
                                           {"topic.metadata.refresh.interval.ms", "1000"},
                                           {"log_level", "0"}}) {
    ABSL_CHECK(rd_kafka_conf_set(conf, name.c_str(), value.c_str(), why, sizeof why) == RD_KAFKA_CONF_OK) << why;
  }
  rd_kafka_t* client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof why);
  ABSL_CHECK(client != nullptr) << why;
  return client;
}

}  // namespace

Record FedRecord(int64_t number, int partitions) {
  const auto partition = static_cast<int32_t>(number % partitions);
  return {
      .partition = partition,
      .key = absl::StrCat("p", partition),
      .value = absl::StrCat("{\"k\":\"", partition, "-", number, "\",\"n\":", number / partitions % kFedValues, "}")};
}

Feeder::Feeder(const std::string& servers, const std::string& topic, int partitions, int batch, int first)
    : topic_(topic),
      batch_(batch),
      first_(first),
      partitions_(partitions),
      client_(NewProducer(servers)),
      thread_([this] { Feed(); }) {}

Feeder::~Feeder() {
  over_ = true;
  thread_.join();
  rd_kafka_destroy(client_);
}

void Feeder::Pause() {
  paused_ = true;
  idle_ = false;
  while (!idle_) absl::SleepFor(absl::Milliseconds(5));
}

void Feeder::Write(Record record) {
  auto code = RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION;
  // The client hears of new partitions a moment later.
  while (code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION && !over_) {
    code = rd_kafka_producev(client_, RD_KAFKA_V_TOPIC(topic_.c_str()), RD_KAFKA_V_PARTITION(record.partition),
                             RD_KAFKA_V_KEY(record.key->data(), record.key->size()),
                             RD_KAFKA_V_VALUE(record.value->data(), record.value->size()),
                             RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
    if (code == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION) rd_kafka_poll(client_, 10);
  }
  ABSL_CHECK(code == RD_KAFKA_RESP_ERR_NO_ERROR || over_) << rd_kafka_err2str(code);
}

void Feeder::Feed() {
  for (int number = first_; !over_; absl::SleepFor(kPace)) {
    if (paused_) {
      ABSL_CHECK_EQ(rd_kafka_flush(client_, kFlushMs), RD_KAFKA_RESP_ERR_NO_ERROR) << "the producer cannot write";
      idle_ = true;
      continue;
    }
    for (int i = 0; i < batch_; ++i, ++number) {
      Write(FedRecord(number, partitions_));
    }
    rd_kafka_poll(client_, 0);
  }
}

}  // namespace st::e2e
