// Fault injection: ends or stops the process by a signal at one named boundary, so that a test can cut an operation off
// exactly there. Names: docs/journal.md.
#ifndef ST_LIB_EXECUTE_CRASH_POINT_H_
#define ST_LIB_EXECUTE_CRASH_POINT_H_

#include <functional>
#include <string_view>

#include "absl/status/statusor.h"

namespace st::execute {

// `spec` is `<before|after>:<boundary>:<n>`, the n-th time that it is met, from 1, by SIGKILL; with `:stop` behind it
// by SIGSTOP; empty: never. InvalidArgument for another form, so that a test that names no boundary cannot pass by
// mistake.
absl::StatusOr<std::function<void(std::string_view)>> CrashPoint(std::string_view spec);

}  // namespace st::execute

#endif  // ST_LIB_EXECUTE_CRASH_POINT_H_
