// st-runner as a test starts, watches, stops and kills it.
#ifndef ST_E2E_RUNNER_RUNNER_PROCESS_H_
#define ST_E2E_RUNNER_RUNNER_PROCESS_H_

#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "e2e/runner/cluster.h"
#include "schemas/st/v1/record_plan.pb.h"
#include "schemas/st/v1/runner_status.pb.h"

namespace st::e2e {

// One model: a folder with its plan and properties, and the flags.
class Model {
 public:
  // Writes the files. The topics exist.
  Model(Cluster* cluster, const std::string& servers, const v1::RecordPlan& plan, const std::string& application_id,
        int partitions);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const std::string& folder() const { return folder_; }
  const std::string& application_id() const { return application_id_; }
  // By name without dashes; a test may change them.
  std::map<std::string, std::string> flags;
  // Words before the runner's own, of a program that becomes it.
  std::vector<std::string> launcher;
  // Added to ours.
  std::map<std::string, std::string> environment;

 private:
  std::string folder_;
  std::string application_id_;
};

class RunnerProcess {
 public:
  explicit RunnerProcess(const Model& model);
  // Killed, if it still runs.
  ~RunnerProcess();
  RunnerProcess(const RunnerProcess&) = delete;
  RunnerProcess& operator=(const RunnerProcess&) = delete;

  void Signal(int signal) const;
  // The exit code, or minus the signal; aborts the test after `seconds`.
  int Wait(int seconds = 60);
  // Nothing when it still runs.
  std::optional<int> Poll();
  // SIGTERM and Wait.
  int Stop();

  // As last written by this process; empty before that. What one before it wrote stays for it to read.
  v1::RunnerStatus Status() const;
  // Until the status is as wanted; aborts the test when the process ends or a minute is over.
  v1::RunnerStatus Await(const std::function<bool(const v1::RunnerStatus&)>& wanted);
  v1::RunnerStatus AwaitRunning();
  pid_t pid() const { return pid_; }
  // What it and those before it in the same folder printed.
  std::string Log() const;

 private:
  std::string status_path_;
  std::string log_path_;
  pid_t pid_ = -1;
  std::optional<int> ended_;
};

// A status document; nothing when there is none.
std::optional<v1::RunnerStatus> ReadStatus(const std::string& path);

}  // namespace st::e2e

#endif  // ST_E2E_RUNNER_RUNNER_PROCESS_H_
