// YAML values as JSON text.
#include <google/protobuf/descriptor.h>

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/project/yaml_mapper.h"

namespace st::project {
namespace {

size_t Digits(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[end]))) ++end;
  return end - at;
}

// Length of `.digits` and of an exponent at `at`; npos when begun and not well-formed.
constexpr size_t kNone = std::string_view::npos;

size_t Exponent(std::string_view text, size_t at) {
  if (at >= text.size() || (text[at] != 'e' && text[at] != 'E')) return 0;
  size_t digits = at + 1;
  if (digits < text.size() && (text[digits] == '+' || text[digits] == '-')) ++digits;
  const size_t count = Digits(text, digits);
  return count == 0 ? kNone : digits + count - at;
}

// RFC 8259, section 6.
bool IsJsonNumber(std::string_view text) {
  size_t at = absl::StartsWith(text, "-") ? 1 : 0;
  const size_t whole = Digits(text, at);
  if (whole == 0 || (whole > 1 && text[at] == '0')) return false;
  at += whole;
  if (at < text.size() && text[at] == '.') {
    const size_t fraction = Digits(text, at + 1);
    if (fraction == 0) return false;
    at += fraction + 1;
  }
  const size_t exponent = Exponent(text, at);
  return exponent != kNone && at + exponent == text.size();
}

// YAML 1.2.2, section 10.3.2: what its core schema takes for a number.
bool IsCoreNumber(std::string_view text) {
  if (absl::StartsWith(text, "0x")) {
    return text.size() > 2 && text.find_first_not_of("0123456789abcdefABCDEF", 2) == kNone;
  }
  if (absl::StartsWith(text, "0o")) return text.size() > 2 && text.find_first_not_of("01234567", 2) == kNone;
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return true;
  if (absl::StartsWith(text, "-") || absl::StartsWith(text, "+")) text.remove_prefix(1);
  if (text == ".inf" || text == ".Inf" || text == ".INF") return true;
  size_t at = Digits(text, 0);
  size_t digits = at;
  if (at < text.size() && text[at] == '.') {
    const size_t fraction = Digits(text, at + 1);
    digits += fraction;
    at += fraction + 1;
  }
  if (digits == 0) return false;
  const size_t exponent = Exponent(text, at);
  return exponent != kNone && at + exponent == text.size();
}

bool IsCoreWord(std::string_view text) {
  return absl::EqualsIgnoreCase(text, "true") || absl::EqualsIgnoreCase(text, "false") ||
         absl::EqualsIgnoreCase(text, "null");
}

class Renderer {
 public:
  Renderer(const YamlTree& tree, Reading* reading) : tree_(tree), reading_(*reading) {}

  // The tree's nesting is limited, through aliases too.
  void Value(const YamlNode& node) {
    switch (node.kind) {
      case YamlNode::Kind::kMapping:
        Object(node);
        return;
      case YamlNode::Kind::kSequence:
        Array(node);
        return;
      default:
        Scalar(node);
        return;
    }
  }

  bool ok() const { return ok_; }
  std::string&& Take() { return std::move(out_); }

 private:
  void Object(const YamlNode& node) {
    std::string_view separator = "{";
    for (uint32_t index = node.first; index != 0; index = tree_.Next(tree_.Next(index))) {
      out_ += separator;
      separator = ",";
      String(tree_.Text(tree_.At(index)));
      out_ += ':';
      Value(tree_.At(tree_.Next(index)));
    }
    out_ += node.first == 0 ? "{}" : "}";
  }

  void Array(const YamlNode& node) {
    std::string_view separator = "[";
    for (uint32_t index = node.first; index != 0; index = tree_.Next(index)) {
      out_ += separator;
      separator = ",";
      Value(tree_.At(index));
    }
    out_ += node.first == 0 ? "[]" : "]";
  }

  void Scalar(const YamlNode& node) {
    std::string text;
    bool from_variable = false;
    if (!Expand(tree_.Text(node), *reading_.variables, tree_.PositionOf(node), Lines::kRefuse, reading_.diagnostics,
                &text, &from_variable)) {
      ok_ = false;
      return;
    }
    if (node.style != YamlNode::Style::kPlain) {
      String(text);
    } else if (tree_.IsNull(node)) {
      out_ += "null";
    } else if (text == "true" || text == "false" || IsJsonNumber(text)) {
      out_ += text;
    } else if (IsCoreWord(text) || IsCoreNumber(text)) {
      ok_ = false;
      reading_.diagnostics->Error(tree_.PositionOf(node), "AMBIGUOUS_VALUE",
                                  "this is a number, a boolean or null to YAML in a spelling that JSON lacks",
                                  "put it in quotes for text, or write it as JSON does");
    } else {
      String(text);
    }
  }

  void String(std::string_view text) {
    out_ += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') {
        out_ += '\\';
        out_ += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        absl::StrAppendFormat(&out_, "\\u%04x", static_cast<unsigned char>(c));
      } else {
        out_ += c;
      }
    }
    out_ += '"';
  }

  const YamlTree& tree_;
  Reading& reading_;
  std::string out_;
  bool ok_ = true;
};

}  // namespace

std::optional<std::string> JsonText(const YamlTree& tree, uint32_t index, Reading* reading) {
  Renderer renderer(tree, reading);
  renderer.Value(tree.At(index));
  if (!renderer.ok()) return std::nullopt;
  return renderer.Take();
}

}  // namespace st::project
