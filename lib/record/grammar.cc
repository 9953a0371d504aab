#include "lib/record/grammar.h"

#include <array>
#include <cstddef>

#include "schemas/st/v1/record_plan.pb.h"

namespace st::record {
namespace {

constexpr std::array<int8_t, 256> HexValues() {
  std::array<int8_t, 256> values{};
  for (int8_t& value : values) value = -1;
  for (int8_t i = 0; i < 10; ++i) values[static_cast<size_t>('0' + i)] = i;
  for (int8_t i = 0; i < 6; ++i) {
    values[static_cast<size_t>('a' + i)] = static_cast<int8_t>(10 + i);
    values[static_cast<size_t>('A' + i)] = static_cast<int8_t>(10 + i);
  }
  return values;
}
constexpr std::array<int8_t, 256> kHex = HexValues();

// What a one-letter escape stands for; 0 for what is none.
constexpr std::array<char, 256> Unescaped() {
  std::array<char, 256> letters{};
  letters['"'] = '"';
  letters['\\'] = '\\';
  letters['/'] = '/';
  letters['b'] = '\b';
  letters['f'] = '\f';
  letters['n'] = '\n';
  letters['r'] = '\r';
  letters['t'] = '\t';
  return letters;
}
constexpr std::array<char, 256> kUnescaped = Unescaped();

// The letter of a byte's short escape; 'u' for the other controls, 0 for what stands as it is.
constexpr std::array<char, 256> Escaped() {
  std::array<char, 256> letters{};
  for (size_t i = 0; i < 0x20; ++i) letters[i] = 'u';
  letters['"'] = '"';
  letters['\\'] = '\\';
  letters['\b'] = 'b';
  letters['\t'] = 't';
  letters['\n'] = 'n';
  letters['\f'] = 'f';
  letters['\r'] = 'r';
  return letters;
}
constexpr std::array<char, 256> kEscaped = Escaped();

size_t Index(char c) { return static_cast<unsigned char>(c); }

const char* Refuse(int* fault, v1::FaultKind kind) {
  *fault = kind;
  return nullptr;
}

// Four hex digits, or a negative number. Stops at the first other byte, so it does not run past the padding.
int32_t FourHex(const char* p) {
  int32_t code = 0;
  for (int i = 0; i < 4; ++i) {
    const int8_t digit = kHex[Index(p[i])];
    if (digit < 0) return -1;
    code = code << 4 | digit;
  }
  return code;
}

char* PutCodePoint(uint32_t code, char* out) {
  if (code < 0x80) {
    *out++ = static_cast<char>(code);
  } else if (code < 0x800) {
    *out++ = static_cast<char>(0xc0 | code >> 6);
    *out++ = static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    *out++ = static_cast<char>(0xe0 | code >> 12);
    *out++ = static_cast<char>(0x80 | (code >> 6 & 0x3f));
    *out++ = static_cast<char>(0x80 | (code & 0x3f));
  } else {
    *out++ = static_cast<char>(0xf0 | code >> 18);
    *out++ = static_cast<char>(0x80 | (code >> 12 & 0x3f));
    *out++ = static_cast<char>(0x80 | (code >> 6 & 0x3f));
    *out++ = static_cast<char>(0x80 | (code & 0x3f));
  }
  return out;
}

// What follows `\u`; `p` is the first hex digit.
const char* ReadUnicodeEscape(const char* p, uint32_t* code, int* fault) {
  const int32_t first = FourHex(p);
  if (first < 0) return Refuse(fault, v1::SYNTAX);
  *code = static_cast<uint32_t>(first);
  p += 4;
  if (first < 0xd800 || first > 0xdfff) return p;
  if (first > 0xdbff || p[0] != '\\' || p[1] != 'u') return Refuse(fault, v1::UNPAIRED_SURROGATE);
  const int32_t second = FourHex(p + 2);
  if (second < 0) return Refuse(fault, v1::SYNTAX);
  if (second < 0xdc00 || second > 0xdfff) return Refuse(fault, v1::UNPAIRED_SURROGATE);
  *code = 0x10000 + ((*code - 0xd800) << 10 | (static_cast<uint32_t>(second) - 0xdc00));
  return p + 6;
}

template <bool kDecode>
const char* ReadString(const PaddedText& text, const char* p, char** out, int* fault) {
  for (++p;;) {
    const char* special = text.NextSpecial(p);
    if constexpr (kDecode) {
      std::memcpy(*out, p, static_cast<size_t>(special - p));
      *out += special - p;
    }
    if (*special == '"') return special + 1;
    if (*special != '\\') return Refuse(fault, v1::SYNTAX);
    const char letter = special[1];
    if (letter == 'u') {
      uint32_t code = 0;
      p = ReadUnicodeEscape(special + 2, &code, fault);
      if (p == nullptr) return nullptr;
      if constexpr (kDecode) *out = PutCodePoint(code, *out);
      continue;
    }
    const char plain = kUnescaped[Index(letter)];
    if (plain == 0) return Refuse(fault, v1::SYNTAX);
    if constexpr (kDecode) *(*out)++ = plain;
    p = special + 2;
  }
}

const char* SkipScalar(const PaddedText& text, const char* p, int* fault) {
  if (*p == '"') return SkipString(text, p, fault);
  if (IsTrue(p) || IsNull(p)) return p + 4;
  if (IsFalse(p)) return p + 5;
  p = SkipNumber(p);
  if (p == nullptr) *fault = v1::SYNTAX;
  return p;
}

// One bit an open container, the innermost lowest: set for an object.
class OpenContainers {
 public:
  void Push(bool object) {
    high_ = high_ << 1 | low_ >> 63;
    low_ = low_ << 1 | uint64_t{object};
  }
  void Pop() {
    low_ = low_ >> 1 | high_ << 63;
    high_ >>= 1;
  }
  bool object() const { return (low_ & 1) != 0; }

