// Records by the million at a steady rate, and somebody who reads what a model makes of them.
#ifndef ST_E2E_TORTURE_STREAM_H_
#define ST_E2E_TORTURE_STREAM_H_

#include <librdkafka/rdkafka.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace st::e2e {

// Writes what FedRecord would make of 0, 1, 2, ..., from a thread of its own.
class Stream {
 public:
  Stream(const std::string& servers, const std::string& topic, int partitions);
  // Drops what is not yet written.
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // From now on so many a second, however many that are late; 0: none, which it begins with.
  void SetRate(int64_t records_a_second);
  // No further than this number.
  void SetBound(int64_t bound) { bound_ = bound; }
  int64_t handed_over() const { return next_; }
  // Waits until all that was handed over is written.
  void Flush();

 private:
  void Write();
  void WriteSome(int64_t end);

  const std::string topic_;
  const int partitions_;
  rd_kafka_t* client_;
  std::atomic<int64_t> rate_ = 0;
  std::atomic<int64_t> bound_;
  std::atomic<int64_t> next_ = 0;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

// Reads a model's output as it comes, and demands of each input partition the next of its records that passes.
class Follower {
 public:
  // The model is AtLeast with `bound`; both topics have `partitions`.
  Follower(const std::string& servers, const std::string& topic, int partitions, int bound);
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  int64_t seen() const { return seen_; }
  // The first thing that is wrong; empty: nothing.
  std::string Wrong() const;
  // That many come out of the records before `count`.
  int64_t Expected(int64_t count) const;

 private:
  void Read();
  void Take(const rd_kafka_message_t& message);
  bool Passes(int64_t number) const;

  const int partitions_;
  const int bound_;
  rd_kafka_t* client_;
  rd_kafka_queue_t* queue_;
  std::vector<int64_t> next_;  // number, by partition
  std::atomic<int64_t> seen_ = 0;
  std::atomic<bool> over_ = false;
  mutable absl::Mutex mu_;
  std::string wrong_ ABSL_GUARDED_BY(mu_);
  std::thread thread_;
};

}  // namespace st::e2e

#endif  // ST_E2E_TORTURE_STREAM_H_
