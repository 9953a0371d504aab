// Runs a tool of ours and says what it cost. For the benchmarks here: keep the process that calls it small, as the
// kernel counts the caller's memory into the peak of what it starts (vfork).
#ifndef ST_TOOLS_BENCH_TOOL_RUN_H_
#define ST_TOOLS_BENCH_TOOL_RUN_H_

#include <optional>
#include <string>
#include <vector>

namespace st::bench {

struct Cost {
  double milliseconds = 0;
  double cpu_milliseconds = 0;  // user and system; far below the other one: the machine was busy with something else
  double peak_megabytes = 0;
};

// The least of each of `runs` runs, and the highest peak. Standard input from that file, or /dev/null when it is empty;
// standard output to /dev/null. Nothing, and a sentence on standard error, when a run does not end with 0.
std::optional<Cost> BestOf(int runs, std::vector<std::string> command, const std::string& input_file);

}  // namespace st::bench

#endif  // ST_TOOLS_BENCH_TOOL_RUN_H_
