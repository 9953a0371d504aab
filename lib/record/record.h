// Executes a RecordPlan on bytes: decode, check, filter, project, encode. Pure: no I/O, no clock. The rules of a
// record value: docs/records.md.
#ifndef ST_LIB_RECORD_RECORD_H_
#define ST_LIB_RECORD_RECORD_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace st::v1 {
class RecordPlan;
}

namespace st::record {

// Kafka's own limit; larger values cannot be in a record, and Run must not get them.
inline constexpr size_t kMaxValueBytes = 0x7fffffff;

enum class Outcome { kPass, kFiltered, kPoison };

struct Fault {
  int kind = 0;             // v1::FaultKind
  std::string_view column;  // column, or the unknown or repeated member's (unescaped) name; valid until the next call
};

// Immutable and shareable between threads once made.
class Program {
 public:
  // InvalidArgument for a plan that is not whole: version, unknown operator, unknown field, a column that does not
  // exist, a literal of another type, order of lists.
  static absl::StatusOr<std::shared_ptr<const Program>> Compile(const v1::RecordPlan& plan);
  virtual ~Program() = default;
};

// The fast executor. One a thread. Its memory grows with the largest value that it met and is kept; it remembers the
// order of members of the last record, which changes its speed and never its answer.
class Executor {
 public:
  explicit Executor(std::shared_ptr<const Program> program);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // `value` need not be padded or writable. On kPass the output is appended to `*out` (never cleared here, so that
  // one arena can hold many records); otherwise `*out` is as it was. Allocates nothing in the steady state.
  Outcome Run(std::string_view value, std::string* out, Fault* fault);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// `text` (UTF-8) between quotes, in the one spelling that output has, appended to `*out`.
void AppendJsonString(std::string_view text, std::string* out);

// The plain reference: slow, obvious, sharing no decoding code with the fast one. For tests, fuzzing and as the
// oracle; accepts exactly what Executor accepts and gives the same bytes (of several faults it may name another).
Outcome RunReference(const v1::RecordPlan& plan, std::string_view value, std::string* out, Fault* fault,
                     std::string* fault_storage);

}  // namespace st::record

#endif  // ST_LIB_RECORD_RECORD_H_
