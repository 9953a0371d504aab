// Predicates that can never be true together, or always are. Warnings alone: a plan keeps every predicate.
#ifndef ST_LIB_SQL_CONTRADICTION_H_
#define ST_LIB_SQL_CONTRADICTION_H_

#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/sql/finding_sink.h"
#include "lib/sql/statement.h"

namespace st::v1 {
class InputColumn;
}

namespace st::sql {

// `conditions` must have passed the type check. Looks at each column by itself, in the order of writing, and warns at
// the predicate with which nothing is left; at most one such warning a column.
void WarnOfContradictions(const std::vector<Condition>& conditions,
                          const absl::flat_hash_map<std::string_view, const v1::InputColumn*>& columns,
                          FindingSink* sink);

}  // namespace st::sql

#endif  // ST_LIB_SQL_CONTRADICTION_H_
