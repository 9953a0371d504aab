// Runs a program and collects what it says.
#ifndef ST_E2E_COMMAND_H_
#define ST_E2E_COMMAND_H_

#include <sys/types.h>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace st::e2e {

struct CommandResult {
  int exit_code = 0;  // 128 + signal when it was killed by one
  std::string output;
  std::string error_text;
  double seconds = 0;  // wall time
};

struct CommandOptions {
  std::string input;                               // standard input, whole
  std::map<std::string, std::string> environment;  // added to ours
};

// Waits for its end. `arguments[0]` is a path or is looked up in PATH.
absl::StatusOr<CommandResult> RunCommand(const std::vector<std::string>& arguments, const CommandOptions& options = {});

// A program that runs beside the test. One thread at a time.
class RunningCommand {
 public:
  static absl::StatusOr<std::unique_ptr<RunningCommand>> Start(const std::vector<std::string>& arguments,
                                                               const CommandOptions& options = {});
  // Kills it if it was not waited for.
  ~RunningCommand();
  RunningCommand(const RunningCommand&) = delete;
  RunningCommand& operator=(const RunningCommand&) = delete;

  // Waits until a signal has stopped it (true) or it has ended (false). Each stop is told once.
  absl::StatusOr<bool> AwaitStop();
  // To a process that has not been waited for, so that its number is nobody else's.
  void Signal(int signal) const;
  absl::StatusOr<CommandResult> Wait();

 private:
  RunningCommand() = default;

  pid_t pid_ = -1;
  std::array<int, 3> fds_ = {-1, -1, -1};
  std::chrono::steady_clock::time_point start_;
  int status_ = 0;
  bool ended_ = false;
};

}  // namespace st::e2e

#endif  // ST_E2E_COMMAND_H_
