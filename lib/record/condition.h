// A predicate applied to one value, and the integers that it needs. A comparison with null is never true.
#ifndef ST_LIB_RECORD_CONDITION_H_
#define ST_LIB_RECORD_CONDITION_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/record/program.h"

namespace st::record {

// So many digits are inside 64 bits whatever they are.
inline constexpr size_t kSafeDigits = 18;

// No leading zeros, more than kSafeDigits.
inline bool FitsBigint(bool negative, std::string_view digits) {
  const std::string_view limit = negative ? "9223372036854775808" : "9223372036854775807";
  return digits.size() < limit.size() || (digits.size() == limit.size() && digits <= limit);
}

// Of digits that fit. Eight digits are folded at once, in pairs: the shift puts zeros before them, and each step
// multiplies the higher of two neighbours by 10, 100, 10,000 and adds the lower.
inline int64_t ReadInteger(bool negative, const char* digits, size_t count) {
  uint64_t value = 0;
  if (count <= 8) {
    value = (Word(digits) ^ 0x3030303030303030) << (8 * (8 - count));
    value = (value * 10 + (value >> 8)) & 0x00ff00ff00ff00ff;
    value = (value * 100 + (value >> 16)) & 0x0000ffff0000ffff;
    value = (value * 10000 + (value >> 32)) & 0xffffffff;
  } else {
    for (size_t i = 0; i < count; ++i) value = value * 10 + static_cast<uint64_t>(digits[i] - '0');
  }
  return static_cast<int64_t>(negative ? 0 - value : value);
}

inline bool BigintHolds(const Condition& condition, int64_t value) {
  switch (condition.op) {
    case v1::Predicate::EQ:
      return value == condition.bigint;
    case v1::Predicate::NE:
      return value != condition.bigint;
    case v1::Predicate::LT:
      return value < condition.bigint;
    case v1::Predicate::LE:
      return value <= condition.bigint;
    case v1::Predicate::GT:
      return value > condition.bigint;
    case v1::Predicate::GE:
      return value >= condition.bigint;
    default:
      return condition.op == v1::Predicate::IS_NOT_NULL;
  }
}

inline bool TextHolds(const Condition& condition, std::string_view value) {
  if (condition.op == v1::Predicate::EQ) return value == condition.text;
  if (condition.op == v1::Predicate::NE) return value != condition.text;
  return condition.op == v1::Predicate::IS_NOT_NULL;
}

inline bool BooleanHolds(const Condition& condition, bool value) {
  if (condition.op == v1::Predicate::EQ) return value == condition.boolean;
  if (condition.op == v1::Predicate::NE) return value != condition.boolean;
  return condition.op == v1::Predicate::IS_NOT_NULL;
}

inline bool PresentHolds(const Condition& condition) { return condition.op == v1::Predicate::IS_NOT_NULL; }

inline bool NullHolds(const Condition& condition) { return condition.op == v1::Predicate::IS_NULL; }

}  // namespace st::record

#endif  // ST_LIB_RECORD_CONDITION_H_
