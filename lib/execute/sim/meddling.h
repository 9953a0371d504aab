// What people and other tools do to the world behind an operation's back. Test-only.
#ifndef ST_LIB_EXECUTE_SIM_MEDDLING_H_
#define ST_LIB_EXECUTE_SIM_MEDDLING_H_

#include "lib/execute/sim/gate.h"
#include "lib/execute/sim/scenario.h"

namespace st::sim {

// One of the faults from kForeignGeneration on. False: the world is not such that it could be done. `at` chooses
// between ways of doing it.
bool ActOnWorld(Fault fault, int at, const Scenario& scenario, State* state);

}  // namespace st::sim

#endif  // ST_LIB_EXECUTE_SIM_MEDDLING_H_
