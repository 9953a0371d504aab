#include "tools/st-test/row_diff.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"

namespace st::test {
namespace {

using Rows = std::vector<std::string>;

// Of the table of a comparison; where more would be needed, all that is not at the beginning counts as different.
constexpr size_t kMostCells = size_t{4} << 20;

// How many rows the rests of two lists have in common, by the textbook's table.
class CommonRows {
 public:
  CommonRows(const Rows& a, const Rows& b, size_t start) : start_(start), columns_(b.size() - start + 1) {
    const size_t rows = a.size() - start + 1;
    if (rows > kMostCells / columns_) return;
    cells_.resize(rows * columns_);
    for (size_t i = a.size(); i-- > start;) {
      for (size_t j = b.size(); j-- > start;) {
        cells_[Index(i, j)] = a[i] == b[j] ? Of(i + 1, j + 1) + 1 : std::max(Of(i + 1, j), Of(i, j + 1));
      }
    }
  }

  // Of a from `i` and b from `j`.
  uint32_t Of(size_t i, size_t j) const { return cells_.empty() ? 0 : cells_[Index(i, j)]; }

 private:
  size_t Index(size_t i, size_t j) const { return (i - start_) * columns_ + (j - start_); }

  size_t start_;
  size_t columns_;
  std::vector<uint32_t> cells_;
};

}  // namespace

Rows RowDiff(const Rows& expected, const Rows& got) {
  size_t same = 0;
  while (same < expected.size() && same < got.size() && expected[same] == got[same]) ++same;
  Rows lines;
  for (size_t i = 0; i < same; ++i) lines.push_back(absl::StrCat("  ", expected[i]));
  const CommonRows common(expected, got, same);
  size_t i = same;
  size_t j = same;
  while (i < expected.size() || j < got.size()) {
    if (i < expected.size() && j < got.size() && expected[i] == got[j] && common.Of(i, j) > 0) {
      lines.push_back(absl::StrCat("  ", expected[i]));
      ++i;
      ++j;
    } else if (i < expected.size() && (j == got.size() || common.Of(i + 1, j) >= common.Of(i, j + 1))) {
      lines.push_back(absl::StrCat("- ", expected[i++]));
    } else {
      lines.push_back(absl::StrCat("+ ", got[j++]));
    }
  }
  return lines;
}

}  // namespace st::test
