// When two worlds go on in the same way. Test-only.
#ifndef ST_LIB_EXECUTE_SIM_FINGERPRINT_H_
#define ST_LIB_EXECUTE_SIM_FINGERPRINT_H_

#include <string>

#include "lib/execute/sim/state.h"
#include "lib/state/state.h"

namespace st::sim {

// The world, what runs in it and the open operation, with the operation's random id, times of day and who did it left
// out: sessions and transactions count by the time that they still have. What happened before does not count, and is
// audited with the cell in which it happened.
std::string Fingerprint(const State& state, const state::Snapshot& snapshot);

}  // namespace st::sim

#endif  // ST_LIB_EXECUTE_SIM_FINGERPRINT_H_
