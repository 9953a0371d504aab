// Keeps the status file fresh and the log complete while the loop lives, and ends the process when it does not: a
// transactional call that hangs, or a close beyond its bound. A thread of its own.
#ifndef ST_RUNNER_WATCHDOG_H_
#define ST_RUNNER_WATCHDOG_H_

#include <functional>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "runner/failure.h"
#include "runner/log.h"
#include "runner/pulse.h"
#include "runner/status_file.h"

namespace st::runner {

// What the pulse says is wrong. Pure.
MaybeFailure Overdue(const Pulse& pulse);

class Watchdog {
 public:
  // `end` does not return: it ends the process (a test's may). All outlive it.
  Watchdog(Pulse* pulse, StatusFile* status, Log* log, std::function<void(const Failure&)> end);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void Watch();

  Pulse* const pulse_;
  StatusFile* const status_;
  Log* const log_;
  const std::function<void(const Failure&)> end_;
  absl::Mutex mu_;
  bool stop_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace st::runner

#endif  // ST_RUNNER_WATCHDOG_H_
