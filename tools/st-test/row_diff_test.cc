#include "tools/st-test/row_diff.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace st::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RowDiffTest, NamesWhatDiffers) {
  EXPECT_THAT(RowDiff({}, {}), IsEmpty());
  EXPECT_THAT(RowDiff({"a"}, {"a"}), ElementsAre("  a"));
  EXPECT_THAT(RowDiff({"a"}, {}), ElementsAre("- a"));
  EXPECT_THAT(RowDiff({}, {"a"}), ElementsAre("+ a"));
  EXPECT_THAT(RowDiff({"a"}, {"b"}), ElementsAre("- a", "+ b"));
  EXPECT_THAT(RowDiff({"a", "b", "c"}, {"a", "c"}), ElementsAre("  a", "- b", "  c"));
  EXPECT_THAT(RowDiff({"a", "c"}, {"a", "b", "c"}), ElementsAre("  a", "+ b", "  c"));
  EXPECT_THAT(RowDiff({"a", "b", "c", "d"}, {"b", "x", "d"}), ElementsAre("- a", "  b", "- c", "+ x", "  d"));
  EXPECT_THAT(RowDiff({"a", "a"}, {"a"}), ElementsAre("  a", "- a"));
}

TEST(RowDiffTest, HugeListsKeepTheirRows) {
  std::vector<std::string> expected(3000, "a");
  std::vector<std::string> got(3000, "b");
  expected.push_back("last");
  got.push_back("last");
  EXPECT_EQ(RowDiff(expected, got).size(), 6002);
}

}  // namespace
}  // namespace st::test
