// Runs a program and collects what it says.
#ifndef ST_E2E_COMMAND_H_
#define ST_E2E_COMMAND_H_

#include <map>
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

}  // namespace st::e2e

#endif  // ST_E2E_COMMAND_H_
