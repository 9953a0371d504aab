// The boundaries outside, by name: each crosses one, once. Internal to lib/execute.
#ifndef ST_LIB_EXECUTE_BOUNDARY_H_
#define ST_LIB_EXECUTE_BOUNDARY_H_

#include <string_view>

#include "absl/status/status.h"
#include "lib/execute/execute.h"
#include "lib/transition/transition.h"

namespace st::execute {

// create_topic, alter_configs, ...: as in docs/journal.md, and what ST_CRASH_AT names.
std::string_view BoundaryName(transition::Do act);

// Unknown, Unavailable or DeadlineExceeded: the answer is lost. AlreadyExists: the target has that name. All else:
// the other side refused and nothing happened.
absl::Status Cross(transition::Do act, const v1::Action& action, const transition::Progress& progress,
                   const World& world);

}  // namespace st::execute

#endif  // ST_LIB_EXECUTE_BOUNDARY_H_
