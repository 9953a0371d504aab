#include "lib/docio/value.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/id.h"

namespace st::docio {
namespace {

using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;

bool IsHex(char c) { return absl::ascii_isxdigit(static_cast<unsigned char>(c)); }

bool IsOctal(char c) { return c >= '0' && c <= '7'; }

bool AllHex(std::string_view text, size_t count) {
  return text.size() >= count && std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(count), IsHex);
}

// `after` begins behind a backslash. The escapes of protobuf's tokenizer.
bool IsEscape(std::string_view after) {
  if (after.empty()) return false;
  const std::string_view rest = after.substr(1);
  switch (after[0]) {
    case 'x':
      return AllHex(rest, 1);
    case 'u':
      return AllHex(rest, 4);
    case 'U':
      // Up to U+10FFFF.
      return AllHex(rest, 8) && rest.substr(0, 2) == "00" && (rest[2] == '0' || rest.substr(2, 2) == "10");
    default:
      return IsOctal(after[0]) || std::string_view("abfnrtv\\?'\"").find(after[0]) != std::string_view::npos;
  }
}

bool IsPlain(std::string_view token) {
  return std::all_of(token.begin(), token.end(), [](char c) { return c >= 0x20 && c < 0x7F && c != '\\'; });
}

// Digits of base 10, of base 16 after 0x, of base 8 after 0.
bool ParseWhole(std::string_view digits, uint64_t* value) {
  uint64_t base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    const bool hex = digits[1] == 'x' || digits[1] == 'X';
    base = hex ? 16 : 8;
    digits.remove_prefix(hex ? 2 : 1);
  }
  if (digits.empty()) return false;
  *value = 0;
  for (char c : digits) {
    if (!IsHex(c)) return false;
    const auto digit =
        static_cast<uint64_t>(absl::ascii_isdigit(static_cast<unsigned char>(c)) ? c - '0' : (c | 0x20) - 'a' + 10);
    if (digit >= base || *value > (std::numeric_limits<uint64_t>::max() - digit) / base) return false;
    *value = *value * base + digit;
  }
  return true;
}

class Setter {
 public:
  Setter(const FieldInfo& info, google::protobuf::Message* message, const google::protobuf::Reflection& reflection,
         Findings* findings)
      : info_(info), message_(message), reflection_(reflection), findings_(findings) {}

  void Set(Scalar scalar);

 private:
  void SetString(Scalar scalar);
  void SetBool(const Scalar& scalar);
  void SetEnum(const Scalar& scalar);
  template <typename T>
  bool Whole(const Scalar& scalar, T* value);
  void CheckVisible(const Scalar& scalar);
  void Bad(const Scalar& scalar, std::string_view wanted) {
    findings_->Add(scalar.where, "BAD_VALUE", absl::StrCat("field '", info_.field->name(), "' is ", wanted));
  }

  const FieldInfo& info_;
  google::protobuf::Message* const message_;
  const google::protobuf::Reflection& reflection_;
  Findings* const findings_;
};

void Setter::Set(Scalar scalar) {
  const FieldDescriptor* field = info_.field;
  switch (info_.cpp_type) {
    case FieldDescriptor::CPPTYPE_STRING:
      return SetString(std::move(scalar));
    case FieldDescriptor::CPPTYPE_BOOL:
      return SetBool(scalar);
    case FieldDescriptor::CPPTYPE_ENUM:
      return SetEnum(scalar);
    case FieldDescriptor::CPPTYPE_INT32:
      if (int32_t value = 0; Whole(scalar, &value)) {
        info_.repeated ? reflection_.AddInt32(message_, field, value) : reflection_.SetInt32(message_, field, value);
      }
      return;
    case FieldDescriptor::CPPTYPE_INT64:
      if (int64_t value = 0; Whole(scalar, &value)) {
        info_.repeated ? reflection_.AddInt64(message_, field, value) : reflection_.SetInt64(message_, field, value);
      }
      return;
    case FieldDescriptor::CPPTYPE_UINT32:
      if (uint32_t value = 0; Whole(scalar, &value)) {
        info_.repeated ? reflection_.AddUInt32(message_, field, value) : reflection_.SetUInt32(message_, field, value);
      }
      return;
    case FieldDescriptor::CPPTYPE_UINT64:
      if (uint64_t value = 0; Whole(scalar, &value)) {
        info_.repeated ? reflection_.AddUInt64(message_, field, value) : reflection_.SetUInt64(message_, field, value);
      }
      return;
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return Bad(scalar, "a message: write { ... }");
    // Documents hold no floats, so that equal meaning is equal bytes.
    case FieldDescriptor::CPPTYPE_FLOAT:
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return Bad(scalar, "of a type that documents do not use");
  }
}

void Setter::SetString(Scalar scalar) {
  if (scalar.kind != Token::kString) return Bad(scalar, "text: write it in quotes");
  if (!scalar.plain && info_.type == FieldDescriptor::TYPE_STRING) CheckVisible(scalar);
  if (info_.repeated) return reflection_.AddString(message_, info_.field, std::move(scalar.bytes));
  reflection_.SetString(message_, info_.field, std::move(scalar.bytes));
}

