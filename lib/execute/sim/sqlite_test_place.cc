#include "lib/execute/sim/test_place.h"

namespace st::sim {

std::unique_ptr<StorePlace> NewTestPlace() { return NewSqlitePlace(); }

std::string_view TestTarget() { return "//lib/execute/sim:matrix_test"; }

}  // namespace st::sim
