// A steady stream of records into a topic, and what a model must make of them.
#ifndef ST_E2E_RUNNER_LOAD_H_
#define ST_E2E_RUNNER_LOAD_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "e2e/runner/cluster.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::e2e {

// The n-th record of a load: for Kept, spread over partitions, with a key; some are filtered, some are tombstones. Its
// id is n.
Record LoadRecord(int64_t n, int partitions);

// Writes LoadRecord(0), LoadRecord(1), ... from a thread of its own until it is stopped.
class Load {
 public:
  Load(const std::string& servers, const std::string& topic, int partitions, int records_a_second);
  ~Load();
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  // Ends it; how many records were written.
  int64_t Stop();

 private:
  void Write(const std::string& servers, const std::string& topic, int partitions, int records_a_second);

  std::atomic<bool> stop_{false};
  int64_t written_ = 0;
  std::thread thread_;
};

// What is wrong with `output` as that of LoadRecord(0) to LoadRecord(count - 1) through `plan`, by the reference
// decoder: each record once, in order in each partition. Empty when nothing is.
std::string CheckOutput(const v1::RecordPlan& plan, int64_t count, int in_partitions,
                        const std::vector<Record>& output);

}  // namespace st::e2e

#endif  // ST_E2E_RUNNER_LOAD_H_
