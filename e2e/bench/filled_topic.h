// The input of the measurements: one topic that all contenders read, and what its last records must become.
#ifndef ST_E2E_BENCH_FILLED_TOPIC_H_
#define ST_E2E_BENCH_FILLED_TOPIC_H_

#include <cstdint>
#include <string>
#include <vector>

#include "e2e/bench/digest.h"
#include "e2e/bench/workload.h"
#include "e2e/runner/cluster.h"

namespace st::e2e::bench {

// What a contender makes of its input.
enum class Meaning {
  kNothing,  // it writes nothing
  kCopies,   // every record that passes, as it is
  kModel,    // every record that passes, as the model says
};

// The last records of each partition, about the same share of all three.
struct Tail {
  std::vector<int64_t> starts;  // by partition
  int64_t records = 0;
  int64_t end_sum = 0;  // of the offsets at which the partitions end
};

class FilledTopic {
 public:
  // Makes the topic, with records 0 to count - 1 of the workload, placed by their keys.
  FilledTopic(Cluster* cluster, const std::string& servers, Workload workload, int64_t count);

  Workload workload() const { return workload_; }
  const std::string& name() const { return name_; }
  Tail LastRecords(int64_t about) const;
  // Of what a contender that reads `tail` must write; also says how much it reads.
  struct Expected {
    Digest copies;
    Digest model;
    Digest input;
    const Digest& Of(Meaning meaning) const { return meaning == Meaning::kCopies ? copies : model; }
  };
  Expected WhatComesOf(const Tail& tail) const;

 private:
  const std::string servers_;
  const Workload workload_;
  const std::string name_;
  const int64_t count_;
  std::vector<int64_t> ends_;
};

// For all topics of the benchmark: nothing is removed by age, and what is deleted is gone at once.
Configs TopicConfigs();

}  // namespace st::e2e::bench

#endif  // ST_E2E_BENCH_FILLED_TOPIC_H_
