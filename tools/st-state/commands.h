// The commands of st-state, each from its arguments to its exit code. Main thread.
#ifndef ST_TOOLS_ST_STATE_COMMANDS_H_
#define ST_TOOLS_ST_STATE_COMMANDS_H_

#include <string>
#include <vector>

#include "lib/cli/flags.h"
#include "tools/st-state/store_choice.h"

namespace st::state_tool {

struct Arguments {
  std::string command;
  StoreFlags store;
  std::string address;
  StoreFlags to;
  std::string settle;     // recover, first: observed, rolled_back or abandoned
  std::string apply;      // recover, then: the reviewed file
  std::string operation;  // as in that file
  std::string checksum;
};

// What is wrong with the command line; empty: nothing.
std::string UsageError(const std::vector<std::string>& positional, const Arguments& arguments);

// The arguments must be without error.
int Run(const cli::Flags& flags, const cli::ToolInfo& tool, Arguments arguments);

}  // namespace st::state_tool

#endif  // ST_TOOLS_ST_STATE_COMMANDS_H_
