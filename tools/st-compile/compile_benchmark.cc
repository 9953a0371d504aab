// How long st-compile takes, of which in the processor, and how much memory, for 10,000 and for 40,000 models:
//   bazel run -c opt //tools/st-compile:compile_benchmark
// Runs the real binary on generated projects, output thrown away, and prints the best of several runs and their ratio.
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

extern char** environ;

namespace {

constexpr int kRuns = 5;
constexpr int kModelsPerSource = 100;

std::string Source(int i) {
  return absl::StrFormat(
      "  - name: orders_%d\n    topic: orders.raw.v%d\n    owner: checkout-team\n    columns:\n"
      "      - {name: id, type: STRING, required: true}\n      - {name: amount, type: BIGINT}\n"
      "      - {name: paid, type: BOOLEAN, required: true}\n",
      i, i);
}

// About 350 bytes, as people write them.
std::string Model(int i) {
  return absl::StrFormat(
      "  - name: large_orders_%d\n    description: Paid orders of at least %d units, for the risk team\n"
      "    owner: risk-team\n    ownership: {mode: managed}\n    executor: runner\n    sql: |\n"
      "      SELECT id AS order_id, amount\n      FROM {{ source(\"orders_%d\") }}\n"
      "      WHERE amount >= %d AND paid = TRUE\n"
      "    topic: {partitions: 3, replication_factor: 1, config: {retention.ms: 604800000}}\n",
      i, i, i / kModelsPerSource, i);
}

// Its size in bytes; 0 when it could not be written.
size_t WriteProject(const std::string& folder, int models) {
  std::string text =
      "project: {name: shop, version: \"1\"}\nruntime:\n  kafka: {bootstrap_servers: \"localhost:9092\"}\n"
      "  runner: {host: process, initial_offset: earliest}\nsources:\n";
  for (int i = 0; i * kModelsPerSource < models; ++i) text += Source(i);
  text += "models:\n";
  for (int i = 0; i < models; ++i) text += Model(i);
  std::ofstream file(folder + "/stream_project.yml", std::ios::binary);
  file << text;
  file.close();
  return file.fail() ? 0 : text.size();
}

struct Cost {
  double milliseconds = std::numeric_limits<double>::max();
  // User and system. Where it is far below the other one, the machine was busy with something else.
  double cpu_milliseconds = std::numeric_limits<double>::max();
  double megabytes = 0;
  bool good = false;
};

double Milliseconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

Cost RunOnce(const std::string& compiler, const std::string& folder) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  std::string arguments[] = {compiler, "--quiet", folder};
  char* argv[] = {arguments[0].data(), arguments[1].data(), arguments[2].data(), nullptr};
  Cost cost;
  pid_t pid = 0;
  const auto start = std::chrono::steady_clock::now();
  if (posix_spawn(&pid, compiler.c_str(), &actions, nullptr, argv, environ) == 0) {
    int status = 0;
    rusage usage{};
    cost.good = wait4(pid, &status, 0, &usage) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    cost.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    cost.cpu_milliseconds = Milliseconds(usage.ru_utime) + Milliseconds(usage.ru_stime);
    cost.megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
  }
  posix_spawn_file_actions_destroy(&actions);
  return cost;
}

Cost Measure(const std::string& compiler, const std::string& folder, int models) {
  const size_t bytes = WriteProject(folder, models);
  Cost best;
  for (int run = 0; bytes != 0 && run < kRuns; ++run) {
    const Cost cost = RunOnce(compiler, folder);
    if (!cost.good) return {};
    best = {std::min(best.milliseconds, cost.milliseconds), std::min(best.cpu_milliseconds, cost.cpu_milliseconds),
            std::max(best.megabytes, cost.megabytes), true};
  }
  absl::PrintF("%6d models, %5.1f MB of YAML: %7.0f ms (%7.0f ms of CPU), peak %5.0f MB\n", models,
               static_cast<double>(bytes) / 1e6, best.milliseconds, best.cpu_milliseconds, best.megabytes);
  return best;
}

}  // namespace

int main() {
  const std::string compiler = "tools/st-compile/st-compile";
  std::string folder = (std::filesystem::temp_directory_path() / "compile_benchmark.XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  absl::PrintF("best of %d runs\n", kRuns);
  const Cost small = Measure(compiler, folder, 10'000);
  const Cost large = Measure(compiler, folder, 40'000);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (!small.good || !large.good) {
    std::fputs("st-compile failed; build it with bazel run\n", stderr);
    return 1;
  }
  absl::PrintF("four times the models: %.2f times the time, %.2f times the CPU, %.2f times the memory\n",
               large.milliseconds / small.milliseconds, large.cpu_milliseconds / small.cpu_milliseconds,
               large.megabytes / small.megabytes);
  return 0;
}
