// One life of a runner, from its flags to its exit code.
#ifndef ST_RUNNER_SESSION_H_
#define ST_RUNNER_SESSION_H_

#include "lib/cli/cli.h"
#include "runner/options.h"
#include "runner/pulse.h"

namespace st::runner {

// Blocks until the runner is closed or has failed. `pulse` is asked to stop by a signal handler. The exit code: 0
// closed, 2 refused before start, 3 failed; to be given to _exit(2), as threads of the client library live on.
int RunSession(const cli::Flags& flags, const Options& options, Pulse* pulse);

}  // namespace st::runner

#endif  // ST_RUNNER_SESSION_H_
