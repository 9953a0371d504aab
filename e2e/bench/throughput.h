// Records a second and CPU of every contender on one input. Each block is ABBA: all at one length, then all at the
// other in reverse; which length comes first alternates from block to block. The output of every run is read and
// compared with what the model says.
#ifndef ST_E2E_BENCH_THROUGHPUT_H_
#define ST_E2E_BENCH_THROUGHPUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "e2e/bench/bed.h"
#include "e2e/bench/figures.h"
#include "e2e/bench/filled_topic.h"
#include "e2e/bench/journal.h"

namespace st::e2e::bench {

class Throughput {
 public:
  // Both outlive it. Makes and fills the input.
  Throughput(Bed* bed, Journal* journal, Workload workload, int64_t records);

  // One run at one length, whose output is right. DataLoss with what is wrong in it.
  absl::StatusOr<Measured> Run(const Contender& contender, bool whole);
  // One standing for each contender, after a run of each that does not count.
  absl::StatusOr<std::vector<Standing>> RunBlocks(const std::vector<Contender>& contenders, int blocks);

  Workload workload() const { return topic_.workload(); }
  const FilledTopic& topic() const { return topic_; }
  // Runs whose output was right so far.
  int checked() const { return checked_; }

 private:
  struct Length {
    Tail tail;
    FilledTopic::Expected expected;
  };

  Measured Watch(const Contender& contender, const Place& place, const Length& length, std::string* said);
  absl::Status CheckOutput(const Contender& contender, const Place& place, const Length& length,
                           const std::string& said);
  void Note(const Contender& contender, int block, const Measured& measured);

  Bed* const bed_;
  Journal* const journal_;
  const FilledTopic topic_;
  const Length half_;
  const Length whole_;
  int checked_ = 0;
};

}  // namespace st::e2e::bench

#endif  // ST_E2E_BENCH_THROUGHPUT_H_
