// Counts of records: of the open transaction, and of all that were committed since the start. With them, how the
// transactions themselves went.
#ifndef ST_RUNNER_TALLY_H_
#define ST_RUNNER_TALLY_H_

#include <cstdint>

#include "runner/commit_times.h"

namespace st::runner {

struct Counts {
  int64_t in = 0;
  int64_t out = 0;
  int64_t filtered = 0;
  int64_t tombstones = 0;

  Counts& operator+=(const Counts& other) {
    in += other.in;
    out += other.out;
    filtered += other.filtered;
    tombstones += other.tombstones;
    return *this;
  }
};

struct Tally {
  Counts open;
  Counts committed;
  int64_t transactions = 0;
  int64_t aborted = 0;
  CommitTimes commit_times;

  void Commit() {
    committed += open;
    ++transactions;
    open = {};
  }
  void Abort() { open = {}; }
};

}  // namespace st::runner

#endif  // ST_RUNNER_TALLY_H_
