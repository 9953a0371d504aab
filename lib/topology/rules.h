// The project's own policy for what it manages.
#ifndef ST_LIB_TOPOLOGY_RULES_H_
#define ST_LIB_TOPOLOGY_RULES_H_

#include "lib/topology/catalog.h"

namespace st::topology {

// `rules` against every managed or adopted topic (`topology.topics`) and every model. Each broken rule is an error that
// names it.
void CheckRules(const v1::Project& project, const v1::Topology& topology, Catalog* catalog, Report* report);

}  // namespace st::topology

#endif  // ST_LIB_TOPOLOGY_RULES_H_
