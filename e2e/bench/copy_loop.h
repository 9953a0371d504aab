// The ceiling: a bare transactional copy loop with the runner's own clients, settings and produce calls, and nothing in
// between. Transactions end by time.
#ifndef ST_E2E_BENCH_COPY_LOOP_H_
#define ST_E2E_BENCH_COPY_LOOP_H_

#include <cstdint>
#include <string>

namespace st::e2e {

struct CopyFlags {
  std::string servers;
  std::string application_id;
  std::string input;
  std::string output;
  int64_t commit_interval_ms = 100;
};

// Until SIGTERM, or a failure: the exit code.
int RunCopyLoop(const CopyFlags& flags);

}  // namespace st::e2e

#endif  // ST_E2E_BENCH_COPY_LOOP_H_
