// The runner's sense of time: when it was asked to stop, until when it may take to close, and whether its loop lives.
// Any thread; RequestStop also in a signal handler.
#ifndef ST_RUNNER_PULSE_H_
#define ST_RUNNER_PULSE_H_

#include <atomic>
#include <cstdint>

namespace st::runner {

// SIGTERM to exit; a supervisor may kill after it.
inline constexpr int64_t kCloseMs = 15000;
// Of these, what the end of the transaction may take; the rest is for leaving the group and the last status.
inline constexpr int64_t kCloseTransactionMs = 10000;
// One transactional call, repeated while its answer is missing. Below the transaction's time-out of 60 s: after that
// the broker ends it by itself.
inline constexpr int64_t kCallMs = 45000;
// A call comes back this often, so that a request to stop is seen.
inline constexpr int kSliceMs = 500;
// A loop that was silent this long hangs.
inline constexpr int64_t kHangMs = 60000;
// What takes this much longer than it was to was stopped in the middle, with the whole process: a debugger, a frozen
// container. Time for an answer then begins anew.
inline constexpr int64_t kStoppedMs = 10000;

class Pulse {
 public:
  Pulse() : beat_ms_(NowMs()) {}

  // Milliseconds that only grow; allowed in a signal handler.
  static int64_t NowMs();
  // The same clock, for what is shorter.
  static int64_t NowUs();

  // The loop is alive.
  void Beat() { beat_ms_.store(NowMs(), std::memory_order_relaxed); }
  int64_t SilenceMs() const { return NowMs() - beat_ms_.load(std::memory_order_relaxed); }

  // The first request counts.
  void RequestStop();
  bool stop_requested() const { return stop_ms_.load(std::memory_order_relaxed) != 0; }
  // Milliseconds since the request; 0 without one.
  int64_t SinceStopMs() const;

  // For a call that began at `begun_ms`: no time is left, also not within the bound of closing.
  bool Expired(int64_t begun_ms) const;

 private:
  static_assert(std::atomic<int64_t>::is_always_lock_free);
  std::atomic<int64_t> beat_ms_;
  std::atomic<int64_t> stop_ms_{0};
};

}  // namespace st::runner

#endif  // ST_RUNNER_PULSE_H_
