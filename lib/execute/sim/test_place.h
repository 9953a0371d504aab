// The store that a matrix test runs on: one of the two sources that implement this is linked in. Test-only.
#ifndef ST_LIB_EXECUTE_SIM_TEST_PLACE_H_
#define ST_LIB_EXECUTE_SIM_TEST_PLACE_H_

#include <memory>
#include <string_view>

#include "lib/execute/sim/store_place.h"

namespace st::sim {

// Null when it cannot be made; says why on standard error.
std::unique_ptr<StorePlace> NewTestPlace();

// How the test is called that runs on it, for the command that replays a cell.
std::string_view TestTarget();

}  // namespace st::sim

#endif  // ST_LIB_EXECUTE_SIM_TEST_PLACE_H_
