// A parsed statement against the columns of its input.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "lib/base/id.h"
#include "lib/sql/canonical.h"
#include "lib/sql/contradiction.h"
#include "lib/sql/finding_sink.h"
#include "lib/sql/refusals.h"
#include "lib/sql/statement.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::sql {
namespace {

// Suggestions cost an edit distance a column, so a statement gets so many at most.
constexpr size_t kMaxSuggestions = 10;
constexpr size_t kMaxSuggestionColumns = 1000;
constexpr int kColumnsListed = 8;

const char* LiteralName(const Literal& literal) {
  if (std::holds_alternative<std::string>(literal)) return "a string";
  if (std::holds_alternative<bool>(literal)) return "TRUE or FALSE";
  return "a number";
}

bool HasType(const Literal& literal, v1::ColumnType type) {
  switch (type) {
    case v1::STRING:
      return std::holds_alternative<std::string>(literal);
    case v1::BOOLEAN:
      return std::holds_alternative<bool>(literal);
    case v1::BIGINT:
      return std::holds_alternative<int64_t>(literal);
    default:
      return false;
  }
}

bool IsOrdering(Operator op) {
  return op == Operator::kLess || op == Operator::kLessEqual || op == Operator::kGreater ||
         op == Operator::kGreaterEqual;
}

class Checker {
 public:
  Checker(const Statement::Impl& statement, const std::vector<v1::InputColumn>& inputs, FindingSink* sink)
      : statement_(statement), inputs_(inputs), sink_(sink) {
    columns_.reserve(inputs.size());
    for (const v1::InputColumn& column : inputs) columns_.emplace(column.name(), &column);
  }

  Checked Run() {
    for (const Condition& condition : statement_.conditions) {
      if (sink_->full()) return {};
      CheckCondition(condition);
    }
    Checked checked;
    checked.columns.reserve(statement_.items.size());
    for (const Item& item : statement_.items) {
      if (sink_->full()) return {};
      const v1::InputColumn* column = Find(item.column, item.column_offset, false);
      if (column == nullptr) continue;
      const bool proven = not_null_.contains(item.column);
      checked.columns.push_back({item.name, static_cast<int>(column->type()), column->required() || proven});
    }
    if (!sink_->has_errors()) WarnOfContradictions(statement_.conditions, columns_, sink_);
    return checked;
  }

 private:
  // nullptr when it is refused.
  const v1::InputColumn* Find(const std::string& name, size_t offset, bool in_where) {
    const auto found = columns_.find(name);
    if (found != columns_.end()) return found->second;
    if (in_where) {
      for (const Item& item : statement_.items) {
        if (item.name != name || !columns_.contains(item.column)) continue;
        sink_->Refuse(refusal::kAliasInWhere, offset, name, item.column);
        return nullptr;
      }
    }
    std::string_view near;
    if (suggestions_ < kMaxSuggestions && inputs_.size() <= kMaxSuggestionColumns) {
      ++suggestions_;
      std::vector<std::string_view> names;
      for (const v1::InputColumn& column : inputs_) names.push_back(column.name());
      near = base::Nearest(name, names);
    }
    near.empty() ? sink_->Refuse(refusal::kUnknownColumn, offset, name, KnownColumns())
                 : sink_->Refuse(refusal::kUnknownColumnNear, offset, name, near);
    return nullptr;
  }

  std::string KnownColumns() const {
    if (inputs_.empty()) return "the input declares no columns";
    std::string list;
    for (int i = 0; i < static_cast<int>(inputs_.size()); ++i) {
      if (i == kColumnsListed) return absl::StrCat("it has ", list, " and ", inputs_.size() - i, " more");
      absl::StrAppend(&list, i == 0 ? "" : ", ", inputs_[i].name());
    }
    return absl::StrCat("it has ", list);
  }

  void CheckCondition(const Condition& condition) {
    const v1::InputColumn* column = Find(condition.column, condition.column_offset, true);
    if (column == nullptr) return;
    if (condition.op != Operator::kIsNull) not_null_.insert(condition.column);
    if (condition.op == Operator::kIsNull || condition.op == Operator::kIsNotNull) return;
    const std::string& type = v1::ColumnType_Name(column->type());
    if (column->type() == v1::ANY) {
      sink_->Refuse(refusal::kAnyCompared, condition.column_offset, condition.column);
    } else if (condition.bare && column->type() != v1::BOOLEAN) {
      sink_->Refuse(refusal::kNotBoolean, condition.column_offset, condition.column, type);
    } else if (IsOrdering(condition.op) && column->type() != v1::BIGINT) {
      sink_->Refuse(refusal::kOrderType, condition.op_offset, condition.column, type);
    } else if (!HasType(condition.literal, column->type())) {
      sink_->Refuse(refusal::kType, condition.literal_offset, condition.column,
                    absl::StrCat(type, " and cannot be compared with ", LiteralName(condition.literal)));
    }
  }

  const Statement::Impl& statement_;
  const std::vector<v1::InputColumn>& inputs_;
  FindingSink* sink_;
  absl::flat_hash_map<std::string_view, const v1::InputColumn*> columns_;
  absl::flat_hash_set<std::string_view> not_null_;
  size_t suggestions_ = 0;
};

}  // namespace

std::optional<Checked> Check(const Statement& statement, const std::vector<v1::InputColumn>& inputs,
                             v1::RecordPlan* plan, std::vector<Finding>* findings) {
  FindingSink sink(findings);
  Checked checked = Checker(statement.impl(), inputs, &sink).Run();
  if (sink.has_errors()) return std::nullopt;
  FillPlan(statement.impl(), inputs, plan);
  return checked;
}

}  // namespace st::sql
