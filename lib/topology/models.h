// Columns of sources and models, and the SQL between them.
#ifndef ST_LIB_TOPOLOGY_MODELS_H_
#define ST_LIB_TOPOLOGY_MODELS_H_

#include <vector>

#include "lib/topology/catalog.h"

namespace st::topology {

// Parses the SQL of every model and resolves what it reads: `statement`, `input`.
void ParseModels(Catalog* catalog, Report* report);

// `columns` of sources and of models without SQL, as they are declared.
void TakeDeclaredColumns(Catalog* catalog);

// Checks the SQL of each model against what its input produces, in `order` of the flow: `plan`, `columns`.
void CheckModels(const std::vector<int>& order, Catalog* catalog, Report* report);

// The column, or nullptr. `columns` by name.
const v1::CompiledColumn* FindColumn(const std::vector<v1::CompiledColumn>& columns, std::string_view name);

}  // namespace st::topology

#endif  // ST_LIB_TOPOLOGY_MODELS_H_
