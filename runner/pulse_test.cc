#include "runner/pulse.h"

#include <gtest/gtest.h>

namespace st::runner {
namespace {

TEST(Pulse, ACallEndsAtItsDeadline) {
  const Pulse pulse;
  EXPECT_FALSE(pulse.Expired(Pulse::NowMs()));
  EXPECT_FALSE(pulse.Expired(Pulse::NowMs() - kCallMs + 5000));
  EXPECT_TRUE(pulse.Expired(Pulse::NowMs() - kCallMs));
}

TEST(Pulse, TheFirstRequestToStopCounts) {
  Pulse pulse;
  EXPECT_FALSE(pulse.stop_requested());
  EXPECT_EQ(pulse.SinceStopMs(), 0);
  pulse.RequestStop();
  EXPECT_TRUE(pulse.stop_requested());
  const int64_t before = Pulse::NowMs();
  while (Pulse::NowMs() - before < 5) {
  }
  const int64_t since = pulse.SinceStopMs();
  EXPECT_GE(since, 5);
  pulse.RequestStop();
  EXPECT_GE(pulse.SinceStopMs(), since);
}

// The bounds fit into each other.
TEST(Pulse, Bounds) {
  EXPECT_LT(kCloseTransactionMs, kCloseMs);
  EXPECT_LT(kCallMs, kHangMs);
  EXPECT_LT(kSliceMs, kCloseMs - kCloseTransactionMs);
  constexpr int64_t kTransactionTimeoutMs = 60000;
  EXPECT_LT(kCallMs, kTransactionTimeoutMs);
}

}  // namespace
}  // namespace st::runner
