// Looks at exactly what one action touches, fresh. Internal to lib/execute.
#ifndef ST_LIB_EXECUTE_FACTS_H_
#define ST_LIB_EXECUTE_FACTS_H_

#include <string>

#include "absl/status/statusor.h"
#include "lib/execute/execute.h"
#include "lib/transition/transition.h"

namespace st::execute {

// Fails as the adapters do: an unreadable answer is never "absent".
absl::StatusOr<transition::Facts> Look(const v1::Action& action, const World& world);

// The application of a runner action; empty for a topic action.
std::string ApplicationId(const v1::Action& action);

// What was seen, on a few lines for people.
std::string Describe(const v1::Action& action, const transition::Facts& facts);

}  // namespace st::execute

#endif  // ST_LIB_EXECUTE_FACTS_H_
