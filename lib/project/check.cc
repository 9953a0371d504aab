#include "lib/project/check.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/id.h"

namespace st::project {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

namespace {

const FieldDescriptor* Field(const Message& message, std::string_view name) {
  return message.GetDescriptor()->FindFieldByName(std::string(name));
}

std::string Text(const Message& message, std::string_view field) {
  return message.GetReflection()->GetString(message, Field(message, field));
}

bool Has(const Message& message, std::string_view field) {
  return message.GetReflection()->HasField(message, Field(message, field));
}

}  // namespace

std::string FormChecker::Quote(const Message& message, std::string_view field, std::string_view value,
                               int index) const {
  if (positions_.FromVariable(message, field, index)) return "the variable's value";
  return absl::StrCat("`", diag::Visible(value, 80), "`");
}

bool FormChecker::IsWritten(const Message& message, std::string_view field) const {
  return positions_.IsWritten(message, field);
}

void FormChecker::Missing(const Message& message, std::string_view field, std::string text, std::string_view hint) {
  if (!IsWritten(message, field)) Error(message, field, "MISSING_FIELD", std::move(text), hint);
}

bool FormChecker::Require(const Message& message, std::string_view field, std::string_view hint) {
  if (Has(message, field)) {
    if (!Text(message, field).empty()) return true;
    Error(message, field, "MISSING_FIELD", absl::StrCat("`", field, "` is empty"), hint);
    return false;
  }
  Missing(message, field, absl::StrCat("`", field, "` is missing"), hint);
  return false;
}

void FormChecker::Name(const Message& message, std::string_view what, NameKind kind, size_t max_bytes) {
  if (!Require(message, "name", NameRule(kind))) return;
  const std::string name = Text(message, "name");
  if (!IsName(name, kind)) {
    const std::string suggestion = SuggestName(name, kind);
    Error(message, "name", "BAD_NAME", absl::StrCat(Quote(message, "name", name), " is no name for ", what),
          absl::StrCat(NameRule(kind), suggestion.empty() ? "" : absl::StrCat(", such as ", suggestion)));
  } else if (name.size() > max_bytes) {
    Error(message, "name", "BAD_NAME", absl::StrCat("the name of ", what, " has more than ", max_bytes, " bytes"));
  }
}

void FormChecker::Choice(const Message& message, std::string_view field, std::initializer_list<std::string_view> known,
                         std::initializer_list<OtherValue> others) {
  if (!Has(message, field)) return;
  const std::string value = Text(message, field);
  const std::vector<std::string_view> values(known);
  std::string_view nearest;
  for (const std::string_view each : values) {
    if (each == value) return;
    if (absl::EqualsIgnoreCase(each, value)) nearest = each;
  }
  for (const OtherValue& other : others) {
    if (!absl::EqualsIgnoreCase(other.value, value)) continue;
    Error(message, field, "UNSUPPORTED_VALUE", absl::StrCat("`", field, ": ", other.value, "` is not supported"),
          other.hint);
    return;
  }
  const std::string all = absl::StrCat("known are ", absl::StrJoin(values, ", "));
  if (nearest.empty()) nearest = base::Nearest(value, values);
  const bool hidden = positions_.FromVariable(message, field);
  Error(message, field, "UNKNOWN_VALUE",
        hidden ? absl::StrCat("the variable's value is unknown for `", field, "`")
               : absl::StrCat("unknown value ", Quote(message, field, value), " for `", field, "`"),
        hidden || nearest.empty() ? all : absl::StrCat("did you mean `", nearest, "`? ", all));
}

void FormChecker::Range(const Message& message, std::string_view field, uint32_t least, uint32_t most) {
  if (!Has(message, field)) return;
  const uint32_t value = message.GetReflection()->GetUInt32(message, Field(message, field));
  if (value >= least && value <= most) return;
  Error(message, field, "BAD_VALUE", absl::StrCat("`", field, "` must be a number from ", least, " to ", most));
}

void CheckForm(const v1::Project& project, const Positions& positions, std::string_view environment, bool complete,
               diag::Diagnostics* diagnostics) {
  FormChecker check(positions, diagnostics);
  CheckSettings(project, complete, &check);
  CheckDeclarations(project, environment, &check);
}

}  // namespace st::project
