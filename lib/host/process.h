// The process host: a runner is a detached process of this machine, found again by its generation folder
// (docs/journal.md, "Process host: the generation folder"). No daemon of ours in between.
#ifndef ST_LIB_HOST_PROCESS_H_
#define ST_LIB_HOST_PROCESS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "lib/host/host.h"

namespace st::host {

// `root`: its folder (generations live below it); made when something is first written. `runner_binary`: the st-runner
// to copy; empty when there is none (Identify says so, Create is refused). Touches nothing.
std::unique_ptr<RunnerHost> OpenProcessHost(std::string root, std::string runner_binary);

// $ST_STATE_DIR/runners, else $XDG_STATE_HOME/st/runners, else ~/.local/state/st/runners.
std::string DefaultProcessRoot();

// The st-runner beside the running executable; NotFound when it is not there.
absl::StatusOr<std::string> FindRunnerBinary();

}  // namespace st::host

#endif  // ST_LIB_HOST_PROCESS_H_
