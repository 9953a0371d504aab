// `status.textproto`: how the runner is, for those who ask later. Replaced atomically. Any thread.
#ifndef ST_RUNNER_STATUS_FILE_H_
#define ST_RUNNER_STATUS_FILE_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "lib/base/clock.h"
#include "runner/failure.h"
#include "schemas/st/v1/runner_status.pb.h"

namespace st::runner {

class StatusFile {
 public:
  // `known`: what does not change while the runner lives. `clock` outlives it.
  StatusFile(std::string path, v1::RunnerStatus known, base::Clock* clock);

  // Changes what the next write says; state, reason and stop are not for this. Nothing after Fail.
  void Update(const std::function<void(v1::RunnerStatus*)>& change);

  // Each writes the file and, being a transition, a line on standard output. After Fail the others change nothing: a
  // failure is never overwritten. The state is taken on even when the file cannot be written.
  absl::Status Enter(v1::RunnerStatus::State state);
  absl::Status Fail(const Failure& failure);

  // A line on standard output alone, for what is neither a transition nor a failure.
  void Say(std::string_view what) const;

  // The file once more, with the time. Nothing after the end.
  absl::Status Refresh();

 private:
  absl::Status Write() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Announce() const ABSL_SHARED_LOCKS_REQUIRED(mu_);
  void Print(std::string_view what) const ABSL_SHARED_LOCKS_REQUIRED(mu_);

  const std::string path_;
  base::Clock* const clock_;
  mutable absl::Mutex mu_;
  v1::RunnerStatus status_ ABSL_GUARDED_BY(mu_);
};

}  // namespace st::runner

#endif  // ST_RUNNER_STATUS_FILE_H_
