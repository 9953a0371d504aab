#include "lib/record/plan_check.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/diag/diag.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::record {
namespace {

using Columns = std::map<std::string_view, const v1::InputColumn*>;

constexpr size_t kMaxMemberBytes = 256;

template <typename... Parts>
absl::Status NotWhole(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat("record plan: ", parts...));
}

// A field that this version does not know could change what the plan means.
absl::Status CheckUnknownFields(const google::protobuf::Message& message) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  const google::protobuf::UnknownFieldSet& unknown = reflection.GetUnknownFields(message);
  if (!unknown.empty()) {
    return NotWhole(message.GetDescriptor()->name(), " has the unknown field number ", unknown.field(0).number());
  }
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const google::protobuf::FieldDescriptor* field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      absl::Status status = CheckUnknownFields(reflection.GetRepeatedMessage(message, field, i));
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status CheckHead(const v1::RecordPlan& plan) {
  if (plan.version() != 1) return NotWhole("version ", plan.version(), " is not 1");
  if (plan.input_topic().empty()) return NotWhole("no input topic");
  if (plan.output_topic().empty()) return NotWhole("no output topic");
  if (plan.input_topic() == plan.output_topic()) return NotWhole("the input topic is the output topic");
  if (plan.extra_members() != v1::refuse && plan.extra_members() != v1::ignore) {
    return NotWhole("extra_members is neither refuse nor ignore");
  }
  return absl::OkStatus();
}

absl::Status CheckColumns(const v1::RecordPlan& plan, Columns* columns) {
  std::set<std::string_view> members;
  std::string_view before;
  for (const v1::InputColumn& column : plan.columns()) {
    const std::string& name = column.name();
    if (name.empty() || !diag::IsUtf8(name)) return NotWhole("a column without a name");
    if (name == before) return NotWhole("column ", name, " stands twice");
    if (name < before) return NotWhole("columns are not sorted by name: ", name, " stands after ", before);
    before = name;
    if (column.member().empty() || column.member().size() > kMaxMemberBytes || !diag::IsUtf8(column.member())) {
      return NotWhole("column ", name, " has no member name of 1 to 256 bytes of UTF-8");
    }
    if (!members.insert(column.member()).second) return NotWhole("column ", name, " has another column's member");
    if (!v1::ColumnType_IsValid(column.type()) || column.type() == v1::COLUMN_TYPE_UNSPECIFIED) {
      return NotWhole("column ", name, " has an unknown type");
    }
    columns->emplace(name, &column);
  }
  if (columns->empty()) return NotWhole("no columns");
  return absl::OkStatus();
}

absl::Status CheckProjections(const v1::RecordPlan& plan, const Columns& columns) {
  std::set<std::string_view> names;
  for (const v1::Projection& projection : plan.projections()) {
    if (!columns.contains(projection.column())) {
      return NotWhole("a projection names the column ", projection.column(), ", which does not exist");
    }
    if (projection.name().empty() || !diag::IsUtf8(projection.name())) return NotWhole("a projection without a name");
    if (!names.insert(projection.name()).second) return NotWhole("output name ", projection.name(), " stands twice");
  }
  if (names.empty()) return NotWhole("no projections");
  return absl::OkStatus();
}

bool IsNullTest(const v1::Predicate& predicate) {
  return predicate.op() == v1::Predicate::IS_NULL || predicate.op() == v1::Predicate::IS_NOT_NULL;
}

bool IsOrdering(const v1::Predicate& predicate) {
  return predicate.op() == v1::Predicate::LT || predicate.op() == v1::Predicate::LE ||
         predicate.op() == v1::Predicate::GT || predicate.op() == v1::Predicate::GE;
}

absl::Status CheckLiteral(const v1::Predicate& predicate, v1::ColumnType type) {
  v1::Predicate::LiteralCase wanted = v1::Predicate::LITERAL_NOT_SET;
  if (!IsNullTest(predicate)) {
    if (type == v1::STRING) wanted = v1::Predicate::kStringValue;
    if (type == v1::BOOLEAN) wanted = v1::Predicate::kBooleanValue;
    if (type == v1::BIGINT) wanted = v1::Predicate::kBigintValue;
    if (type == v1::ANY) return NotWhole("column ", predicate.column(), " is ANY: only IS [NOT] NULL may test it");
  }
  if (predicate.literal_case() != wanted) {
    return NotWhole("a predicate of column ", predicate.column(),
                    wanted == v1::Predicate::LITERAL_NOT_SET ? " tests for null but has a literal"
                                                             : " has no literal of the column's type");
  }
  if (!diag::IsUtf8(predicate.string_value())) {
    return NotWhole("a literal of column ", predicate.column(), " is not UTF-8");
  }
  return absl::OkStatus();
}

std::strong_ordering Order(const v1::Predicate& a, const v1::Predicate& b) {
  if (const auto by_column = a.column() <=> b.column(); by_column != 0) return by_column;
  if (const auto by_operator = static_cast<int>(a.op()) <=> static_cast<int>(b.op()); by_operator != 0) {
    return by_operator;
  }
  // Of one column, so of one type: the others are equal.
  if (const auto by_text = a.string_value() <=> b.string_value(); by_text != 0) return by_text;
  if (const auto by_boolean = a.boolean_value() <=> b.boolean_value(); by_boolean != 0) return by_boolean;
  return a.bigint_value() <=> b.bigint_value();
}

absl::Status CheckPredicates(const v1::RecordPlan& plan, const Columns& columns) {
  const v1::Predicate* before = nullptr;
  for (const v1::Predicate& predicate : plan.predicates()) {
    const auto column = columns.find(predicate.column());
    if (column == columns.end()) {
      return NotWhole("a predicate names the column ", predicate.column(), ", which does not exist");
    }
    if (!v1::Predicate::Operator_IsValid(predicate.op()) || predicate.op() == v1::Predicate::OPERATOR_UNSPECIFIED) {
      return NotWhole("a predicate of column ", predicate.column(), " has an unknown operator");
    }
    if (IsOrdering(predicate) && column->second->type() != v1::BIGINT) {
      return NotWhole("a predicate orders column ", predicate.column(), ", which is not BIGINT");
    }
    absl::Status literal = CheckLiteral(predicate, column->second->type());
    if (!literal.ok()) return literal;
    if (before != nullptr && Order(*before, predicate) >= 0) {
      return NotWhole("predicates are not sorted by column, operator and literal, each once");
    }
    before = &predicate;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckPlan(const v1::RecordPlan& plan) {
  Columns columns;
  absl::Status status = CheckUnknownFields(plan);
  if (status.ok()) status = CheckHead(plan);
  if (status.ok()) status = CheckColumns(plan, &columns);
  if (status.ok()) status = CheckProjections(plan, columns);
  if (status.ok()) status = CheckPredicates(plan, columns);
  return status;
}

}  // namespace st::record
