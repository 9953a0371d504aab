// Where each assigned partition stands: committed, and processed in the open transaction. Pure; one thread.
#ifndef ST_RUNNER_LEDGER_H_
#define ST_RUNNER_LEDGER_H_

#include <cstdint>
#include <vector>

#include "lib/kafka/consumer.h"

namespace st::runner {

class Ledger {
 public:
  // These and no others are assigned, each at its committed offset; what was processed beyond is forgotten.
  void Assign(const std::vector<kafka::Position>& committed);
  // Nothing is assigned.
  void Clear();

  // The record is one that comes next: its partition is assigned and it was not processed yet.
  bool Expects(int32_t partition, int64_t offset) const;
  // All before `next` is processed. `leader_epoch` is that of the last record, -1 when unknown.
  void Advance(int32_t partition, int64_t next, int32_t leader_epoch);
  // The client's own positions, which also pass control records. Only forward; unknown ones are left out.
  void Absorb(const std::vector<kafka::Position>& client);

  bool empty() const { return assigned_.empty(); }
  const std::vector<int32_t>& assigned() const { return assigned_; }
  // Of the assigned partitions, in the order of assigned(): where processing goes on.
  std::vector<kafka::Position> Positions() const;
  int64_t Committed(int32_t partition) const;
  // From the committed offset to the high watermark, which may have been seen before the commit; -1 when one of them is
  // not known (-1).
  int64_t Lag(int32_t partition, int64_t high_watermark) const;

  bool HasUncommitted() const;
  // The positions that moved since the last commit.
  std::vector<kafka::Position> Uncommitted() const;
  // They are committed now.
  void MarkCommitted();
  // They will not be: processing goes on where it was committed.
  void DropUncommitted();

 private:
  struct Slot {
    bool assigned = false;
    kafka::Position committed;
    kafka::Position next;
  };
  bool Has(int32_t partition) const;

  std::vector<Slot> slots_;  // by partition
  std::vector<int32_t> assigned_;
};

}  // namespace st::runner

#endif  // ST_RUNNER_LEDGER_H_
