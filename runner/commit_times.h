// How long the ends of transactions took: from writing out what is queued to the broker's word. Pure; one thread. A
// plain value, to be copied for those who show it.
#ifndef ST_RUNNER_COMMIT_TIMES_H_
#define ST_RUNNER_COMMIT_TIMES_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace st::runner {

class CommitTimes {
 public:
  // What MostUs looks back over.
  static constexpr int64_t kWindowMs = 60'000;
  // Upper bounds of the histogram, each inclusive; what is longer is in one bucket more.
  static constexpr std::array<int64_t, 12> kBoundsUs = {5'000,     10'000,    25'000,     50'000,
                                                        100'000,   250'000,   500'000,    1'000'000,
                                                        2'500'000, 5'000'000, 10'000'000, 30'000'000};

  // `now_ms`: of a clock that only grows, here and below.
  void Add(int64_t now_ms, int64_t took_us);

  int64_t count() const { return count_; }
  int64_t sum_us() const { return sum_us_; }
  int64_t last_us() const { return last_us_; }  // 0 without one
  // The longest that ended within the window, to a second; -1 when none did.
  int64_t MostUs(int64_t now_ms) const;
  // How many took kBoundsUs[i] or less.
  int64_t Within(size_t i) const;

 private:
  static constexpr int64_t kSlotMs = 1000;
  struct Slot {
    int64_t number = -1;  // of the slot's second
    int64_t most_us = 0;
  };
  std::array<Slot, kWindowMs / kSlotMs> slots_;
  std::array<int64_t, kBoundsUs.size() + 1> buckets_{};
  int64_t count_ = 0;
  int64_t sum_us_ = 0;
  int64_t last_us_ = 0;
};

}  // namespace st::runner

#endif  // ST_RUNNER_COMMIT_TIMES_H_
