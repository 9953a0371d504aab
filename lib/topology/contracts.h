// What exposures need against what they get.
#ifndef ST_LIB_TOPOLOGY_CONTRACTS_H_
#define ST_LIB_TOPOLOGY_CONTRACTS_H_

#include "lib/topology/catalog.h"

namespace st::topology {

// Every column that an exposure needs is produced, with the same type, by each that it consumes, and one that it
// requires is produced as never null. A finding names the exposure, its owner, the column and the way that the records
// take.
void CheckContracts(Catalog* catalog, Report* report);

}  // namespace st::topology

#endif  // ST_LIB_TOPOLOGY_CONTRACTS_H_
