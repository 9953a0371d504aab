// A resume of an operation that has finished already: its answer was lost, or somebody asks twice. Internal to
// lib/execute.
#ifndef ST_LIB_EXECUTE_FINISHED_H_
#define ST_LIB_EXECUTE_FINISHED_H_

#include "lib/execute/execute.h"
#include "lib/execute/journal.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::execute {

// `journal` holds no open operation, and its receipt is of the one that is asked for. Looks at what runs, changes
// nothing: the receipt says that it is done, the world whether it still stands.
v1::ApplyReport Finished(v1::ApplyReport report, const v1::Plan& plan, const Journal& journal, const World& world);

}  // namespace st::execute

#endif  // ST_LIB_EXECUTE_FINISHED_H_
