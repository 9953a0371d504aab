#include "runner/commit_times.h"

#include <gtest/gtest.h>

namespace st::runner {
namespace {

TEST(CommitTimes, NoneIsNotKnown) {
  const CommitTimes times;
  EXPECT_EQ(times.count(), 0);
  EXPECT_EQ(times.MostUs(0), -1);
  EXPECT_EQ(times.MostUs(1'000'000), -1);
}

TEST(CommitTimes, TheLongestLeavesWithTheWindow) {
  CommitTimes times;
  constexpr int64_t kStartMs = 7'777'500;
  times.Add(kStartMs, 900'000);
  for (int64_t second = 1; second <= 59; ++second) {
    times.Add(kStartMs + second * 1000, 10'000 + second);
    EXPECT_EQ(times.MostUs(kStartMs + second * 1000), 900'000) << second;
    EXPECT_EQ(times.last_us(), 10'000 + second);
  }
  EXPECT_EQ(times.MostUs(kStartMs + 60'000), 10'059);
  // Nothing came after that.
  EXPECT_EQ(times.MostUs(kStartMs + 118'000), 10'059);
  EXPECT_EQ(times.MostUs(kStartMs + 119'000), -1);
  EXPECT_EQ(times.count(), 60);
}

TEST(CommitTimes, TheLongestOfASecond) {
  CommitTimes times;
  times.Add(1000, 5);
  times.Add(1100, 50);
  times.Add(1999, 7);
  EXPECT_EQ(times.MostUs(1999), 50);
  // A minute later the same place is another second's.
  times.Add(61'500, 3);
  EXPECT_EQ(times.MostUs(61'500), 3);
}

TEST(CommitTimes, AHistogramWithInclusiveBounds) {
  CommitTimes times;
  int64_t sum = 0;
  for (int64_t took : {int64_t{0}, int64_t{5'000}, int64_t{5'001}, int64_t{30'000'000}, int64_t{30'000'001}}) {
    times.Add(0, took);
    sum += took;
  }
  EXPECT_EQ(times.Within(0), 2);
  EXPECT_EQ(times.Within(1), 3);
  EXPECT_EQ(times.Within(CommitTimes::kBoundsUs.size() - 2), 3);
  EXPECT_EQ(times.Within(CommitTimes::kBoundsUs.size() - 1), 4);
  EXPECT_EQ(times.count(), 5);
  EXPECT_EQ(times.sum_us(), sum);
}

}  // namespace
}  // namespace st::runner
