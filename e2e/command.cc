#include "e2e/command.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace st::e2e {
namespace {

// A file that is gone with its descriptor: a pipe would need someone who reads both ends at once.
int AnonymousFile(const std::string& content) {
  std::string path = absl::StrCat(getenv("TEST_TMPDIR") == nullptr ? "/tmp" : getenv("TEST_TMPDIR"), "/command.XXXXXX");
  int fd = mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) return -1;
  unlink(path.c_str());
  size_t done = 0;
  while (done < content.size()) {
    ssize_t written = write(fd, content.data() + done, content.size() - done);
    if (written <= 0) return -1;
    done += static_cast<size_t>(written);
  }
  return lseek(fd, 0, SEEK_SET) == 0 ? fd : -1;
}

std::string Content(int fd) {
  std::string content;
  char buffer[1 << 16];
  lseek(fd, 0, SEEK_SET);
  for (ssize_t got; (got = read(fd, buffer, sizeof buffer)) > 0;) content.append(buffer, static_cast<size_t>(got));
  return content;
}

[[noreturn]] void Become(const std::vector<std::string>& arguments, const CommandOptions& options,
                         const std::array<int, 3>& fds) {
  for (size_t i = 0; i < fds.size(); ++i) dup2(fds[i], static_cast<int>(i));
  for (const auto& [name, value] : options.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  _exit(127);
}

}  // namespace

absl::StatusOr<std::unique_ptr<RunningCommand>> RunningCommand::Start(const std::vector<std::string>& arguments,
                                                                      const CommandOptions& options) {
  std::unique_ptr<RunningCommand> command(new RunningCommand);
  command->fds_ = {AnonymousFile(options.input), AnonymousFile(""), AnonymousFile("")};
  for (int fd : command->fds_) {
    if (fd < 0) return absl::InternalError("no temporary files for a command");
  }
  command->start_ = std::chrono::steady_clock::now();
  const pid_t pid = fork();
  if (pid < 0) return absl::ErrnoToStatus(errno, "fork");
  if (pid == 0) Become(arguments, options, command->fds_);
  command->pid_ = pid;
  return command;
}

RunningCommand::~RunningCommand() {
  if (pid_ > 0 && !ended_) {
    Signal(SIGKILL);
    (void)Wait();
  }
  for (int fd : fds_) {
    if (fd >= 0) close(fd);
  }
}

void RunningCommand::Signal(int signal) const {
  if (!ended_) kill(pid_, signal);
}

absl::StatusOr<bool> RunningCommand::AwaitStop() {
  if (ended_) return false;
  while (waitpid(pid_, &status_, WUNTRACED) < 0) {
    if (errno != EINTR) return absl::ErrnoToStatus(errno, "waitpid");
  }
  ended_ = !WIFSTOPPED(status_);
  return !ended_;
}

absl::StatusOr<CommandResult> RunningCommand::Wait() {
  while (!ended_) {
    if (waitpid(pid_, &status_, 0) >= 0) {
      ended_ = true;
    } else if (errno != EINTR) {
      return absl::ErrnoToStatus(errno, "waitpid");
    }
  }
  CommandResult result;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  result.exit_code = WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
  result.output = Content(fds_[1]);
  result.error_text = Content(fds_[2]);
  return result;
}

absl::StatusOr<CommandResult> RunCommand(const std::vector<std::string>& arguments, const CommandOptions& options) {
  absl::StatusOr<std::unique_ptr<RunningCommand>> command = RunningCommand::Start(arguments, options);
  if (!command.ok()) return command.status();
  return (*command)->Wait();
}

}  // namespace st::e2e
