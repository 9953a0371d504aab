// The JSON grammar over a PaddedText, for the fast executor: white space, strings, numbers, whole values. Nothing here
// allocates. Positions point into the text; a function that reads something gets its first byte and gives the byte
// after it, or null with the fault's kind in `*fault`. UTF-8 is the caller's affair, checked once for the whole text.
#ifndef ST_LIB_RECORD_GRAMMAR_H_
#define ST_LIB_RECORD_GRAMMAR_H_

#include <bit>
#include <cstdint>
#include <cstring>

#include "lib/record/padded_text.h"

namespace st::record {

// The record's own object is 1.
inline constexpr int kMaxNesting = 128;

// Eight bytes from any address; inside the padding too.
inline uint64_t Word(const char* p) {
  uint64_t word;
  std::memcpy(&word, p, sizeof(word));
  return word;
}

inline uint32_t HalfWord(const char* p) {
  uint32_t word;
  std::memcpy(&word, p, sizeof(word));
  return word;
}

inline bool IsNull(const char* p) { return HalfWord(p) == HalfWord("null"); }
inline bool IsTrue(const char* p) { return HalfWord(p) == HalfWord("true"); }
inline bool IsFalse(const char* p) { return (*p == 'f') & (HalfWord(p + 1) == HalfWord("alse")); }

const char* SkipManySpaces(const char* p);

// The first byte that is none of JSON's four white-space characters.
inline const char* SkipSpace(const char* p) {
  if (static_cast<unsigned char>(*p) > ' ') [[likely]] {
    return p;
  }
  return SkipManySpaces(p);
}

// True where a value may end: what follows is not a part of it.
bool EndsValue(const char* p);

// Digits at `p`. A word at a time: a byte that is no digit leaves its top bit set, and what a carry does to the bytes
// above the first of these does not matter.
inline size_t CountDigits(const char* p) {
  for (size_t count = 0;; count += 8) {
    const uint64_t digits = Word(p + count) ^ 0x3030303030303030;
    const uint64_t others = (digits | (digits + 0x7676767676767676)) & 0x8080808080808080;
    if (others != 0) [[likely]] {
      return count + static_cast<size_t>(std::countr_zero(others)) / 8;
    }
  }
}

// A whole number of JSON; null (and no fault) when it is not one.
const char* SkipNumber(const char* p);

// A string that starts at the quote `p`: escapes and surrogates checked.
const char* SkipString(const PaddedText& text, const char* p, int* fault);

// The same, unescaped to `*out`, which moves on; it never takes more bytes than the string has.
const char* DecodeString(const PaddedText& text, const char* p, char** out, int* fault);

// Any value, checked whole. `depth` is the nesting where it stands.
const char* SkipValue(const PaddedText& text, const char* p, int depth, int* fault);

// `size` bytes between quotes to `out` in their one spelling; at most 6 * size + 2 bytes. Gives the end.
char* EncodeString(const char* bytes, size_t size, char* out);

}  // namespace st::record

#endif  // ST_LIB_RECORD_GRAMMAR_H_
