// The rungs below the runner, on its own client classes and settings, each doing one thing more than the one before;
// and beside them the ceiling: a bare transactional copy loop that makes the produce calls of the model and looks at no
// value. One rung is one process.
#ifndef ST_E2E_BENCH_LADDER_H_
#define ST_E2E_BENCH_LADDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "e2e/bench/workload.h"

namespace st::e2e::bench {

enum class Rung {
  kConsume,
  kDecode,        // and every check of the model's columns
  kEncode,        // and the filter and the projection
  kProduce,       // and written, in one transaction for the whole run
  kTransactions,  // one each commit interval, with the offsets
  kCopy,          // as kTransactions, of whole values, without decoding
};

// "consume", "decode", ...
std::string_view NameOf(Rung rung);

struct RungFlags {
  Rung rung = Rung::kConsume;
  Workload workload = Workload::kNarrow;
  std::string servers = {};
  std::string group = {};
  std::string input = {};
  std::string output = {};
  int64_t commit_interval_ms = 100;
};

// The words of the same flags for a command line, and back; nothing when they are none.
std::vector<std::string> WordsOf(const RungFlags& flags);
std::optional<RungFlags> RungFlagsOf(const std::vector<std::string>& words);

// What a rung counted. It is the last line that it prints.
struct RungCounts {
  int64_t in = 0;
  int64_t out = 0;  // that passed the filter
  int64_t out_bytes = 0;
};
RungCounts CountsIn(const std::string& said);

// Until SIGTERM, or a failure: the exit code. Whatever was read is committed when nothing more comes.
int RunRung(const RungFlags& flags);

}  // namespace st::e2e::bench

#endif  // ST_E2E_BENCH_LADDER_H_
