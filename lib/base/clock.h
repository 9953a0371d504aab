// Time as an edge, so that the simulated world can own it.
#ifndef ST_LIB_BASE_CLOCK_H_
#define ST_LIB_BASE_CLOCK_H_

#include <cstdint>

namespace st::base {

class Clock {
 public:
  virtual ~Clock() = default;
  // Unix time in milliseconds.
  virtual int64_t NowMs() = 0;
  // Milliseconds that only grow; for deadlines.
  virtual int64_t MonotonicMs() = 0;
  // Between two looks at a condition, never in place of one. May end early when a signal arrives.
  virtual void SleepMs(int64_t ms) = 0;
};

// The machine's clock; one object for the process, any thread.
Clock& RealClock();

// RFC 3339 in UTC with seconds (rounded down), e.g. 2026-11-29T17:50:21Z; `?` for a year that does not fit.
struct Rfc3339 {
  char text[80];  // ends in NUL; longer than any answer, so that compilers see that nothing is cut
};
Rfc3339 FormatRfc3339(int64_t unix_ms);

}  // namespace st::base

#endif  // ST_LIB_BASE_CLOCK_H_
