#include "lib/sql/contradiction.h"

#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "lib/sql/refusals.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::sql {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// The values of one column that pass what was read so far.
class Remaining {
 public:
  // False when nothing is left.
  bool Narrow(const Condition& condition) {
    if (condition.op == Operator::kIsNull || condition.op == Operator::kIsNotNull) {
      (condition.op == Operator::kIsNull ? must_be_null_ : must_have_value_) = true;
      return !NullConflict();
    }
    must_have_value_ = true;
    if (NullConflict()) return false;
    if (const auto* number = std::get_if<int64_t>(&condition.literal)) return NarrowNumber(condition.op, *number);
    if (const auto* truth = std::get_if<bool>(&condition.literal)) {
      // Two values, so each operator leaves one.
      const bool left = *truth == (condition.op == Operator::kEqual);
      (left ? false_left_ : true_left_) = false;
      return true_left_ || false_left_;
    }
    return NarrowString(condition.op, std::get<std::string>(condition.literal));
  }

  bool NullConflict() const { return must_be_null_ && must_have_value_; }

 private:
  bool NarrowNumber(Operator op, int64_t value) {
    switch (op) {
      case Operator::kEqual:
        low_ = std::max(low_, value);
        high_ = std::min(high_, value);
        break;
      case Operator::kNotEqual:
        excluded_.insert(value);
        break;
      case Operator::kLess:
        if (value == kMin) return false;
        high_ = std::min(high_, value - 1);
        break;
      case Operator::kLessEqual:
        high_ = std::min(high_, value);
        break;
      case Operator::kGreater:
        if (value == kMax) return false;
        low_ = std::max(low_, value + 1);
        break;
      case Operator::kGreaterEqual:
        low_ = std::max(low_, value);
        break;
      case Operator::kIsNull:
      case Operator::kIsNotNull:
        break;
    }
    if (low_ > high_) return false;
    // Each end that is excluded moves inwards, so every excluded value is passed at most once.
    while (excluded_.erase(low_) > 0) {
      if (low_ == high_) return false;
      ++low_;
    }
    while (excluded_.erase(high_) > 0) {
      if (low_ == high_) return false;
      --high_;
    }
    return true;
  }

  bool NarrowString(Operator op, const std::string& value) {
    if (op == Operator::kNotEqual) {
      excluded_strings_.insert(value);
    } else if (equal_.has_value() && *equal_ != value) {
      return false;
    } else {
      equal_ = value;
    }
    return !equal_.has_value() || !excluded_strings_.contains(*equal_);
  }

  bool must_be_null_ = false;
  bool must_have_value_ = false;
  int64_t low_ = kMin;
  int64_t high_ = kMax;
  std::set<int64_t> excluded_;
  bool true_left_ = true;
  bool false_left_ = true;
  std::optional<std::string> equal_;
  std::set<std::string> excluded_strings_;
};

bool PassesEveryNumber(const Condition& condition) {
  const auto* number = std::get_if<int64_t>(&condition.literal);
  if (number == nullptr) return false;
  return (condition.op == Operator::kLessEqual && *number == kMax) ||
         (condition.op == Operator::kGreaterEqual && *number == kMin);
}

}  // namespace

void WarnOfContradictions(const std::vector<Condition>& conditions,
                          const absl::flat_hash_map<std::string_view, const v1::InputColumn*>& columns,
                          FindingSink* sink) {
  absl::flat_hash_map<std::string_view, Remaining> remaining;
  absl::flat_hash_map<std::string_view, bool> warned;
  for (const Condition& condition : conditions) {
    const bool required = columns.at(condition.column)->required();
    if (required && condition.op == Operator::kIsNotNull) {
      sink->Warn(refusal::kAlwaysNotNull, condition.column_offset, condition.column);
    }
    if (PassesEveryNumber(condition)) sink->Warn(refusal::kAlwaysTrue, condition.column_offset, condition.column);
    bool& done = warned[condition.column];
    if (done) continue;
    Remaining& left = remaining[condition.column];
    if (required && condition.op == Operator::kIsNull) {
      sink->Warn(refusal::kNeverNull, condition.column_offset, condition.column);
      done = true;
    } else if (!left.Narrow(condition)) {
      const bool null = left.NullConflict();
      sink->Warn(null ? refusal::kNullContradiction : refusal::kContradiction, condition.column_offset,
                 condition.column);
      done = true;
    }
  }
}

}  // namespace st::sql
