// The runner's loop: poll, transform, write, commit; again until asked to stop. One thread.
#ifndef ST_RUNNER_LOOP_H_
#define ST_RUNNER_LOOP_H_

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/kafka/consumer.h"
#include "lib/record/record.h"
#include "runner/failure.h"
#include "runner/identity_watch.h"
#include "runner/ledger.h"
#include "runner/log.h"
#include "runner/pulse.h"
#include "runner/record_step.h"
#include "runner/startup.h"
#include "runner/status_file.h"
#include "runner/tally.h"
#include "runner/transaction.h"

namespace st::runner {

class Loop {
 public:
  // All outlive it.
  struct Parts {
    const v1::RecordPlan* plan;
    std::shared_ptr<const record::Program> program;
    Expected expected;
    int64_t commit_interval_ms;
    int64_t keep_alive_ms;
    kafka::Consumer* consumer;  // subscribed
    kafka::Producer* producer;  // initialised
    IdentityWatch* watch;
    StatusFile* status;
    Log* log;
    Pulse* pulse;
    int32_t named;  // partitions of the input below it were read before
    Tally tally;    // of those who read before in this process
  };
  explicit Loop(Parts parts);

  // Until it is asked to stop (nothing: Close comes next) or cannot go on.
  MaybeFailure Run();
  // Commits what is complete and leaves the group. What is not complete is aborted, which is as clean.
  MaybeFailure Close();
  // After a failure: what can still be done without waiting long, for those who read the output and for the next start.
  void GiveUp(const Failure& failure);
  // It has had an assignment.
  bool running() const { return running_; }
  const Tally& tally() const { return transaction_.tally(); }
  int32_t named() const { return named_; }

 private:
  MaybeFailure Turn();
  MaybeFailure AnswerRebalance();
  MaybeFailure TakeAssignment();
  // Commits the 0 of those that have no offset yet; `*positions` has it then. False: aborted, the assignment still
  // stands to be taken.
  bool StartFresh(std::vector<kafka::Position>* positions, MaybeFailure* failure);
  MaybeFailure GiveUpAssignment(bool lost);
  MaybeFailure TakeBatch(size_t count);
  MaybeFailure TakeMessage(rd_kafka_message_t* message, bool* go_on);
  MaybeFailure StopBefore(const rd_kafka_message_t& message, const Failure& why);
  MaybeFailure ConsumeError(const rd_kafka_message_t& message);
  MaybeFailure CommitIfDue();
  MaybeFailure Commit();
  // What an aborted transaction read is read again.
  MaybeFailure AfterAbort();
  // Aborts as something could not be written, and goes on after that.
  MaybeFailure AbortFailed(const std::string& why);
  int PollMs() const;
  void Absorb();
  void Publish();
  void PublishPartition(const kafka::Position& position, v1::RunnerStatus* status) const;

  const Parts parts_;
  Ledger ledger_;
  Transaction transaction_;
  RecordStep step_;
  std::vector<rd_kafka_message_t*> batch_;
  // The last commit, or the last time when there was nothing to commit.
  int64_t settled_ms_;
  int64_t published_ms_ = 0;
  int32_t named_;
  bool running_ = false;
};

}  // namespace st::runner

#endif  // ST_RUNNER_LOOP_H_
