// Project to Topology: references, graph, contracts, rules, identities, checksum. Pure; any thread. Time and memory are
// linear in the project, and nothing recurses. The checks and their codes: docs/checks.md and docs/sql.md.
#ifndef ST_LIB_TOPOLOGY_TOPOLOGY_H_
#define ST_LIB_TOPOLOGY_TOPOLOGY_H_

#include <cstdint>

#include "lib/diag/diag.h"
#include "lib/project/project.h"

namespace st::v1 {
class Topology;
}

namespace st::topology {

inline constexpr uint32_t kTopologyVersion = 1;

// Fills `topology` (checksum too). False when `diagnostics` holds an error, one of the loader's included, and then
// `topology` is empty; the findings are whole all the same. Same meaning, same bytes, whatever the order of files and
// declarations; nothing of the machine, the time or the tool's version goes in. What depends on a declaration that has
// an error of its own is not reported a second time.
bool Compile(const project::Loaded& loaded, v1::Topology* topology, diag::Diagnostics* diagnostics);

// A document that came by a pipe: version, checksum, and the invariants that later stages build on (sorted, unique,
// references resolve, plan hashes match). For readers of Topology, ObservedTopology and Plan. The findings have no
// position: such a document is not edited by hand. TOPOLOGY_VERSION and TOPOLOGY_CHECKSUM stand alone.
bool Verify(const v1::Topology& topology, diag::Diagnostics* diagnostics);

}  // namespace st::topology

#endif  // ST_LIB_TOPOLOGY_TOPOLOGY_H_
