#include "tools/bench/tool_run.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

extern char** environ;

namespace st::bench {
namespace {

double Milliseconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

std::optional<Cost> RunOnce(std::vector<std::string>* command, const std::string& input_file) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input_file.empty() ? "/dev/null" : input_file.c_str(),
                                   O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> argv;
  for (std::string& argument : *command) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::optional<Cost> cost;
  pid_t pid = 0;
  const auto start = std::chrono::steady_clock::now();
  if (posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ) == 0) {
    int status = 0;
    rusage usage{};
    const bool good = wait4(pid, &status, 0, &usage) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    if (good) {
      cost = {elapsed.count(), Milliseconds(usage.ru_utime) + Milliseconds(usage.ru_stime),
              static_cast<double>(usage.ru_maxrss) / 1024};
    }
  }
  posix_spawn_file_actions_destroy(&actions);
  return cost;
}

}  // namespace

std::optional<Cost> BestOf(int runs, std::vector<std::string> command, const std::string& input_file) {
  std::optional<Cost> best;
  for (int run = 0; run < runs; ++run) {
    const std::optional<Cost> cost = RunOnce(&command, input_file);
    if (!cost) {
      std::fprintf(stderr, "%s did not end well; is it built? start this by `bazel run`\n", command[0].c_str());
      return std::nullopt;
    }
    if (!best) best = cost;
    best = {std::min(best->milliseconds, cost->milliseconds), std::min(best->cpu_milliseconds, cost->cpu_milliseconds),
            std::max(best->peak_megabytes, cost->peak_megabytes)};
  }
  return best;
}

}  // namespace st::bench
