#include "lib/base/clock.h"

#include <cstdio>
#include <ctime>

namespace st::base {
namespace {

int64_t Read(clockid_t which) {
  timespec now{};
  // Cannot fail for these two clocks with a valid address.
  (void)clock_gettime(which, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

class MachineClock final : public Clock {
 public:
  int64_t NowMs() override { return Read(CLOCK_REALTIME); }
  int64_t MonotonicMs() override { return Read(CLOCK_MONOTONIC); }
  void SleepMs(int64_t ms) override {
    if (ms <= 0) return;
    const timespec length{ms / 1000, ms % 1000 * 1'000'000};
    // A signal ends it early: the caller looks at its condition, which the signal may have changed.
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &length, nullptr);
  }
};

}  // namespace

Clock& RealClock() {
  static MachineClock* const kClock = new MachineClock;
  return *kClock;
}

Rfc3339 FormatRfc3339(int64_t unix_ms) {
  // Towards the past, so that a time before 1970 is not a second late.
  const time_t seconds = unix_ms / 1000 - (unix_ms % 1000 < 0 ? 1 : 0);
  std::tm parts{};
  Rfc3339 out{};
  if (gmtime_r(&seconds, &parts) == nullptr) {
    (void)std::snprintf(out.text, sizeof out.text, "?");
    return out;
  }
  (void)std::snprintf(out.text, sizeof out.text, "%04lld-%02d-%02dT%02d:%02d:%02dZ", parts.tm_year + 1900LL,
                      parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
  return out;
}

}  // namespace st::base
