// Plans and a check for the tests of this library.
#ifndef ST_LIB_RECORD_TEST_PLANS_H_
#define ST_LIB_RECORD_TEST_PLANS_H_

#include <ostream>
#include <string>
#include <string_view>

#include "lib/record/record.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::record {

// A whole plan: version, topics and `refuse` are filled in where `text` (textproto) leaves them out.
v1::RecordPlan PlanOf(std::string_view text);

// One ANY column `v`, passed on.
v1::RecordPlan AnyPlan();
// Columns of each type, required and not, predicates on some of them.
v1::RecordPlan OrdersPlan();

// What an executor did with a value.
struct Answer {
  Outcome outcome = Outcome::kPoison;
  std::string out;
  std::string fault;  // the kind's name; empty unless poison
  std::string column;

  bool operator==(const Answer&) const = default;
};
std::ostream& operator<<(std::ostream& stream, const Answer& answer);

Answer Pass(std::string_view out);
Answer Filtered();
Answer Poison(std::string_view fault, std::string_view column = {});

// Runs one executor for many values, so that what it remembers of the last record is used.
class Both {
 public:
  explicit Both(const v1::RecordPlan& plan);

  Answer Fast(std::string_view value);
  Answer Reference(std::string_view value) const;
  // True when both take or refuse it, and take it with the same bytes. A failure of the test says the value.
  bool Agree(std::string_view value);

 private:
  v1::RecordPlan plan_;
  Executor executor_;
};

}  // namespace st::record

#endif  // ST_LIB_RECORD_TEST_PLANS_H_
