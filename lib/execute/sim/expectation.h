// How a run may end after a fault, and what may stand in the way in the end: a closed table for each fault. Test-only.
#ifndef ST_LIB_EXECUTE_SIM_EXPECTATION_H_
#define ST_LIB_EXECUTE_SIM_EXPECTATION_H_

#include <string>
#include <vector>

#include "lib/execute/sim/play.h"

namespace st::sim {

// One sentence for each run of a cell that ended otherwise than the tables say. `settled`: the last one is the cell's
// end, where nothing may be in the way that only passes.
std::vector<std::string> Surprises(const std::vector<Run>& runs, bool settled);

// `<outcome>` or `<outcome>:<code>`.
std::string EndOf(const Run& run);

}  // namespace st::sim

#endif  // ST_LIB_EXECUTE_SIM_EXPECTATION_H_
