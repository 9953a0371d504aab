#include "e2e/command.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

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

[[noreturn]] void Become(const std::vector<std::string>& arguments, const CommandOptions& options, const int fds[3]) {
  for (int i = 0; i < 3; ++i) dup2(fds[i], i);
  for (const auto& [name, value] : options.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  _exit(127);
}

}  // namespace

absl::StatusOr<CommandResult> RunCommand(const std::vector<std::string>& arguments, const CommandOptions& options) {
  const int fds[3] = {AnonymousFile(options.input), AnonymousFile(""), AnonymousFile("")};
  if (fds[0] < 0 || fds[1] < 0 || fds[2] < 0) return absl::InternalError("no temporary files for a command");
  auto start = std::chrono::steady_clock::now();
  pid_t pid = fork();
  if (pid < 0) return absl::ErrnoToStatus(errno, "fork");
  if (pid == 0) Become(arguments, options, fds);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return absl::ErrnoToStatus(errno, "waitpid");
  }
  CommandResult result;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.output = Content(fds[1]);
  result.error_text = Content(fds[2]);
  for (int fd : fds) close(fd);
  return result;
}

}  // namespace st::e2e
