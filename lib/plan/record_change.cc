#include "lib/plan/record_change.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "lib/diag/diag.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::plan {
namespace {

constexpr size_t kMaxFilterBytes = 300;
// More changed columns than this are counted.
constexpr size_t kShownColumns = 8;

std::string_view OperatorText(v1::Predicate::Operator op) {
  switch (op) {
    case v1::Predicate::EQ:
      return "=";
    case v1::Predicate::NE:
      return "<>";
    case v1::Predicate::LT:
      return "<";
    case v1::Predicate::LE:
      return "<=";
    case v1::Predicate::GT:
      return ">";
    case v1::Predicate::GE:
      return ">=";
    case v1::Predicate::IS_NULL:
      return "IS NULL";
    case v1::Predicate::IS_NOT_NULL:
      return "IS NOT NULL";
    default:
      return "?";
  }
}

std::string PredicateText(const v1::Predicate& predicate) {
  const std::string start = absl::StrCat(predicate.column(), " ", OperatorText(predicate.op()));
  switch (predicate.literal_case()) {
    case v1::Predicate::kStringValue:
      return absl::StrCat(start, " '", absl::StrReplaceAll(predicate.string_value(), {{"'", "''"}}), "'");
    case v1::Predicate::kBooleanValue:
      return absl::StrCat(start, predicate.boolean_value() ? " TRUE" : " FALSE");
    case v1::Predicate::kBigintValue:
      return absl::StrCat(start, " ", predicate.bigint_value());
    case v1::Predicate::LITERAL_NOT_SET:
      break;
  }
  return start;
}

struct Produced {
  std::string_view column;
  v1::ColumnType type = v1::COLUMN_TYPE_UNSPECIFIED;
  bool required = false;
};

// What consumers see, by name. A predicate on a column passes no null, but for IS NULL.
std::map<std::string_view, Produced> Output(const v1::RecordPlan& plan) {
  std::map<std::string_view, const v1::InputColumn*> inputs;
  for (const v1::InputColumn& column : plan.columns()) inputs[column.name()] = &column;
  std::map<std::string_view, Produced> output;
  for (const v1::Projection& projection : plan.projections()) {
    Produced& produced = output[projection.name()];
    produced.column = projection.column();
    const auto input = inputs.find(projection.column());
    if (input == inputs.end()) continue;
    produced.type = input->second->type();
    produced.required = input->second->required() ||
                        std::any_of(plan.predicates().begin(), plan.predicates().end(), [&](const v1::Predicate& p) {
                          return p.column() == projection.column() && p.op() != v1::Predicate::IS_NULL;
                        });
  }
  return output;
}

void CompareOutput(const v1::RecordPlan& before, const v1::RecordPlan& after, RecordChange* change) {
  const std::map<std::string_view, Produced> old_columns = Output(before);
  const std::map<std::string_view, Produced> new_columns = Output(after);
  std::vector<std::string> others;
  for (const auto& [name, old_column] : old_columns) {
    const std::string shown = absl::StrCat("`", diag::Visible(name), "`");
    const auto found = new_columns.find(name);
    if (found == new_columns.end()) {
      change->columns.push_back(absl::StrCat(shown, " goes"));
      continue;
    }
    const Produced& now = found->second;
    if (now.type != old_column.type) {
      change->columns.push_back(absl::StrCat(shown, " becomes ", v1::ColumnType_Name(now.type)));
    } else if (now.required != old_column.required) {
      change->columns.push_back(absl::StrCat(shown, now.required ? " is never null any more" : " may be null"));
    }
    if (now.column != old_column.column) {
      others.push_back(absl::StrCat(shown, " comes from `", diag::Visible(now.column), "`"));
    }
  }
  for (const auto& [name, column] : new_columns) {
    if (!old_columns.contains(name)) change->columns.push_back(absl::StrCat("`", diag::Visible(name), "` comes"));
  }
  change->other = absl::StrJoin(others, ", ");
  if (others.empty() && change->columns.empty()) {
    const auto names = [](const v1::RecordPlan& plan) {
      std::vector<std::string_view> list;
      for (const v1::Projection& projection : plan.projections()) list.push_back(projection.name());
      return list;
    };
    change->only_order = names(before) != names(after);
    if (change->only_order) change->other = "its columns stand in another order";
  }
}

bool SameInputs(const v1::RecordPlan& before, const v1::RecordPlan& after) {
  return std::equal(before.columns().begin(), before.columns().end(), after.columns().begin(), after.columns().end(),
                    [](const v1::InputColumn& a, const v1::InputColumn& b) {
                      return std::make_tuple(a.name(), a.member(), a.type(), a.required()) ==
                             std::make_tuple(b.name(), b.member(), b.type(), b.required());
                    });
}

}  // namespace

std::string FilterText(const v1::RecordPlan& plan) {
  if (plan.predicates().empty()) return "everything";
  const std::string text = absl::StrJoin(
      plan.predicates(), " AND ", [](std::string* out, const v1::Predicate& p) { out->append(PredicateText(p)); });
  return diag::Visible(text, kMaxFilterBytes);
}

RecordChange Compare(const v1::RecordPlan& before, const v1::RecordPlan& after) {
  RecordChange change;
  if (before.input_topic() != after.input_topic()) change.unsupported.push_back("its input topic");
  if (before.output_topic() != after.output_topic()) change.unsupported.push_back("its output topic");
  if (before.version() != after.version()) change.unsupported.push_back("the version of its record plan");
  if (!SameInputs(before, after)) change.unsupported.push_back("the columns that its input declares");
  if (before.extra_members() != after.extra_members()) change.unsupported.push_back("extra_members of its input");
  const auto filter = [](const v1::RecordPlan& plan) {
    std::vector<std::string> list;
    for (const v1::Predicate& predicate : plan.predicates()) list.push_back(PredicateText(predicate));
    return list;
  };
  if (filter(before) != filter(after)) {
    change.filter = absl::StrCat("the filter `", FilterText(before), "` becomes `", FilterText(after), "`");
  }
  CompareOutput(before, after, &change);
  return change;
}

std::string Words(const RecordChange& change) {
  std::vector<std::string> words;
  if (!change.filter.empty()) words.push_back(change.filter);
  const size_t shown = std::min(change.columns.size(), kShownColumns);
  words.insert(words.end(), change.columns.begin(), change.columns.begin() + static_cast<std::ptrdiff_t>(shown));
  if (shown < change.columns.size()) {
    words.push_back(absl::StrCat(change.columns.size() - shown, " more columns change"));
  }
  if (!change.other.empty()) words.push_back(change.other);
  return absl::StrJoin(words, ", ");
}

}  // namespace st::plan