 private:
  static_assert(kMaxNesting <= 128, "a bit for each");
  uint64_t low_ = 0;
  uint64_t high_ = 0;
};

// A member's name and its colon; gives the place of the value.
const char* SkipName(const PaddedText& text, const char* p, int* fault) {
  if (*p != '"') return Refuse(fault, v1::SYNTAX);
  p = SkipString(text, p, fault);
  if (p == nullptr) return nullptr;
  p = SkipSpace(p);
  if (*p != ':') return Refuse(fault, v1::SYNTAX);
  return SkipSpace(p + 1);
}

}  // namespace

const char* SkipManySpaces(const char* p) {
  for (;;) {
    while (Word(p) == 0x2020202020202020) p += 8;
    if (*p != ' ' && *p != '\n' && *p != '\r' && *p != '\t') return p;
    ++p;
  }
}

bool EndsValue(const char* p) {
  p = SkipSpace(p);
  return *p == ',' || *p == '}' || *p == ']' || *p == 0;
}

const char* SkipNumber(const char* p) {
  if (*p == '-') ++p;
  const size_t whole = CountDigits(p);
  if (whole == 0 || (whole > 1 && *p == '0')) return nullptr;
  p += whole;
  if (*p == '.') {
    const size_t fraction = CountDigits(++p);
    if (fraction == 0) return nullptr;
    p += fraction;
  }
  if (*p == 'e' || *p == 'E') {
    ++p;
    if (*p == '+' || *p == '-') ++p;
    const size_t exponent = CountDigits(p);
    if (exponent == 0) return nullptr;
    p += exponent;
  }
  return p;
}

const char* SkipString(const PaddedText& text, const char* p, int* fault) {
  return ReadString<false>(text, p, nullptr, fault);
}

const char* DecodeString(const PaddedText& text, const char* p, char** out, int* fault) {
  return ReadString<true>(text, p, out, fault);
}

const char* SkipValue(const PaddedText& text, const char* p, int depth, int* fault) {
  OpenContainers open;
  const int outside = depth;
  for (;;) {
    // At a value.
    if (*p == '{' || *p == '[') {
      if (depth >= kMaxNesting) return Refuse(fault, v1::TOO_DEEP);
      const bool object = *p == '{';
      const char close = object ? '}' : ']';
      p = SkipSpace(p + 1);
      if (*p == close) {
        ++p;
      } else {
        ++depth;
        open.Push(object);
        if (object) p = SkipName(text, p, fault);
        if (p == nullptr) return nullptr;
        continue;
      }
    } else {
      p = SkipScalar(text, p, fault);
      if (p == nullptr) return nullptr;
    }
    // After a value: close what ends here, up to the comma before the next.
    for (;;) {
      if (depth == outside) return p;
      p = SkipSpace(p);
      if (*p == ',') break;
      if (*p != (open.object() ? '}' : ']')) return Refuse(fault, v1::SYNTAX);
      ++p;
      --depth;
      open.Pop();
    }
    p = SkipSpace(p + 1);
    if (open.object()) p = SkipName(text, p, fault);
    if (p == nullptr) return nullptr;
  }
}

char* EncodeString(const char* bytes, size_t size, char* out) {
  constexpr char kDigits[] = "0123456789abcdef";
  *out++ = '"';
  for (size_t i = 0; i < size; ++i) {
    const char escape = kEscaped[Index(bytes[i])];
    if (escape == 0) {
      *out++ = bytes[i];
      continue;
    }
    *out++ = '\\';
    *out++ = escape;
    if (escape == 'u') {
      *out++ = '0';
      *out++ = '0';
      *out++ = kDigits[Index(bytes[i]) >> 4];
      *out++ = kDigits[Index(bytes[i]) & 15];
    }
  }
  *out++ = '"';
  return out;
}

}  // namespace st::record
