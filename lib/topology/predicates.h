// The canonical order of a record plan's predicates.
#ifndef ST_LIB_TOPOLOGY_PREDICATES_H_
#define ST_LIB_TOPOLOGY_PREDICATES_H_

namespace st::v1 {
class RecordPlan;
}

namespace st::topology {

// Each of a column of the plan, with a known operator and a literal of that column's type (none for IS [NOT] NULL);
// strictly growing by column, operator, literal.
bool ArePredicatesCanonical(const v1::RecordPlan& plan);

}  // namespace st::topology

#endif  // ST_LIB_TOPOLOGY_PREDICATES_H_
