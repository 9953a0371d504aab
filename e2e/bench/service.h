// What a contender is like as a service that runs all day: how soon it works, what it costs when nothing comes, and how
// long a record takes from its append to the input until a reader of committed records sees what came of it.
#ifndef ST_E2E_BENCH_SERVICE_H_
#define ST_E2E_BENCH_SERVICE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "e2e/bench/bed.h"
#include "e2e/bench/figures.h"
#include "e2e/bench/filled_topic.h"
#include "e2e/bench/options.h"

namespace st::e2e::bench {

inline constexpr int64_t kRates[] = {1000, 50000};  // records a second

// At one rate. The broker's clock for appends and the reader's are one; they tell milliseconds.
struct Latency {
  int64_t rate = 0;
  int64_t records = 0;  // that were seen and counted
  double p50_ms = 0;
  double p99_ms = 0;
  double cpu_percent = 0;  // of one core
  double resident_mb = 0;  // at the end
};

struct Service {
  std::string name = {};
  Spread first_commit_ms = {};  // from the start of the process, on a broker that was used before
  double idle_mb = 0;
  double idle_cpu_percent = 0;  // of one core
  std::vector<Latency> latencies = {};
};

// The first commit and the idling after it, on the end of `input`.
Service MeasureStart(Bed* bed, const Contender& contender, const FilledTopic& input, const Options& options);
// DataLoss when not all records came out.
absl::StatusOr<Latency> MeasureLatency(Bed* bed, const Contender& contender, int64_t rate, const Options& options);

}  // namespace st::e2e::bench

#endif  // ST_E2E_BENCH_SERVICE_H_
