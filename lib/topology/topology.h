// Project to Topology: references, graph, contracts, rules, identities, checksum. Pure; any thread.
#ifndef ST_LIB_TOPOLOGY_TOPOLOGY_H_
#define ST_LIB_TOPOLOGY_TOPOLOGY_H_

#include "lib/diag/diag.h"
#include "lib/project/project.h"

namespace st::v1 {
class Topology;
}

namespace st::topology {

// Fills `topology` (checksum too). False when `diagnostics` got an error. Same meaning, same bytes, whatever the
// order of files and declarations.
bool Compile(const project::Loaded& loaded, v1::Topology* topology, diag::Diagnostics* diagnostics);

// A document that came by a pipe: version, checksum, and the invariants that later stages build on (sorted, unique,
// references resolve, plan hashes match). For readers of Topology, ObservedTopology and Plan.
bool Verify(const v1::Topology& topology, diag::Diagnostics* diagnostics);

}  // namespace st::topology

#endif  // ST_LIB_TOPOLOGY_TOPOLOGY_H_
