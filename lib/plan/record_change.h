// What another record plan means for a model that is deployed. Internal to lib/plan.
#ifndef ST_LIB_PLAN_RECORD_CHANGE_H_
#define ST_LIB_PLAN_RECORD_CHANGE_H_

#include <string>
#include <vector>

namespace st::v1 {
class RecordPlan;
}  // namespace st::v1

namespace st::plan {

// Every text is one line, with what is invisible escaped.
struct RecordChange {
  // What a replacement cannot change, each by name: topics, what the input declares, a version.
  std::vector<std::string> unsupported;
  std::string filter;                // "the filter `n >= 10` becomes `n >= 11`"; empty: it stays
  std::vector<std::string> columns;  // "`x` goes", "`y` comes", "`z` may be null"; empty: what it produces stays
  std::string other;                 // where a column comes from; or that the columns stand in another order
  bool only_order = false;           // `other` is just that
};

RecordChange Compare(const v1::RecordPlan& before, const v1::RecordPlan& after);

// All of it in one clause.
std::string Words(const RecordChange& change);

// The predicates as they stand in SQL, joined by AND; "everything" when there are none. At most 300 bytes.
std::string FilterText(const v1::RecordPlan& plan);

}  // namespace st::plan

#endif  // ST_LIB_PLAN_RECORD_CHANGE_H_
