#include "runner/rate_window.h"

#include <gtest/gtest.h>

namespace st::runner {
namespace {

TEST(RateWindow, TheFirstLookKnowsNothing) {
  RateWindow window;
  EXPECT_EQ(window.Look(5000, 100, 50).window_ms, 0);
  EXPECT_EQ(window.Look(5000, 200, 50).window_ms, 0);
}

TEST(RateWindow, SinceTheStartUntilAMinuteIsFull) {
  RateWindow window;
  window.Look(0, 0, 0);
  const RateWindow::Rates rates = window.Look(10'000, 1'000'000, 250'004);
  EXPECT_EQ(rates.window_ms, 10'000);
  EXPECT_EQ(rates.in, 100'000);
  EXPECT_EQ(rates.out, 25'000);
}

TEST(RateWindow, WhatIsOlderThanAMinuteDoesNotCount) {
  RateWindow window;
  int64_t in = 0;
  for (int64_t second = 0; second <= 300; ++second) {
    // A flood that ends after a minute.
    if (second > 0) in += second <= 60 ? 1000 : 10;
    const RateWindow::Rates rates = window.Look(second * 1000, in, 0);
    if (second >= 120) {
      EXPECT_EQ(rates.window_ms, RateWindow::kWindowMs) << second;
      EXPECT_EQ(rates.in, 10) << second;
    }
  }
  // Silence is a rate, too.
  for (int64_t second = 301; second <= 361; ++second) window.Look(second * 1000, in, 0);
  EXPECT_EQ(window.Look(362'000, in, 0).in, 0);
}

TEST(RateWindow, AGapIsAveraged) {
  RateWindow window;
  window.Look(0, 0, 0);
  const RateWindow::Rates rates = window.Look(600'000, 6'000'000, 0);
  EXPECT_EQ(rates.window_ms, 600'000);
  EXPECT_EQ(rates.in, 10'000);
}

TEST(RateWindow, LooksInQuickSuccessionAreAnswered) {
  RateWindow window;
  int64_t at = 0;
  for (; at < 100'000; ++at) window.Look(at, at, 0);
  const RateWindow::Rates rates = window.Look(at, at, 0);
  EXPECT_EQ(rates.in, 1000);
  EXPECT_GE(rates.window_ms, RateWindow::kWindowMs);
  EXPECT_LT(rates.window_ms, RateWindow::kWindowMs + RateWindow::kStepMs);
}

}  // namespace
}  // namespace st::runner
