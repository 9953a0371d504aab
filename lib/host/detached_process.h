// Starts a program that outlives us: in a session of its own, with nothing of ours but a log. For this library's own
// files.
#ifndef ST_LIB_HOST_DETACHED_PROCESS_H_
#define ST_LIB_HOST_DETACHED_PROCESS_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/fs/descriptor.h"

namespace st::host {

struct Command {
  std::string executable;                // absolute
  std::vector<std::string> arguments;    // from argv[0] on
  std::vector<std::string> environment;  // NAME=value; nothing else
  std::string folder;                    // where it runs
  std::string log;                       // standard output and error are appended; made 0600
};

// In two steps, so that its pid can be written down before it does anything. Whoever dies in between, and the
// destructor, leave a process that ends by itself without having executed the program.
class DetachedProcess {
 public:
  // Forks. The child has no signal handlers or blocked signals of ours, no controlling terminal, no open files of ours
  // but the log, standard input from /dev/null, umask 077, and writes no core (a core would hold secrets).
  static absl::StatusOr<std::unique_ptr<DetachedProcess>> Fork(const Command& command);

  pid_t pid() const { return pid_; }

  // Returns when it executes the program; FailedPrecondition when it could not (it has ended then), Unknown when it
  // did not say. Once.
  absl::Status Go();

 private:
  DetachedProcess(std::string executable, pid_t pid, int process, int go, int answers);

  std::string executable_;
  pid_t pid_;
  fs::Descriptor process_;  // readable when it has ended
  fs::Descriptor go_;
  fs::Descriptor answers_;
};

}  // namespace st::host

#endif  // ST_LIB_HOST_DETACHED_PROCESS_H_
