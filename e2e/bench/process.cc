#include "e2e/bench/process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/log/absl_check.h"
#include "absl/strings/str_cat.h"
#include "lib/base/clock.h"

namespace st::e2e::bench {
namespace {

constexpr int64_t kStopMs = 60000;
constexpr int64_t kLookMs = 5;

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

double StatusMbOf(pid_t pid, const std::string& field) {
  std::istringstream words(TextOf(absl::StrCat("/proc/", pid, "/status")));
  for (std::string word; words >> word;) {
    double kilobytes = 0;
    if (word == field && words >> kilobytes) return kilobytes / 1024;
  }
  return 0;
}

}  // namespace

double CpuSecondsOf(pid_t pid) {
  constexpr int kUserTime = 14;  // its place in the line; the name before may have blanks
  const std::string text = TextOf(absl::StrCat("/proc/", pid, "/stat"));
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string skipped;
  for (int i = 3; i < kUserTime; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double ResidentMbOf(pid_t pid) { return StatusMbOf(pid, "VmRSS:"); }

double PeakMbOf(pid_t pid) { return StatusMbOf(pid, "VmHWM:"); }

Process::Process(std::vector<std::string> words, std::string output_path)
    : name_(words[0]), output_path_(std::move(output_path)) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // What is buffered would come out of the child, too.
  std::fflush(nullptr);
  pid_ = fork();
  ABSL_CHECK_GE(pid_, 0);
  if (pid_ == 0) {
    // Whatever becomes of the benchmark, nobody is left behind.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int out = open(output_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
}

Process::~Process() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Process::CheckRuns() {
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == 0) return;
  pid_ = -1;
  ABSL_CHECK(false) << name_ << " ended too early, status " << status << ": " << Said();
}

void Process::Stop() {
  kill(pid_, SIGTERM);
  const int64_t until = base::RealClock().MonotonicMs() + kStopMs;
  int status = 0;
  while (waitpid(pid_, &status, WNOHANG) == 0) {
    ABSL_CHECK_LT(base::RealClock().MonotonicMs(), until) << name_ << " does not stop: " << Said();
    base::RealClock().SleepMs(kLookMs);
  }
  pid_ = -1;
  ABSL_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0)
      << name_ << " ended with status " << status << ": " << Said();
}

std::string Process::Said() const { return TextOf(output_path_); }

}  // namespace st::e2e::bench
