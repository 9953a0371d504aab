#include "lib/host/detached_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/fs/file.h"

namespace st::host {
namespace {

using fs::Descriptor;

// The child's steps, so that a failure can be named.
enum Step : int32_t { kForked, kFiles, kFolder, kExecute };
constexpr std::array<std::string_view, 4> kStepNames = {"fork", "arrange its open files", "enter its folder",
                                                        "execute the program"};

struct Answer {
  int32_t step;
  int32_t value;  // kForked: the pid; else errno
};

// Where the child has its ends of the two pipes.
constexpr int kGo = 3;
constexpr int kAnswers = 4;
constexpr int kFirstUnused = 5;
// Out of the way of all of these.
constexpr int kParking = 16;

// All that the child needs, made before the fork: between fork and exec a thread of ours that held a lock of the
// allocator is gone, so the child may only make system calls.
struct Prepared {
  const char* executable;
  const char* folder;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  int null;
  int log;
  int go;
  int answers;
};

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

void Say(int answers, Step step, int value) {
  const Answer answer = {step, value};
  (void)!write(answers, &answer, sizeof answer);
}

[[noreturn]] void GiveUp(int answers, Step step) {
  Say(answers, step, errno);
  _exit(1);
}

void ArrangeFiles(const Prepared& prepared) {
  const int answers = fcntl(prepared.answers, F_DUPFD, kParking);
  const int go = fcntl(prepared.go, F_DUPFD, kParking);
  const int log = fcntl(prepared.log, F_DUPFD, kParking);
  const int null = fcntl(prepared.null, F_DUPFD, kParking);
  if (answers < 0) _exit(1);
  if (go < 0 || log < 0 || null < 0) GiveUp(answers, kFiles);
  if (dup2(null, STDIN_FILENO) < 0 || dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0 ||
      dup2(go, kGo) < 0 || dup2(answers, kAnswers) < 0) {
    GiveUp(answers, kFiles);
  }
  if (close_range(kFirstUnused, ~0U, 0) != 0) GiveUp(kAnswers, kFiles);
  if (fcntl(kGo, F_SETFD, FD_CLOEXEC) != 0 || fcntl(kAnswers, F_SETFD, FD_CLOEXEC) != 0) GiveUp(kAnswers, kFiles);
}

// Signals are blocked when this begins.
[[noreturn]] void BecomeProgram(const Prepared& prepared) {
  ArrangeFiles(prepared);
  const rlimit no_core = {0, 0};
  if (setrlimit(RLIMIT_CORE, &no_core) != 0) GiveUp(kAnswers, kFiles);
  (void)umask(077);
  if (chdir(prepared.folder) != 0) GiveUp(kAnswers, kFolder);
  // An ignored signal would stay ignored.
  for (int number = 1; number < NSIG; ++number) (void)signal(number, SIG_DFL);
  sigset_t none;
  (void)sigemptyset(&none);
  (void)sigprocmask(SIG_SETMASK, &none, nullptr);

  Say(kAnswers, kForked, getpid());
  char byte = 0;
  ssize_t got = 0;
  do {
    got = read(kGo, &byte, 1);
  } while (got < 0 && errno == EINTR);
  if (got != 1) _exit(1);
  (void)execve(prepared.executable, prepared.arguments.data(), prepared.environment.data());
  GiveUp(kAnswers, kExecute);
}

// A child that starts the real one and ends at once: so that nobody of ours has to wait for it, and that it is no
// session leader, which could get a terminal by opening one.
[[noreturn]] void DetachAndBecome(const Prepared& prepared) {
  if (setsid() < 0) GiveUp(prepared.answers, kForked);
  const pid_t child = fork();
  if (child < 0) GiveUp(prepared.answers, kForked);
  if (child > 0) _exit(0);
  BecomeProgram(prepared);
}

absl::Status SystemError(int error, const std::string& executable, std::string_view what) {
  return fs::SystemError(error, executable, absl::StrCat("start it: cannot ", what));
}

// False at the end of the pipe.
absl::StatusOr<bool> ReadAnswer(int answers, const std::string& executable, Answer* answer) {
  size_t filled = 0;
  auto* bytes = reinterpret_cast<char*>(answer);
  while (filled < sizeof *answer) {
    const ssize_t got = read(answers, bytes + filled, sizeof *answer - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError(errno, executable, "hear from the new process");
    if (got == 0) return false;
    filled += static_cast<size_t>(got);
  }
  return true;
}

// Forks with all signals blocked: a handler of ours must not run in the child.
pid_t ForkBlocked(const Prepared& prepared) {
  sigset_t all;
  sigset_t before;
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = fork();
  if (child == 0) DetachAndBecome(prepared);
  const int error = errno;
  (void)pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return child;
}

}  // namespace

DetachedProcess::DetachedProcess(std::string executable, pid_t pid, int process, int go, int answers)
    : executable_(std::move(executable)), pid_(pid), process_(process), go_(go), answers_(answers) {}

absl::StatusOr<std::unique_ptr<DetachedProcess>> DetachedProcess::Fork(const Command& command) {
  const std::string& executable = command.executable;
  const Descriptor log(fs::OpenRetrying(command.log.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0600));
  if (!log.ok()) return fs::SystemError(errno, command.log, "open the log");
  if (fchmod(log.get(), 0600) != 0) return fs::SystemError(errno, command.log, "set the mode of the log");
  const Descriptor null(fs::OpenRetrying("/dev/null", O_RDONLY));
  if (!null.ok()) return SystemError(errno, executable, "open /dev/null");
  int go[2];
  if (pipe2(go, O_CLOEXEC) != 0) return SystemError(errno, executable, "make a pipe");
  const Descriptor go_read(go[0]);
  Descriptor go_write(go[1]);
  int answers[2];
  if (pipe2(answers, O_CLOEXEC) != 0) return SystemError(errno, executable, "make a pipe");
  Descriptor answers_read(answers[0]);
  Descriptor answers_write(answers[1]);

  const Prepared prepared = {executable.c_str(),
                             command.folder.c_str(),
                             Pointers(command.arguments),
                             Pointers(command.environment),
                             null.get(),
                             log.get(),
                             go_read.get(),
                             answers_write.get()};
  const pid_t between = ForkBlocked(prepared);
  if (between < 0) return SystemError(errno, executable, "fork");
  (void)answers_write.Close();
  int ended = 0;
  while (waitpid(between, &ended, 0) < 0 && errno == EINTR) {
  }
  Answer answer{};
  absl::StatusOr<bool> heard = ReadAnswer(answers_read.get(), executable, &answer);
  if (!heard.ok()) return heard.status();
  if (!*heard)
    return absl::UnavailableError(absl::StrCat(executable, ": cannot start it: the new process ended at once"));
  if (answer.step != kForked || answer.value <= 0 || !WIFEXITED(ended) || WEXITSTATUS(ended) != 0) {
    return SystemError(answer.value, executable, kStepNames[static_cast<size_t>(answer.step)]);
  }
  // It waits for us, so the number is still its own.
  Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, answer.value, 0)));
  if (!process.ok()) return SystemError(errno, executable, "keep hold of the new process");
  return std::unique_ptr<DetachedProcess>(
      new DetachedProcess(executable, answer.value, process.Release(), go_write.Release(), answers_read.Release()));
}

absl::Status DetachedProcess::Go() {
  if (absl::Status gone = fs::WriteAll(go_.get(), "g"); !gone.ok()) return gone;
  Answer answer{};
  absl::StatusOr<bool> heard = ReadAnswer(answers_.get(), executable_, &answer);
  if (!heard.ok()) return absl::UnknownError(heard.status().message());
  // The pipe closes on exec.
  if (!*heard) return absl::OkStatus();
  // It says so just before it ends: who looks next must not find it.
  pollfd ended = {process_.get(), POLLIN, 0};
  while (poll(&ended, 1, -1) < 0 && errno == EINTR) {
  }
  const absl::Status error = SystemError(answer.value, executable_, kStepNames[static_cast<size_t>(answer.step)]);
  return absl::FailedPreconditionError(error.message());
}

}  // namespace st::host
