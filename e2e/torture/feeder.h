// A steady stream of records into a topic, under which everything else happens.
#ifndef ST_E2E_TORTURE_FEEDER_H_
#define ST_E2E_TORTURE_FEEDER_H_

#include <librdkafka/rdkafka.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "e2e/runner/record.h"

namespace st::e2e {

inline constexpr int kFedValues = 20;
// {"k":"<partition>-<number>","n":<n>}: the partitions by turns, and in each of them n goes through kFedValues. The key
// is that of its partition, so that one output partition gets what comes of it.
Record FedRecord(int64_t number, int partitions);

// Writes FedRecords of rising numbers, and outlives its broker. Each record is written once, in order.
class Feeder {
 public:
  // `batch`: so many at a time, 40 times a second. `first`: the number to begin with.
  Feeder(const std::string& servers, const std::string& topic, int partitions, int batch = 8, int first = 0);
  // What is not yet written is dropped.
  ~Feeder();
  Feeder(const Feeder&) = delete;
  Feeder& operator=(const Feeder&) = delete;
  // Waits until everything is written.
  void Pause();
  void GoOn() { paused_ = false; }
  // From then on. They are there.
  void SetPartitions(int partitions) { partitions_ = partitions; }

 private:
  void Feed();
  void Write(Record record);

  const std::string topic_;
  const int batch_;
  const int first_;
  std::atomic<int> partitions_;
  rd_kafka_t* client_;
  std::atomic<bool> paused_ = false;
  std::atomic<bool> idle_ = false;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace st::e2e

#endif  // ST_E2E_TORTURE_FEEDER_H_
