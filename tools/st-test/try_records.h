// Tries a record plan on captured record values, one a line: what would the runner do with each?
#ifndef ST_TOOLS_ST_TEST_TRY_RECORDS_H_
#define ST_TOOLS_ST_TEST_TRY_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "lib/diag/diag.h"

namespace st::v1 {
class RecordPlan;
}

namespace st::test {

enum class Encoding {
  kLines,   // the bytes of a value as they stand, so without a line feed
  kBase64,  // RFC 4648, for any bytes
};

// Of a line in the file. A record over this is beyond what a broker takes by default many times.
inline constexpr size_t kLongestLine = size_t{64} << 20;

struct Counts {
  uint64_t pass = 0;
  uint64_t filtered = 0;
  uint64_t tombstones = 0;
  uint64_t poison = 0;
};

// Reads `in` to its end and writes one JSON object a line to `out`; lines that are there are answered before it waits
// for more. `~` is a tombstone, an empty line an empty value, in both encodings. A line that is no record at all (not
// base64, too long) ends it with a diagnostic that names `file` and the line. In constant memory.
// A failure to read is a diagnostic (diag::kReadFailed) as well.
// Unavailable: writing failed. InvalidArgument: the plan is not whole.
absl::Status TryRecords(const v1::RecordPlan& plan, int in, const std::string& file, Encoding encoding, int out,
                        Counts* counts, diag::Diagnostics* diagnostics);

}  // namespace st::test

#endif  // ST_TOOLS_ST_TEST_TRY_RECORDS_H_
