// The runner's log: on standard output a line for each transition and each fault,
//
//   2026-11-30T03:28:30Z warning st.shop.dev.late a transaction was aborted: ...
//
// with time, level, application id and a text that holds no record's content and no secret. A kind of line that comes
// too often is left out and counted: 20 at once, then one more each 30 s. Any thread, also with locks of the client
// library held.
#ifndef ST_RUNNER_LOG_H_
#define ST_RUNNER_LOG_H_

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "lib/base/clock.h"

namespace st::runner {

enum class Level {
  kInfo,     // a transition
  kWarning,  // a fault that the runner goes on after
  kError,    // what stops it
};

// Warnings and errors so far, with those that were left out.
struct Faults {
  int64_t count = 0;
  int64_t last_ms = 0;  // Unix time
  std::string last;
};

class Log {
 public:
  // Of one kind, so many lines come at once, and then one more each period.
  static constexpr int kBurst = 20;
  static constexpr int64_t kPeriodMs = 30'000;
  // What was left out is said so long after the first of them.
  static constexpr int64_t kLeftOutMs = 60'000;

  // `clock` and `out` outlive it.
  Log(std::string application_id, base::Clock* clock, std::FILE* out = stdout);

  // `kind`: what is counted together. What cannot be seen in the text is escaped, what is too long is cut.
  void Say(Level level, std::string_view kind, std::string_view text);
  // What happens a few times in a life. Never left out.
  void SayState(Level level, std::string_view text);

  // Says how many lines were left out, where it is time to. To be called every second or so.
  void Tick();
  // The same, at once.
  void Finish();

  Faults faults() const;

 private:
  struct Kind {
    int64_t next_ms = 0;  // when the next line would come, were they a period apart
    int64_t left_out = 0;
    int64_t since_ms = 0;  // when the first was
  };
  bool Allow(Kind* kind);
  Kind* Find(std::string_view name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  std::string Note(Level level, std::string_view text) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void SayLeftOut(int64_t after_ms) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Print(Level level, std::string_view text) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const std::string application_id_;
  base::Clock* const clock_;
  std::FILE* const out_;
  mutable absl::Mutex mu_;
  std::map<std::string, Kind, std::less<>> kinds_ ABSL_GUARDED_BY(mu_);
  Faults faults_ ABSL_GUARDED_BY(mu_);
};

}  // namespace st::runner

#endif  // ST_RUNNER_LOG_H_
