// How many records a second, as the mean of the last minute. Pure; one thread.
#ifndef ST_RUNNER_RATE_WINDOW_H_
#define ST_RUNNER_RATE_WINDOW_H_

#include <cstdint>
#include <deque>

namespace st::runner {

class RateWindow {
 public:
  static constexpr int64_t kWindowMs = 60'000;
  // More often than this, a look adds nothing to remember.
  static constexpr int64_t kStepMs = 1000;

  // A second, rounded.
  struct Rates {
    int64_t window_ms = 0;  // what they are the mean of; 0: not known, this is the first look
    int64_t in = 0;
    int64_t out = 0;
  };

  // `in` and `out`: counts that only grow, as they stand now. `now_ms`: of a clock that only grows. The window reaches
  // back to the latest look that is kWindowMs old, or to the first one.
  Rates Look(int64_t now_ms, int64_t in, int64_t out);

 private:
  struct Seen {
    int64_t at_ms;
    int64_t in;
    int64_t out;
  };
  std::deque<Seen> looks_;
};

}  // namespace st::runner

#endif  // ST_RUNNER_RATE_WINDOW_H_
