#include "e2e/bench/measured_run.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <memory>
#include <numeric>
#include <sstream>

#include "absl/log/absl_check.h"
#include "absl/strings/str_cat.h"
#include "lib/base/clock.h"
#include "lib/kafka/consumer.h"

namespace st::e2e {
namespace {

constexpr int kAnswerMs = 30000;
constexpr int64_t kLookMs = 5;
constexpr double kMostSeconds = 300;

double Now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// proc(5): user and system time are the 14th and 15th field.
double CpuSeconds(pid_t pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/stat"));
  std::stringstream text;
  text << file.rdbuf();
  std::istringstream fields(text.str().substr(text.str().rfind(')') + 1));
  std::string skipped;
  for (int i = 3; i < 14; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// The most that was resident. (What wait4(2) says begins with the parent's.)
double PeakMb(pid_t pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/status"));
  for (std::string word; file >> word;) {
    double kilobytes = 0;
    if (word == "VmHWM:" && file >> kilobytes) return kilobytes / 1024;
  }
  return 0;
}

pid_t Start(std::vector<std::string> words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // What is buffered would come out of the child, too.
  std::fflush(nullptr);
  const pid_t pid = fork();
  ABSL_CHECK_GE(pid, 0);
  if (pid == 0) {
    ABSL_CHECK(freopen("/dev/null", "w", stdout) != nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  return pid;
}

int64_t Committed(kafka::Consumer* reader, const std::vector<int32_t>& partitions) {
  auto positions = reader->Committed(partitions, kAnswerMs);
  ABSL_CHECK(positions.ok()) << positions.status();
  int64_t sum = 0;
  for (const kafka::Position& position : *positions) sum += position.offset;
  return sum;
}

}  // namespace

Measured MeasureUntil(const std::string& servers, const std::string& group, const std::string& topic, int partitions,
                      int64_t total_offsets, const std::vector<std::string>& arguments) {
  auto reader = kafka::Consumer::Open({{"bootstrap.servers", servers}}, group, topic);
  ABSL_CHECK(reader.ok()) << reader.status();
  std::vector<int32_t> numbers(static_cast<size_t>(partitions));
  std::iota(numbers.begin(), numbers.end(), 0);
  Measured measured;
  const double begun = Now();
  const pid_t pid = Start(arguments);
  while (Committed(reader->get(), numbers) < total_offsets) {
    ABSL_CHECK(waitpid(pid, nullptr, WNOHANG) == 0) << arguments[0] << " ended";
    ABSL_CHECK(Now() - begun < kMostSeconds) << arguments[0] << " takes too long";
    base::RealClock().SleepMs(kLookMs);
  }
  measured.seconds = Now() - begun;
  measured.cpu_seconds = CpuSeconds(pid);
  measured.peak_mb = PeakMb(pid);
  kill(pid, SIGTERM);
  int status = 0;
  ABSL_CHECK(waitpid(pid, &status, 0) == pid);
  ABSL_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0) << arguments[0] << " did not close: " << status;
  return measured;
}

}  // namespace st::e2e
