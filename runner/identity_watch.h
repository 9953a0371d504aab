// Asks again and again whether the topics are still the ones that the runner was made for: the client library goes on
// reading and writing when a topic was deleted and made again. Every second while records flow, else every minute. A
// thread of its own.
#ifndef ST_RUNNER_IDENTITY_WATCH_H_
#define ST_RUNNER_IDENTITY_WATCH_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "lib/kafka/consumer.h"
#include "lib/kafka/producer.h"
#include "runner/failure.h"
#include "runner/log.h"
#include "runner/startup.h"
#include "runner/status_file.h"

namespace st::runner {

// What was committed after `good` up to `now`, for people; empty when nothing was. Pure.
std::string DescribeDoubt(const std::vector<kafka::Position>& good, const std::vector<kafka::Position>& now);

// Of a question to which there is no answer, and `known` is what the client knows of that, or a refusal. Pure.
std::string DescribeTrouble(const absl::Status& answer, std::string_view known);

class IdentityWatch {
 public:
  // `producer`'s handle asks. All outlive it.
  IdentityWatch(Expected expected, kafka::Producer* producer, StatusFile* status, Log* log);
  ~IdentityWatch();
  IdentityWatch(const IdentityWatch&) = delete;
  IdentityWatch& operator=(const IdentityWatch&) = delete;

  // Records flow: these are the committed positions now.
  void Committed(const std::vector<kafka::Position>& positions);
  // Something looks as if a topic were gone: ask at once.
  void Suspect();
  // The same, and waits for two answers (one may have been on its way before) or ten seconds; then ask `alarmed`.
  void LookNow();

  // One load for the common case.
  bool alarmed() const { return alarmed_.load(std::memory_order_acquire); }
  Failure Alarm() const;

 private:
  void Watch();
  // Each waits, until a question is due or somebody is there to answer it; false at the end.
  bool AwaitTurn();
  bool AwaitBroker();
  void NoteTrouble(const absl::Status& answer);
  void NoteAnswer();
  void Judge(const absl::StatusOr<std::vector<kafka::TopicIdentity>>& topics,
             const std::vector<kafka::Position>& asked);

  const Expected expected_;
  kafka::Producer* const producer_;
  StatusFile* const status_;
  Log* const log_;
  bool silent_ = false;  // nobody answered last; of the thread
  std::atomic<bool> alarmed_{false};
  mutable absl::Mutex mu_;
  absl::CondVar changed_;
  bool stop_ ABSL_GUARDED_BY(mu_) = false;
  bool moved_ ABSL_GUARDED_BY(mu_) = false;
  bool suspect_ ABSL_GUARDED_BY(mu_) = false;
  int64_t answers_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t asked_ms_ ABSL_GUARDED_BY(mu_);
  std::vector<kafka::Position> committed_ ABSL_GUARDED_BY(mu_);
  std::vector<kafka::Position> good_ ABSL_GUARDED_BY(mu_);
  Failure alarm_ ABSL_GUARDED_BY(mu_);
  std::thread thread_;
};

}  // namespace st::runner

#endif  // ST_RUNNER_IDENTITY_WATCH_H_
