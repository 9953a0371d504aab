// How long each tool takes to start and end again (`--version`): bazel run //tools/bench:start_benchmark
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include "tools/bench/tool_run.h"

namespace {

constexpr int kRuns = 50;
constexpr double kGoalMilliseconds = 20;

}  // namespace

int main(int argc, char** argv) {
  double worst = 0;
  std::printf("best of %d runs of `--version`\n", kRuns);
  for (int i = 1; i < argc; ++i) {
    const std::optional<st::bench::Cost> cost = st::bench::BestOf(kRuns, {argv[i], "--version"}, "");
    if (!cost) return 1;
    worst = std::max(worst, cost->milliseconds);
    std::printf("%-32s %6.2f ms (%5.2f ms of CPU), peak %4.1f MB\n", argv[i], cost->milliseconds,
                cost->cpu_milliseconds, cost->peak_megabytes);
  }
  std::printf("slowest %.2f ms, the goal is %.0f ms\n", worst, kGoalMilliseconds);
  return worst > 0 && worst < kGoalMilliseconds ? 0 : 1;
}
