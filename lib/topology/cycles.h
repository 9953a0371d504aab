// Models that read each other in a circle, and records that come back by way of an application.
#ifndef ST_LIB_TOPOLOGY_CYCLES_H_
#define ST_LIB_TOPOLOGY_CYCLES_H_

#include <vector>

#include "lib/topology/catalog.h"

namespace st::topology {

// Needs inputs and exposures resolved. Models in the order of the flow, those on a cycle and behind one left out.
std::vector<int> CheckCycles(Catalog* catalog, Report* report);

// Names joined by arrows; the middle of a long way is left out.
std::string FormatWay(Catalog* catalog, const std::vector<int>& way);

}  // namespace st::topology

#endif  // ST_LIB_TOPOLOGY_CYCLES_H_
