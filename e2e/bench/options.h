// The flags of the benchmark. Main thread.
#ifndef ST_E2E_BENCH_OPTIONS_H_
#define ST_E2E_BENCH_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace st::e2e::bench {

inline constexpr char kUsage[] = R"(usage: bazel run //e2e/bench -- [flags]
  --records N    narrow records of the longer runs (default 5000000); a third as many wide ones
  --blocks N     how often each contender runs at both lengths (default 5)
  --quick        a look of about five minutes: fewer records and two blocks
  --counts       only that all give the right records: a few thousand of them, and no figures
  --only NAMES   these contenders, separated by commas, by the beginning of their names
  --csv FILE     writes every measurement
  --svg FILE     draws throughput and CPU
)";

struct Options {
  int64_t records = 5000000;
  int blocks = 5;
  bool counts = false;
  std::vector<std::string> only;
  std::string csv_path;  // empty: not wanted
  std::string svg_path;

  // Times of the measurements that have no length in records.
  int latency_s = 10;
  int latency_warm_up_s = 5;
  int idle_s = 10;
  int starts = 5;

  bool Wants(const std::string& contender) const;
};

// Paths are taken from where the user called. InvalidArgument with one sentence.
absl::StatusOr<Options> ParseOptions(const std::vector<std::string>& words);

}  // namespace st::e2e::bench

#endif  // ST_E2E_BENCH_OPTIONS_H_
