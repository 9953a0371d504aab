// One model under fire: topics, a group and a feeder of its own, and what its output must be. One thread.
#ifndef ST_E2E_TORTURE_SUBJECT_H_
#define ST_E2E_TORTURE_SUBJECT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "e2e/runner/cluster.h"
#include "e2e/runner/runner_process.h"
#include "e2e/torture/feeder.h"

namespace st::e2e {

class Subject {
 public:
  struct Shape {
    int in = 1;
    int out = 1;
    int commit_interval_ms = 100;
    Configs out_configs = {};
  };

  // Of FedRecords those with n >= this pass.
  static constexpr int kBound = 10;

  // Topics are made; nothing is in them, and nothing runs.
  Subject(const std::string& servers, const std::string& name, const Shape& shape);
  // Takes the topics away.
  ~Subject();

  Cluster& cluster() { return cluster_; }
  Model& model() { return *model_; }
  // The same with a state folder of its own.
  std::unique_ptr<Model> Copy();
  const std::string& input() const { return input_; }
  const std::string& output() const { return output_; }
  const std::string& group() const { return group_; }
  int in() const { return in_; }

  // At once; the feeder goes on behind them.
  void Produce(const std::vector<Record>& records);
  std::vector<Record> FedRecords(int count) const;
  void Feed(int batch);
  // Nothing more comes, and what was begun is written.
  void EndFeeding();
  void AddPartitions(int more);

  // What is there now, from offset 0 on.
  std::vector<Record> Input() { return cluster_.ReadCommitted(input_, in_); }
  std::vector<Record> Output() { return cluster_.ReadCommitted(output_, out_); }
  // As soon as the broker says so, or (false) not within half a minute.
  bool AwaitCommitted(const std::vector<int64_t>& offsets);
  std::vector<int64_t> Committed() { return cluster_.Committed(group_, input_, in_); }
  // While nothing runs. -1: as it is.
  void MoveOffsets(const std::vector<int64_t>& offsets) { cluster_.CommitOffsets(group_, input_, offsets); }

  // How the output differs from `input` before the offsets, put through the model: empty when it does not.
  std::string Difference(const std::vector<Record>& input, const std::vector<int64_t>& committed);
  // The same, but the end of the output may be missing.
  std::string DifferenceFromBeginning(const std::vector<Record>& input);

 private:
  const std::string servers_;
  Cluster cluster_;
  const std::string group_, input_, output_;
  int in_;
  const int out_;
  const int commit_interval_ms_;
  int next_ = 0;  // number of the next FedRecord
  std::unique_ptr<Model> model_;
  std::unique_ptr<Feeder> feeder_;
};

// Where the partitions end, by the records in them.
std::vector<int64_t> Ends(const std::vector<Record>& records, int partitions);

}  // namespace st::e2e

#endif  // ST_E2E_TORTURE_SUBJECT_H_
