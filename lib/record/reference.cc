#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "lib/record/record.h"
#include "lib/record/reference_json.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::record {
namespace {

using Kind = JsonValue::Kind;

struct Finding {
  int kind = 0;
  std::string column;
};

bool IsNumberWithoutFraction(const std::string& text) { return text.find_first_of(".eE") == std::string::npos; }

bool ToBigint(const std::string& text, int64_t* value) {
  errno = 0;
  *value = std::strtoll(text.c_str(), nullptr, 10);
  return errno == 0;
}

// Zero, or the fault of a value in a column.
int CheckValue(const v1::InputColumn& column, const JsonValue& value) {
  if (value.kind == Kind::kNull) return column.required() ? v1::NULL_IN_REQUIRED : 0;
  switch (column.type()) {
    case v1::STRING:
      return value.kind == Kind::kString ? 0 : v1::WRONG_TYPE;
    case v1::BOOLEAN:
      return value.kind == Kind::kTrue || value.kind == Kind::kFalse ? 0 : v1::WRONG_TYPE;
    case v1::BIGINT: {
      int64_t ignored = 0;
      if (value.kind != Kind::kNumber) return v1::WRONG_TYPE;
      if (!IsNumberWithoutFraction(value.raw)) return v1::NOT_AN_INTEGER;
      return ToBigint(value.raw, &ignored) ? 0 : v1::INTEGER_OUT_OF_RANGE;
    }
    default:
      return 0;
  }
}

// The members against the declaration; `row` maps a column to its value.
Finding CheckMembers(const v1::RecordPlan& plan, const JsonValue& object,
                     std::map<std::string, const JsonValue*>* row) {
  std::map<std::string, const v1::InputColumn*> declared;
  for (const v1::InputColumn& column : plan.columns()) declared[column.member()] = &column;
  std::set<std::string> names;
  for (const auto& [name, value] : object.members) {
    const auto column = declared.find(name);
    const std::string shown = column == declared.end() ? name : column->second->name();
    if (!names.insert(name).second) return {v1::DUPLICATE_MEMBER, shown};
    if (column == declared.end()) {
      if (plan.extra_members() != v1::ignore) return {v1::UNKNOWN_MEMBER, shown};
      continue;
    }
    if (const int fault = CheckValue(*column->second, value); fault != 0) return {fault, shown};
    (*row)[column->second->name()] = &value;
  }
  for (const v1::InputColumn& column : plan.columns()) {
    if (!row->contains(column.name())) return {v1::MISSING_MEMBER, column.name()};
  }
  return {};
}

// -1, 0 or 1.
int Compare(const v1::Predicate& predicate, const JsonValue& value) {
  const auto sign = [](const auto& a, const auto& b) { return a < b ? -1 : b < a ? 1 : 0; };
  switch (predicate.literal_case()) {
    case v1::Predicate::kStringValue:
      return sign(value.text, predicate.string_value());
    case v1::Predicate::kBooleanValue:
      return sign(value.kind == Kind::kTrue, predicate.boolean_value());
    default: {
      int64_t number = 0;
      ToBigint(value.raw, &number);
      return sign(number, predicate.bigint_value());
    }
  }
}

bool Holds(const v1::Predicate& predicate, const JsonValue& value) {
  const bool null = value.kind == Kind::kNull;
  if (predicate.op() == v1::Predicate::IS_NULL) return null;
  if (predicate.op() == v1::Predicate::IS_NOT_NULL) return !null;
  if (null) return false;
  const int order = Compare(predicate, value);
  switch (predicate.op()) {
    case v1::Predicate::EQ:
      return order == 0;
    case v1::Predicate::NE:
      return order != 0;
    case v1::Predicate::LT:
      return order < 0;
    case v1::Predicate::LE:
      return order <= 0;
    case v1::Predicate::GT:
      return order > 0;
    default:
      return order >= 0;
  }
}

std::string Spell(v1::ColumnType type, const JsonValue& value) {
  if (value.kind == Kind::kNull) return "null";
  if (type == v1::STRING) return SpellString(value.text);
  int64_t number = 0;
  if (type == v1::BIGINT && ToBigint(value.raw, &number)) return std::to_string(number);
  return value.raw;
}

}  // namespace

Outcome RunReference(const v1::RecordPlan& plan, std::string_view value, std::string* out, Fault* fault,
                     std::string* fault_storage) {
  JsonValue record;
  std::map<std::string, const JsonValue*> row;
  Finding finding{ReadJson(value, &record), ""};
  if (finding.kind == 0 && record.kind != Kind::kObject) finding.kind = v1::NOT_AN_OBJECT;
  if (finding.kind == 0) finding = CheckMembers(plan, record, &row);
  if (finding.kind != 0) {
    *fault_storage = finding.column;
    *fault = {finding.kind, *fault_storage};
    return Outcome::kPoison;
  }
  for (const v1::Predicate& predicate : plan.predicates()) {
    if (!Holds(predicate, *row[predicate.column()])) return Outcome::kFiltered;
  }
  std::map<std::string, v1::ColumnType> types;
  for (const v1::InputColumn& column : plan.columns()) types[column.name()] = column.type();
  std::string text;
  for (const v1::Projection& projection : plan.projections()) {
    text += text.empty() ? "{" : ",";
    text += SpellString(projection.name()) + ":" + Spell(types[projection.column()], *row[projection.column()]);
  }
  *out += text + "}";
  return Outcome::kPass;
}

}  // namespace st::record
