#include "e2e/bench/figures.h"

#include <gtest/gtest.h>

namespace st::e2e::bench {
namespace {

TEST(SlopeTest, LeavesOutWhatBothLengthsHave) {
  // 2 s and 1 s of CPU to start, then 100,000 records/s, 5 s of CPU a million, 3 s of the broker's.
  const Measured shorter{.records = 1000000, .seconds = 12, .client_cpu = 6, .broker_cpu = 4};
  const Measured longer{.records = 3000000, .seconds = 32, .client_cpu = 16, .broker_cpu = 10};
  const Slope slope = SlopeBetween(shorter, longer);
  EXPECT_DOUBLE_EQ(slope.records_a_second, 100000);
  EXPECT_DOUBLE_EQ(slope.client_cpu_a_million, 5);
  EXPECT_DOUBLE_EQ(slope.broker_cpu_a_million, 3);
}

TEST(SpreadTest, MedianLeastMost) {
  const Spread odd = SpreadOf({3, 1, 9});
  EXPECT_DOUBLE_EQ(odd.median, 3);
  EXPECT_DOUBLE_EQ(odd.least, 1);
  EXPECT_DOUBLE_EQ(odd.most, 9);
  EXPECT_DOUBLE_EQ(SpreadOf({4, 1, 2, 9}).median, 3);
  EXPECT_DOUBLE_EQ(SpreadOf({7}).median, 7);
}

TEST(QuantileTest, NearestRank) {
  std::vector<double> values;
  for (int i = 100; i >= 1; --i) values.push_back(i);
  EXPECT_DOUBLE_EQ(QuantileOf(values, 0.5), 50);
  EXPECT_DOUBLE_EQ(QuantileOf(values, 0.99), 99);
  EXPECT_DOUBLE_EQ(QuantileOf(values, 1), 100);
  EXPECT_DOUBLE_EQ(QuantileOf({5}, 0.99), 5);
}

TEST(RatioTest, BlockByBlock) {
  const Standing fast{.name = "fast", .slopes = {{.records_a_second = 20}, {.records_a_second = 60}}};
  const Standing slow{.name = "slow", .slopes = {{.records_a_second = 10}, {.records_a_second = 20}}};
  const Spread ratio = RatioOf(fast, slow, &Slope::records_a_second);
  EXPECT_DOUBLE_EQ(ratio.least, 2);
  EXPECT_DOUBLE_EQ(ratio.most, 3);
  EXPECT_EQ(TextOf(ratio, 1), "2.5 (2.0 to 3.0)");
}

}  // namespace
}  // namespace st::e2e::bench
