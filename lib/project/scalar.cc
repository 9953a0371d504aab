// Scalars: policy, type, position.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/id.h"
#include "lib/project/reading.h"

namespace st::project {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using Variable = FieldPolicy::Variable;

std::vector<std::string_view> Names(const EnumDescriptor* type) {
  std::vector<std::string_view> names;
  for (int i = 0; i < type->value_count(); ++i) {
    if (type->value(i)->number() != 0) names.push_back(type->value(i)->name());
  }
  return names;
}

bool SecretRefused(Reading* reading, const FieldDescriptor* field, const RawScalar& raw) {
  const bool fallback = absl::StartsWith(raw.text, "${") && absl::StrContains(raw.text, ":-");
  reading->diagnostics->Error(
      reading->places->ToPosition(raw.place), "SECRET_LITERAL",
      fallback
          ? absl::StrCat("`", field->name(), "` is a secret: it has no default")
          : absl::StrCat("`", field->name(), "` is a secret: it must be a reference to a variable, and nothing else"),
      absl::StrCat("write ", field->name(), ": ${", absl::AsciiStrToUpper(field->name()),
                   "}, and set that variable where the tools run"));
  return false;
}

bool WrongType(Reading* reading, const FieldDescriptor* field, const RawScalar& raw, std::string_view wanted,
               std::string_view hint) {
  reading->diagnostics->Error(reading->places->ToPosition(raw.place), "WRONG_TYPE",
                              absl::StrCat("`", field->name(), "` wants ", wanted), std::string(hint));
  return false;
}

bool SetBool(Reading* reading, Message* message, const FieldDescriptor* field, const RawScalar& raw,
             std::string_view text) {
  if (raw.quoted) return WrongType(reading, field, raw, "true or false, not text in quotes", "remove the quotes");
  if (text != "true" && text != "false") return WrongType(reading, field, raw, "true or false", "");
  message->GetReflection()->SetBool(message, field, text == "true");
  return true;
}

bool SetUint32(Reading* reading, Message* message, const FieldDescriptor* field, const RawScalar& raw,
               std::string_view text) {
  if (raw.quoted) return WrongType(reading, field, raw, "a whole number, not text in quotes", "remove the quotes");
  uint32_t value = 0;
  switch (ParseUint32(text, &value)) {
    case Integer::kOk:
      message->GetReflection()->SetUInt32(message, field, value);
      return true;
    case Integer::kNotOne:
      return WrongType(reading, field, raw, "a whole number", "");
    case Integer::kOutOfRange:
      break;
  }
  return WrongType(reading, field, raw, "a whole number from 0 to 4294967295", "");
}

bool SetEnum(Reading* reading, Message* message, const FieldDescriptor* field, const RawScalar& raw,
             std::string_view text, bool from_variable) {
  const EnumDescriptor* type = field->enum_type();
  const EnumValueDescriptor* value = type->FindValueByName(std::string(text));
  if (value != nullptr && value->number() != 0) {
    message->GetReflection()->SetEnum(message, field, value);
    return true;
  }
  const std::vector<std::string_view> names = Names(type);
  std::string_view nearest;
  if (!from_variable) {
    for (const std::string_view name : names) {
      if (absl::EqualsIgnoreCase(name, text)) nearest = name;
    }
    if (nearest.empty()) nearest = base::Nearest(text, names);
  }
  reading->diagnostics->Error(
      reading->places->ToPosition(raw.place), "UNKNOWN_VALUE",
      from_variable ? absl::StrCat("the variable's value is unknown for `", field->name(), "`")
                    : absl::StrCat("unknown value `", diag::Visible(text, 60), "` for `", field->name(), "`"),
      nearest.empty() ? absl::StrCat("known are ", absl::StrJoin(names, ", "))
                      : absl::StrCat("did you mean `", nearest, "`?"));
  return false;
}

void SetString(Message* message, const FieldDescriptor* field, std::string text) {
  if (field->is_repeated()) {
    message->GetReflection()->AddString(message, field, std::move(text));
  } else {
    message->GetReflection()->SetString(message, field, std::move(text));
  }
}

}  // namespace

