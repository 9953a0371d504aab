// One episode of a runner under fire: a model of its own under load, one fault at a random moment, and then the output
// is the input put through the model, once, in order for each partition; or the runner stopped with the right reason at
// the right offset, and goes on from there when what was wrong is put right.
#ifndef ST_E2E_TORTURE_RUNNER_EPISODE_H_
#define ST_E2E_TORTURE_RUNNER_EPISODE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "e2e/runner/runner_process.h"
#include "e2e/torture/fire_brokers.h"
#include "e2e/torture/subject.h"
#include "schemas/st/v1/runner_status.pb.h"

namespace st::e2e {

enum class Fire {
  kKilled,           // SIGKILL at a random moment, also while it starts
  kStopped,          // SIGSTOP beyond its session in the group, SIGCONT
  kOverslept,        // the same beyond the transaction's time-out
  kTwoProcesses,     // two with one id, in folders of their own
  kZombie,           // SIGSTOP, another one takes over, SIGCONT
  kRebalanced,       // somebody else's member joins the group and leaves
  kPartitionsAdded,  // to the input; perhaps SIGKILL in the middle of taking them over
  kPoison,           // a record that is none, at the edges of batch and transaction
  kTooLarge,         // the largest record that a topic takes, or one byte more
  kDiskFull,         // under its status file
  kClockSetBack,     // or forth
  kPasswordChanged,  // while its login runs out
  kNetworkCut,       // in one direction or both
  kNetworkSlow,
  kRetention,     // removes what is not read yet
  kMadeAgain,     // input or output deleted and made again
  kBrokerKilled,  // SIGKILL, restart
};
inline constexpr int kFires = 17;
const char* Name(Fire fire);
// As needs be for the kinds that take long.
Fire DrawFire(std::mt19937_64* random);

class RunnerEpisode {
 public:
  // `name`: of the model; no other has it on these brokers. Draws all its chances from `random`.
  RunnerEpisode(FireBrokers* brokers, std::string name, std::mt19937_64* random);

  // What does not hold; empty: all does, and the fault struck.
  std::vector<std::string> Run(Fire fire);
  // What was done, line by line.
  const std::vector<std::string>& log() const { return log_; }
  // Of the input, that were compared.
  int64_t records() const { return records_; }

 private:
  using Status = v1::RunnerStatus;
  using Reasons = std::set<Status::Reason>;

  void Kill();
  void Stop(int64_t ms, const Reasons& reasons);
  void TwoProcesses();
  void Zombie();
  void Rebalance();
  void AddPartitions();
  void Poison();
  void TooLarge();
  void FillDisk();
  void SetClock();
  void ChangePassword();
  void CutNetwork();
  void SlowNetwork();
  void Retain();
  void MakeAgain();
  void KillBroker();

  // A model of random shape, with up to so many records already there.
  void Begin(const std::string& servers, int most_records);
  Subject::Shape DrawShape();
  // Starts a runner, which then is runner_, and waits until it has committed something under load.
  bool StartUnderLoad();
  // The same, of a model whose runner is on the wire.
  bool StartOn(const Wire& wire);
  void Start() { runner_ = std::make_unique<RunnerProcess>(subject_->model()); }
  // False, and a violation, when that is not so within a minute.
  bool Await(RunnerProcess* runner, const std::string& what, const std::function<bool(const Status&)>& wanted);
  // Its exit code; nothing, and a violation, when it does not end in time.
  std::optional<int> AwaitEnd(RunnerProcess* runner, int64_t ms);
  // That it ended by itself with one of these; or as it aborted a transaction of which the broker knew nothing yet,
  // which the client library takes for a grave error (docs/runner.md, `internal`).
  void ExpectEnd(RunnerProcess* runner, const Reasons& reasons, int64_t ms = 90'000);
  // By partition, as runner_ says; -1: it does not say.
  std::vector<int64_t> CommittedByStatus() const;
  // It stopped at that record, and says so: the reason, where, that the committed offsets are those of its status, with
  // that one among them, and that the output is what was before them.
  void ExpectStop(Status::Reason reason, const Record& record, const std::vector<Record>& input);
  // Nothing more is written; a runner reads all and closes. One that ended by itself for one of `reasons` is started
  // again.
  void Finish(const Reasons& reasons = {});
  // The same with what of the input counts, which ends there.
  void FinishWith(const std::vector<Record>& input, const std::vector<int64_t>& ends, const Reasons& reasons = {});
  // What it reads by status, until it is all or (false) it does not come to that.
  bool ReadAll(const std::vector<int64_t>& ends, const Reasons& reasons);

  bool Good() const { return violations_.empty(); }
  void Log(std::string line) { log_.push_back(std::move(line)); }
  void Violation(std::string sentence);
  int Draw(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
  bool Toss() { return Draw(2) == 0; }
  void SleepUpTo(int ms);

  FireBrokers& brokers_;
  const std::string name_;
  std::mt19937_64& random_;
  std::unique_ptr<Subject> subject_;
  std::unique_ptr<RunnerProcess> runner_;
  int64_t records_ = 0;
  std::vector<std::string> log_;
  std::vector<std::string> violations_;
};

}  // namespace st::e2e

#endif  // ST_E2E_TORTURE_RUNNER_EPISODE_H_
