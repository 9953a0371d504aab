// Two faults: one in the first run, one in the run that follows. Test-only.
#ifndef ST_LIB_EXECUTE_SIM_PAIRS_H_
#define ST_LIB_EXECUTE_SIM_PAIRS_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "lib/execute/sim/matrix.h"

namespace st::sim {

// Part `part` of `parts`, from 0, of all pairs. After the first fault many cells are in one and the same state: what
// follows is run once and counted for all of them (`stands_for`). What follows the second fault is run once for each
// state that it leads to. `report` gets every cell that was run.
absl::Status RunAllPairs(Matrix* matrix, int part, int parts,
                         const std::function<void(const CellResult&, int64_t stands_for)>& report);

// `count` pairs drawn by `seed`, each run from the start to the end.
absl::Status RunSomePairs(Matrix* matrix, int count, uint64_t seed,
                          const std::function<void(const CellResult&)>& report);

}  // namespace st::sim

#endif  // ST_LIB_EXECUTE_SIM_PAIRS_H_