Integer ParseUint32(std::string_view text, uint32_t* value) {
  const bool negative = absl::StartsWith(text, "-");
  if (negative || absl::StartsWith(text, "+")) text.remove_prefix(1);
  uint32_t base = 10;
  // YAML has no sign before 0o and 0x; nobody will miss the error.
  if (absl::StartsWith(text, "0x") || absl::StartsWith(text, "0o")) {
    base = text[1] == 'x' ? 16 : 8;
    text.remove_prefix(2);
  }
  if (text.empty()) return Integer::kNotOne;
  uint64_t sum = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (!absl::ascii_isxdigit(byte)) return Integer::kNotOne;
    const uint32_t digit = absl::ascii_isdigit(byte) ? byte - '0' : absl::ascii_tolower(byte) - 'a' + 10;
    if (digit >= base) return Integer::kNotOne;
    if (sum <= std::numeric_limits<uint32_t>::max()) sum = sum * base + digit;
  }
  if (sum > std::numeric_limits<uint32_t>::max() || (negative && sum != 0)) return Integer::kOutOfRange;
  *value = static_cast<uint32_t>(sum);
  return Integer::kOk;
}

bool ApplyPolicy(Reading* reading, const FieldDescriptor* field, const RawScalar& raw, std::string* out,
                 bool* from_variable) {
  const FieldPolicy& policy = reading->policies.Of(field);
  *from_variable = false;
  const auto position = [&] { return reading->places->ToPosition(raw.place); };
  const bool has_dollar = raw.text.find('$') != std::string_view::npos;
  if (policy.variable == Variable::kSecret) {
    if (!IsReference(raw.text)) return SecretRefused(reading, field, raw);
    out->assign(raw.text);
    return true;
  }
  if (!has_dollar || policy.variable == Variable::kUntouched ||
      (policy.variable == Variable::kKeepWhole && IsReference(raw.text))) {
    out->assign(raw.text);
  } else if (policy.variable == Variable::kRefuse) {
    out->assign(raw.text);
    if (absl::StrContains(raw.text, "${")) {
      reading->diagnostics->Error(position(), "VARIABLE_NOT_ALLOWED",
                                  absl::StrCat("`", field->name(), "` is never taken from a variable"),
                                  "write it out: what deployed things are called must not depend on who runs the tool");
      return false;
    }
  } else {
    const Lines lines = policy.is_pem ? Lines::kAllow : Lines::kRefuse;
    if (!Expand(raw.text, *reading->variables, position(), lines, reading->diagnostics, out, from_variable)) {
      return false;
    }
    if (policy.variable == Variable::kKeepWhole && IsReference(*out)) {
      reading->diagnostics->Error(position(), "VARIABLE_SYNTAX",
                                  absl::StrCat("`", field->name(), "` cannot be the text of a reference"));
      return false;
    }
  }
  if (policy.invisible == FieldPolicy::Invisible::kData) return true;
  if (diag::HasInvisible(*out, policy.invisible == FieldPolicy::Invisible::kAllowLines)) {
    reading->diagnostics->Error(
        position(), "INVISIBLE_CHARACTER",
        absl::StrCat("`", field->name(), "` holds a character that a reader cannot see",
                     *from_variable || policy.is_pem ? std::string() : absl::StrCat(": ", diag::Visible(*out, 80))),
        "remove it");
    return false;
  }
  return true;
}

namespace {

bool SetTyped(Reading* reading, Message* message, const FieldDescriptor* field, const RawScalar& raw, std::string text,
              bool from_variable) {
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return SetBool(reading, message, field, raw, text);
    case FieldDescriptor::CPPTYPE_UINT32:
      return SetUint32(reading, message, field, raw, text);
    case FieldDescriptor::CPPTYPE_ENUM:
      return SetEnum(reading, message, field, raw, text, from_variable);
    default:
      SetString(message, field, std::move(text));
      return true;
  }
}

}  // namespace

bool SetScalar(Reading* reading, Message* message, const FieldDescriptor* field, const RawScalar& raw) {
  std::string text;
  bool from_variable = false;
  const int index = field->is_repeated() ? message->GetReflection()->FieldSize(*message, field) : -1;
  const bool usable = ApplyPolicy(reading, field, raw, &text, &from_variable);
  RawScalar typed = raw;
  // Quotes around ${VAR} are needed inside of { } and say nothing of the type.
  if (from_variable) typed.quoted = false;
  const bool set = usable && SetTyped(reading, message, field, typed, std::move(text), from_variable);
  // A value that is wrong has a place too.
  reading->places->Add(*message, field->number(), index, raw.place, from_variable);
  if (!set) reading->places->AddRefused(*message, field->number());
  return set;
}

}  // namespace st::project
