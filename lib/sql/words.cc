#include "lib/sql/words.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "absl/strings/ascii.h"
#include "lib/sql/refusals.h"

namespace st::sql {
namespace {

constexpr size_t kLongestWord = 9;

// Sorted by text.
const Word kWords[] = {
    {"all", false, &refusal::kAll, false},
    {"and", true, nullptr, false},
    {"as", true, nullptr, false},
    {"between", false, &refusal::kBetween, false},
    {"by", false, &refusal::kGroupBy, false},
    {"case", false, &refusal::kCase, false},
    {"cast", false, &refusal::kCast, false},
    {"distinct", false, &refusal::kDistinct, false},
    {"else", false, &refusal::kCase, false},
    {"end", false, &refusal::kCase, false},
    {"except", false, &refusal::kExcept, true},
    {"exists", false, &refusal::kExists, false},
    {"false", true, nullptr, false},
    {"from", true, nullptr, false},
    {"group", false, &refusal::kGroupBy, true},
    {"having", false, &refusal::kHaving, true},
    {"in", false, &refusal::kIn, false},
    {"intersect", false, &refusal::kIntersect, true},
    {"is", true, nullptr, false},
    {"join", false, &refusal::kJoin, true},
    {"like", false, &refusal::kLike, false},
    {"limit", false, &refusal::kLimit, true},
    {"not", true, nullptr, false},
    {"null", true, nullptr, false},
    {"offset", false, &refusal::kOffset, true},
    {"on", false, &refusal::kJoin, false},
    {"or", false, &refusal::kOr, false},
    {"order", false, &refusal::kOrderBy, true},
    {"over", false, &refusal::kWindow, false},
    {"select", true, nullptr, false},
    {"then", false, &refusal::kCase, false},
    {"true", true, nullptr, false},
    {"union", false, &refusal::kUnion, true},
    {"using", false, &refusal::kJoin, false},
    {"when", false, &refusal::kCase, false},
    {"where", true, nullptr, false},
    {"window", false, &refusal::kWindow, true},
    {"with", false, &refusal::kWith, false},
};

}  // namespace

const Word* FindWord(std::string_view word) {
  if (word.size() < 2 || word.size() > kLongestWord) return nullptr;
  std::array<char, kLongestWord> buffer;
  std::transform(word.begin(), word.end(), buffer.begin(), [](char c) { return absl::ascii_tolower(c); });
  const std::string_view lower(buffer.data(), word.size());
  const Word* found = std::lower_bound(std::begin(kWords), std::end(kWords), lower,
                                       [](const Word& entry, std::string_view wanted) { return entry.text < wanted; });
  return found != std::end(kWords) && found->text == lower ? found : nullptr;
}

}  // namespace st::sql
