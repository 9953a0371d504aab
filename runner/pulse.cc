#include "runner/pulse.h"

#include <ctime>

namespace st::runner {

int64_t Pulse::NowMs() { return NowUs() / 1000; }

int64_t Pulse::NowUs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000;
}

void Pulse::RequestStop() {
  int64_t none = 0;
  stop_ms_.compare_exchange_strong(none, NowMs(), std::memory_order_relaxed);
}

int64_t Pulse::SinceStopMs() const {
  const int64_t stop = stop_ms_.load(std::memory_order_relaxed);
  return stop == 0 ? 0 : NowMs() - stop;
}

bool Pulse::Expired(int64_t begun_ms) const {
  return NowMs() - begun_ms >= kCallMs || SinceStopMs() >= kCloseTransactionMs;
}

}  // namespace st::runner
