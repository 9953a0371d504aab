#include "lib/sql/canonical.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <variant>

#include "schemas/st/v1/record_plan.pb.h"

namespace st::sql {
namespace {

constexpr int kPlanVersion = 1;

v1::Predicate::Operator InPlan(Operator op) {
  switch (op) {
    case Operator::kEqual:
      return v1::Predicate::EQ;
    case Operator::kNotEqual:
      return v1::Predicate::NE;
    case Operator::kLess:
      return v1::Predicate::LT;
    case Operator::kLessEqual:
      return v1::Predicate::LE;
    case Operator::kGreater:
      return v1::Predicate::GT;
    case Operator::kGreaterEqual:
      return v1::Predicate::GE;
    case Operator::kIsNull:
      return v1::Predicate::IS_NULL;
    case Operator::kIsNotNull:
      return v1::Predicate::IS_NOT_NULL;
  }
  return v1::Predicate::OPERATOR_UNSPECIFIED;
}

void FillPredicate(const Condition& condition, v1::Predicate* predicate) {
  predicate->set_column(condition.column);
  predicate->set_op(InPlan(condition.op));
  if (const auto* text = std::get_if<std::string>(&condition.literal)) predicate->set_string_value(*text);
  if (const auto* boolean = std::get_if<bool>(&condition.literal)) predicate->set_boolean_value(*boolean);
  if (const auto* number = std::get_if<int64_t>(&condition.literal)) predicate->set_bigint_value(*number);
}

}  // namespace

void FillPlan(const Statement::Impl& statement, const std::vector<v1::InputColumn>& inputs, v1::RecordPlan* plan) {
  plan->set_version(kPlanVersion);
  std::vector<const v1::InputColumn*> columns;
  columns.reserve(inputs.size());
  for (const v1::InputColumn& column : inputs) columns.push_back(&column);
  std::sort(columns.begin(), columns.end(), [](const auto* a, const auto* b) { return a->name() < b->name(); });
  for (const v1::InputColumn* column : columns) *plan->add_columns() = *column;

  for (const Item& item : statement.items) {
    v1::Projection* projection = plan->add_projections();
    projection->set_column(item.column);
    projection->set_name(item.name);
  }

  // A variant orders by alternative, then by value; strings by unsigned bytes.
  const auto key = [](const Condition* c) { return std::tie(c->column, c->op, c->literal); };
  std::vector<const Condition*> conditions;
  conditions.reserve(statement.conditions.size());
  for (const Condition& condition : statement.conditions) conditions.push_back(&condition);
  std::sort(conditions.begin(), conditions.end(), [&](const auto* a, const auto* b) { return key(a) < key(b); });
  const auto repeats =
      std::unique(conditions.begin(), conditions.end(), [&](const auto* a, const auto* b) { return key(a) == key(b); });
  conditions.erase(repeats, conditions.end());
  for (const Condition* condition : conditions) FillPredicate(*condition, plan->add_predicates());
}

}  // namespace st::sql
