#include "lib/record/reference_json.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "schemas/st/v1/record_plan.pb.h"

namespace st::record {
namespace {

constexpr int kDeepest = 128;

// The well-formed byte sequences of the Unicode Standard, table 3-7.
bool IsWellFormedUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto byte = [&](size_t at) { return i + at < text.size() ? static_cast<unsigned char>(text[i + at]) : 0; };
    const auto is_tail = [&](size_t at, int low = 0x80, int high = 0xbf) {
      return byte(at) >= low && byte(at) <= high;
    };
    const int first = byte(0);
    if (first <= 0x7f) {
      i += 1;
    } else if (first >= 0xc2 && first <= 0xdf && is_tail(1)) {
      i += 2;
    } else if (first >= 0xe0 && first <= 0xef && is_tail(2) &&
               is_tail(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf)) {
      i += 3;
    } else if (first >= 0xf0 && first <= 0xf4 && is_tail(2) && is_tail(3) &&
               is_tail(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf)) {
      i += 4;
    } else {
      return false;
    }
  }
  return true;
}

void AppendUtf8(uint32_t code, std::string* out) {
  const auto put = [out](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (code <= 0x7f) {
    put(code);
  } else if (code <= 0x7ff) {
    put(0xc0 + code / 64);
    put(0x80 + code % 64);
  } else if (code <= 0xffff) {
    put(0xe0 + code / 4096);
    put(0x80 + code / 64 % 64);
    put(0x80 + code % 64);
  } else {
    put(0xf0 + code / 262144);
    put(0x80 + code / 4096 % 64);
    put(0x80 + code / 64 % 64);
    put(0x80 + code % 64);
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  int ParseAll(JsonValue* value) {
    if (!ParseValue(value, 1)) return fault_;
    SkipWhiteSpace();
    if (at_ == text_.size()) return 0;
    return value->kind == JsonValue::Kind::kObject ? v1::TRAILING_DATA : v1::SYNTAX;
  }

 private:
  bool Fail(int fault) {
    fault_ = fault;
    return false;
  }

  bool Take(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return false;
    at_ += expected.size();
    return true;
  }

  void SkipWhiteSpace() {
    while (Take(" ") || Take("\t") || Take("\n") || Take("\r")) {
    }
  }

  bool IsDigit() const { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; }

  bool TakeDigits() {
    if (!IsDigit()) return false;
    while (IsDigit()) ++at_;
    return true;
  }

  // `level` is that of a container that starts here.
  bool ParseValue(JsonValue* value, int level) {
    SkipWhiteSpace();
    const size_t start = at_;
    if (!ParseBare(value, level)) return false;
    value->raw = std::string(text_.substr(start, at_ - start));
    return true;
  }

  bool ParseBare(JsonValue* value, int level) {
    using Kind = JsonValue::Kind;
    const bool container = at_ < text_.size() && (text_[at_] == '{' || text_[at_] == '[');
    if (container && level > kDeepest) return Fail(v1::TOO_DEEP);
    if (Take("{")) return ParseObject(value, level);
    if (Take("[")) return ParseArray(value, level);
    value->kind = Kind::kString;
    if (Take("\"")) return ParseString(&value->text);
    value->kind = Kind::kTrue;
    if (Take("true")) return true;
    value->kind = Kind::kFalse;
    if (Take("false")) return true;
    value->kind = Kind::kNull;
    if (Take("null")) return true;
    value->kind = Kind::kNumber;
    return ParseNumber();
  }

  bool ParseObject(JsonValue* value, int level) {
    value->kind = JsonValue::Kind::kObject;
    SkipWhiteSpace();
    if (Take("}")) return true;
    do {
      SkipWhiteSpace();
      value->members.emplace_back();
      auto& [name, member] = value->members.back();
      if (!Take("\"")) return Fail(v1::SYNTAX);
      if (!ParseString(&name)) return false;
      SkipWhiteSpace();
      if (!Take(":")) return Fail(v1::SYNTAX);
      if (!ParseValue(&member, level + 1)) return false;
      SkipWhiteSpace();
    } while (Take(","));
    return Take("}") || Fail(v1::SYNTAX);
  }

  bool ParseArray(JsonValue* value, int level) {
    value->kind = JsonValue::Kind::kArray;
    SkipWhiteSpace();
    if (Take("]")) return true;
    do {
      JsonValue element;
      if (!ParseValue(&element, level + 1)) return false;
      SkipWhiteSpace();
    } while (Take(","));
    return Take("]") || Fail(v1::SYNTAX);
  }

  bool ParseNumber() {
    Take("-");
    if (!Take("0") && !TakeDigits()) return Fail(v1::SYNTAX);
    if (Take(".") && !TakeDigits()) return Fail(v1::SYNTAX);
    if (Take("e") || Take("E")) {
      if (!Take("+")) Take("-");
      if (!TakeDigits()) return Fail(v1::SYNTAX);
    }
    return true;
  }

  bool ParseString(std::string* text) {
    for (;;) {
      if (at_ == text_.size()) return Fail(v1::SYNTAX);
      if (Take("\"")) return true;
      if (Take("\\")) {
        if (!ParseEscape(text)) return false;
        continue;
      }
      if (static_cast<unsigned char>(text_[at_]) < 0x20) return Fail(v1::SYNTAX);
      text->push_back(text_[at_++]);
    }
  }

  bool ParseEscape(std::string* text) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (at_ == text_.size()) return Fail(v1::SYNTAX);
    const char letter = text_[at_++];
    if (letter == 'u') return ParseUnicode(text);
    const size_t index = kLetters.find(letter);
    if (index == std::string_view::npos) return Fail(v1::SYNTAX);
    text->push_back(kMeanings[index]);
    return true;
  }

  bool ParseUnicode(std::string* text) {
    uint32_t code = 0;
    if (!ParseHex(&code)) return false;
    if (code >= 0xdc00 && code <= 0xdfff) return Fail(v1::UNPAIRED_SURROGATE);
    if (code >= 0xd800 && code <= 0xdbff) {
      uint32_t low = 0;
      if (!Take("\\u")) return Fail(v1::UNPAIRED_SURROGATE);
      if (!ParseHex(&low)) return false;
      if (low < 0xdc00 || low > 0xdfff) return Fail(v1::UNPAIRED_SURROGATE);
      code = 0x10000 + (code - 0xd800) * 1024 + (low - 0xdc00);
    }
    AppendUtf8(code, text);
    return true;
  }

  bool ParseHex(uint32_t* code) {
    for (int i = 0; i < 4; ++i) {
      if (at_ == text_.size()) return Fail(v1::SYNTAX);
      const char c = text_[at_++];
      uint32_t digit = 0;
      if (c >= '0' && c <= '9') {
        digit = static_cast<uint32_t>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        digit = static_cast<uint32_t>(c - 'a') + 10;
      } else if (c >= 'A' && c <= 'F') {
        digit = static_cast<uint32_t>(c - 'A') + 10;
      } else {
        return Fail(v1::SYNTAX);
      }
      *code = *code * 16 + digit;
    }
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  int fault_ = 0;
};

}  // namespace

int ReadJson(std::string_view text, JsonValue* value) {
  if (text.empty()) return v1::EMPTY_VALUE;
  if (!IsWellFormedUtf8(text)) return v1::INVALID_UTF8;
  if (text.substr(0, 3) == "\xef\xbb\xbf") return v1::BYTE_ORDER_MARK;
  return Parser(text).ParseAll(value);
}

std::string SpellString(std::string_view text) {
  std::string spelt = "\"";
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"') {
      spelt += "\\\"";
    } else if (c == '\\') {
      spelt += "\\\\";
    } else if (c == '\b') {
      spelt += "\\b";
    } else if (c == '\t') {
      spelt += "\\t";
    } else if (c == '\n') {
      spelt += "\\n";
    } else if (c == '\f') {
      spelt += "\\f";
    } else if (c == '\r') {
      spelt += "\\r";
    } else if (byte < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(byte));
      spelt += escape;
    } else {
      spelt += c;
    }
  }
  return spelt + "\"";
}

}  // namespace st::record
