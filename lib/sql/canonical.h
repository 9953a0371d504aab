// The one spelling of a checked statement in a record plan: a statement that only looks different gives equal bytes.
#ifndef ST_LIB_SQL_CANONICAL_H_
#define ST_LIB_SQL_CANONICAL_H_

#include <vector>

#include "lib/sql/statement.h"

namespace st::v1 {
class InputColumn;
class RecordPlan;
}  // namespace st::v1

namespace st::sql {

// Everything of `plan` but topics and extra_members. Predicates are sorted by column, operator and literal, exact
// repeats removed; nothing else is taken away.
void FillPlan(const Statement::Impl& statement, const std::vector<v1::InputColumn>& inputs, v1::RecordPlan* plan);

}  // namespace st::sql

#endif  // ST_LIB_SQL_CANONICAL_H_
