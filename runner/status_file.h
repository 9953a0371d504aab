// How the runner is, for those who ask later: `status.textproto`, and the same as figures for Prometheus in
// `metrics.prom` beside it. Each is replaced atomically. Any thread.
#ifndef ST_RUNNER_STATUS_FILE_H_
#define ST_RUNNER_STATUS_FILE_H_

#include <functional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "lib/base/clock.h"
#include "runner/commit_times.h"
#include "runner/failure.h"
#include "runner/log.h"
#include "runner/rate_window.h"
#include "schemas/st/v1/runner_status.pb.h"

namespace st::runner {

class StatusFile {
 public:
  // `known`: what does not change while the runner lives. `clock` and `log` outlive it.
  StatusFile(std::string path, v1::RunnerStatus known, base::Clock* clock, Log* log);

  // Changes what the next write says; state, reason, stop, rates, commit latency and last error are not for this.
  // Nothing after Fail. Never waits for a write.
  void Update(const std::function<void(v1::RunnerStatus*)>& change);
  // Of all commits so far, on the clock's monotonic time.
  void SetCommits(const CommitTimes& commits);

  // Each writes the files and, being a transition, a line of the log. After Fail the others change nothing: a failure
  // is never overwritten. The state is taken on even when the file cannot be written. The answer is about the status
  // alone: metrics that cannot be written are a line of the log.
  absl::Status Enter(v1::RunnerStatus::State state);
  absl::Status Fail(const Failure& failure);

  // The files once more, with the time. Nothing after the end.
  absl::Status Refresh();

 private:
  absl::Status Write() ABSL_LOCKS_EXCLUDED(writing_, mu_);
  void FillIn() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Announce() const ABSL_SHARED_LOCKS_REQUIRED(mu_);

  const std::string path_;
  const std::string metrics_path_;
  base::Clock* const clock_;
  Log* const log_;
  // Held while files are written, and before mu_, so that a disk that takes its time holds back nobody who updates, and
  // an older status never replaces a newer one.
  absl::Mutex writing_ ABSL_ACQUIRED_BEFORE(mu_);
  bool complained_ ABSL_GUARDED_BY(writing_) = false;
  absl::Mutex mu_;
  v1::RunnerStatus status_ ABSL_GUARDED_BY(mu_);
  CommitTimes commits_ ABSL_GUARDED_BY(mu_);
  RateWindow rates_ ABSL_GUARDED_BY(mu_);
};

}  // namespace st::runner

#endif  // ST_RUNNER_STATUS_FILE_H_
