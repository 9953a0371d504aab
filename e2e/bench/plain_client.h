// The benchmark's own eyes and hands on the broker: plain clients that share no code with the runner's. A call that
// fails ends the program with a sentence.
#ifndef ST_E2E_BENCH_PLAIN_CLIENT_H_
#define ST_E2E_BENCH_PLAIN_CLIENT_H_

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"

namespace st::e2e::bench {

struct ClientDeleter {
  void operator()(rd_kafka_t* client) const { rd_kafka_destroy(client); }
};
using Client = std::unique_ptr<rd_kafka_t, ClientDeleter>;

// Properties by librdkafka's names. A producer's failed delivery ends the program.
Client NewClient(rd_kafka_type_t type, const std::map<std::string, std::string>& properties);

// Where each partition of a topic ends.
std::vector<int64_t> EndsOf(const std::string& servers, const std::string& topic, int partitions);

// What a group has committed. One thread.
class OffsetWatch {
 public:
  OffsetWatch(const std::string& servers, const std::string& group, std::string topic, int partitions);
  // Over all partitions; those without a commit count as 0. Never waits for an open transaction.
  int64_t Sum();

 private:
  const std::string topic_;
  const int partitions_;
  Client client_;
};

// Reads committed records partition by partition in order. One thread.
class TopicReader {
 public:
  TopicReader(const std::string& servers, const std::string& topic, const std::vector<int64_t>& starts);
  ~TopicReader();
  TopicReader(const TopicReader&) = delete;
  TopicReader& operator=(const TopicReader&) = delete;

  using Sink = absl::FunctionRef<void(const rd_kafka_message_t&)>;
  // What is there; waits up to `timeout_ms` for the first.
  void Poll(int timeout_ms, Sink sink);
  // Until the end that each partition had when it was met.
  void ReadToEnd(Sink sink);

 private:
  Client client_;
  rd_kafka_queue_t* queue_;
  std::vector<rd_kafka_message_t*> batch_;
  std::vector<bool> ended_;
};

int64_t TimestampOf(const rd_kafka_message_t& message);

}  // namespace st::e2e::bench

#endif  // ST_E2E_BENCH_PLAIN_CLIENT_H_