void Setter::CheckVisible(const Scalar& scalar) {
  const std::string& name = info_.field->name();
  if (!diag::IsUtf8(scalar.bytes)) {
    findings_->Add(scalar.where, "NOT_UTF8", absl::StrCat("field '", name, "' is text, and its value is not UTF-8"),
                   "write the character itself, or \\u and its number");
    return;
  }
  const size_t hidden = diag::FindInvisible(scalar.bytes, /*allow_whitespace=*/true);
  if (hidden == std::string::npos) return;
  // Where the text shows the character, point at it; where it was escaped, at the value.
  const size_t in_token = diag::FindInvisible(scalar.where, true);
  const int length = diag::DecodeUtf8(scalar.bytes, hidden).length;
  findings_->Add(in_token == std::string_view::npos ? scalar.where : scalar.where.substr(in_token, 1),
                 "INVISIBLE_CHARACTER",
                 absl::StrCat("field '", name, "' holds a character that cannot be seen: ",
                              diag::Visible(std::string_view(scalar.bytes).substr(hidden, length))),
                 "remove it: what is reviewed must be what counts");
}

void Setter::SetBool(const Scalar& scalar) {
  bool value = false;
  uint64_t number = 0;
  if (scalar.kind == Token::kName && !scalar.negative) {
    const std::string_view word = scalar.word;
    value = word == "true" || word == "True" || word == "t";
    if (!value && word != "false" && word != "False" && word != "f") return Bad(scalar, "true or false");
  } else if (scalar.kind == Token::kNumber && !scalar.negative && ParseWhole(scalar.word, &number) && number <= 1) {
    value = number == 1;
  } else {
    return Bad(scalar, "true or false");
  }
  if (info_.repeated) return reflection_.AddBool(message_, info_.field, value);
  reflection_.SetBool(message_, info_.field, value);
}

void Setter::SetEnum(const Scalar& scalar) {
  const google::protobuf::EnumDescriptor& type = *info_.field->enum_type();
  const EnumValueDescriptor* found = nullptr;
  uint64_t number = 0;
  if (scalar.kind == Token::kString) return Bad(scalar, "a name without quotes");
  if (scalar.kind == Token::kName && !scalar.negative) found = type.FindValueByName(std::string(scalar.word));
  if (scalar.kind == Token::kNumber && !scalar.negative && ParseWhole(scalar.word, &number) &&
      number <= std::numeric_limits<int32_t>::max()) {
    found = type.FindValueByNumber(static_cast<int>(number));
  }
  if (found == nullptr) {
    std::vector<std::string_view> names;
    for (int i = 0; i < type.value_count(); ++i) names.push_back(type.value(i)->name());
    const std::string_view nearest = base::Nearest(scalar.word, names);
    findings_->Add(
        scalar.where, "UNKNOWN_VALUE",
        absl::StrCat("field '", info_.field->name(), "' has no value '", diag::Visible(scalar.word, 100), "'"),
        nearest.empty() ? absl::StrCat("its values are ", absl::StrJoin(names, ", "))
                        : absl::StrCat("did you mean '", nearest, "'?"));
    return;
  }
  if (info_.repeated) return reflection_.AddEnum(message_, info_.field, found);
  reflection_.SetEnum(message_, info_.field, found);
}

template <typename T>
bool Setter::Whole(const Scalar& scalar, T* value) {
  using Limits = std::numeric_limits<T>;
  const auto most = static_cast<uint64_t>(Limits::max());
  uint64_t size = 0;
  const bool minus_allowed = Limits::min() != 0;
  const bool fits = scalar.kind == Token::kNumber && ParseWhole(scalar.word, &size) &&
                    (scalar.negative ? minus_allowed && size <= most + 1 : size <= most);
  if (!fits) {
    Bad(scalar, absl::StrCat("a whole number from ", Limits::min(), " to ", Limits::max()));
    return false;
  }
  // Two's complement: the negation of the smallest value is defined in unsigned numbers only.
  *value = static_cast<T>(scalar.negative ? ~size + 1 : size);
  return true;
}

}  // namespace

void AppendString(std::string_view token, Scalar* scalar, Findings* findings) {
  if (IsPlain(token)) {
    scalar->bytes.append(token.substr(1, token.size() - 2));
    return;
  }
  scalar->plain = false;
  for (size_t at = token.find('\\'); at != std::string_view::npos; at = token.find('\\', at + 2)) {
    if (IsEscape(token.substr(at + 1, token.size() - at - 2))) continue;
    findings->Add(token.substr(at, 1), "TEXT_SYNTAX", "a backslash that begins no escape of this format",
                  "write \\\\ for a backslash");
    return;
  }
  google::protobuf::io::Tokenizer::ParseStringAppend(std::string(token), &scalar->bytes);
}

void SetScalar(const FieldInfo& info, Scalar scalar, google::protobuf::Message* message,
               const google::protobuf::Reflection& reflection, Findings* findings) {
  Setter(info, message, reflection, findings).Set(std::move(scalar));
}

}  // namespace st::docio
