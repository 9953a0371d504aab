// One run of one contender: from its start until the group's committed offsets reach the end of the input.
#ifndef ST_E2E_BENCH_MEASURED_RUN_H_
#define ST_E2E_BENCH_MEASURED_RUN_H_

#include <cstdint>
#include <string>
#include <vector>

namespace st::e2e {

struct Measured {
  double seconds = 0;      // wall time
  double cpu_seconds = 0;  // of the process, all threads
  double peak_mb = 0;      // resident memory
};

// Starts `arguments` and stops it by SIGTERM at the end. Aborts when it fails or takes longer than five minutes.
Measured MeasureUntil(const std::string& servers, const std::string& group, const std::string& topic, int partitions,
                      int64_t total_offsets, const std::vector<std::string>& arguments);

}  // namespace st::e2e

#endif  // ST_E2E_BENCH_MEASURED_RUN_H_
