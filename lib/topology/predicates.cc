#include "lib/topology/predicates.h"

#include <cstdint>
#include <string_view>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::topology {
namespace {

bool IsWhole(const v1::Predicate& predicate, v1::ColumnType type) {
  const auto literal = predicate.literal_case();
  switch (predicate.op()) {
    case v1::Predicate::IS_NULL:
    case v1::Predicate::IS_NOT_NULL:
      return literal == v1::Predicate::LITERAL_NOT_SET;
    case v1::Predicate::LT:
    case v1::Predicate::LE:
    case v1::Predicate::GT:
    case v1::Predicate::GE:
      return type == v1::BIGINT && literal == v1::Predicate::kBigintValue;
    case v1::Predicate::EQ:
    case v1::Predicate::NE:
      return (type == v1::STRING && literal == v1::Predicate::kStringValue) ||
             (type == v1::BOOLEAN && literal == v1::Predicate::kBooleanValue) ||
             (type == v1::BIGINT && literal == v1::Predicate::kBigintValue);
    default:
      return false;
  }
}

auto Key(const v1::Predicate& predicate) {
  return std::make_tuple(std::string_view(predicate.column()), static_cast<int>(predicate.op()),
                         std::string_view(predicate.string_value()), predicate.boolean_value(),
                         predicate.bigint_value());
}

}  // namespace

bool ArePredicatesCanonical(const v1::RecordPlan& plan) {
  absl::flat_hash_map<std::string_view, v1::ColumnType> types;
  for (const v1::InputColumn& column : plan.columns()) types.emplace(column.name(), column.type());
  const v1::Predicate* last = nullptr;
  for (const v1::Predicate& predicate : plan.predicates()) {
    const auto type = types.find(predicate.column());
    if (type == types.end() || !IsWhole(predicate, type->second)) return false;
    if (last != nullptr && Key(*last) >= Key(predicate)) return false;
    last = &predicate;
  }
  return true;
}

}  // namespace st::topology
