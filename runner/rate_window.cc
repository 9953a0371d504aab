#include "runner/rate_window.h"

namespace st::runner {
namespace {

constexpr int64_t kSecondMs = 1000;

int64_t PerSecond(int64_t count, int64_t ms) { return (count * kSecondMs + ms / 2) / ms; }

}  // namespace

RateWindow::Rates RateWindow::Look(int64_t now_ms, int64_t in, int64_t out) {
  if (looks_.empty() || now_ms - looks_.back().at_ms >= kStepMs) looks_.push_back({now_ms, in, out});
  while (looks_.size() > 1 && now_ms - looks_[1].at_ms >= kWindowMs) looks_.pop_front();
  const Seen& first = looks_.front();
  const int64_t window_ms = now_ms - first.at_ms;
  if (window_ms <= 0) return {};
  return {
      .window_ms = window_ms, .in = PerSecond(in - first.in, window_ms), .out = PerSecond(out - first.out, window_ms)};
}

}  // namespace st::runner
