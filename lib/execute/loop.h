// The one loop of apply and resume: look, ask lib/transition, do one thing, look again. Internal to lib/execute.
#ifndef ST_LIB_EXECUTE_LOOP_H_
#define ST_LIB_EXECUTE_LOOP_H_

#include <string>

#include "lib/execute/execute.h"
#include "lib/execute/journal.h"
#include "lib/transition/transition.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::execute {

// How a run of the loop ended. Never an error of ours: each end is an answer for the report.
struct Ending {
  v1::ApplyReport::Outcome outcome = v1::ApplyReport::DONE;
  std::string reason;
  std::string way_out;
  bool stale = false;  // what was reviewed is no longer there: no resume can go on
};

// What to do about a blocked step of an open operation.
std::string HalfWay(const transition::Step& step);

// Of a failed look: nobody answered, rather than a broker or host that said no.
bool OtherSideNotReached(const absl::Status& status);

// Ends of a failed call, in one place.
//   a look failed: unreachable, or blocked when the broker or host said no
//   a boundary failed: blocked when the other side refused, unreachable when it was not asked, unknown when its answer
//   is lost the journal failed: blocked when nothing was written, unknown when a commit's outcome is not known
Ending LookFailed(const absl::Status& status);
Ending BoundaryFailed(const absl::Status& status);
Ending JournalFailed(const absl::Status& status);

// The first action that is not done; null: only the completion is missing.
const v1::Action* NextAction(const v1::Intent& intent, const transition::Progress& progress);

// Carries the actions of `intent` on from `progress`. On DONE every action has its ACTION_DONE in `progress`.
Ending RunActions(const v1::Intent& intent, const World& world, Writer* writer, transition::Progress* progress);

}  // namespace st::execute

#endif  // ST_LIB_EXECUTE_LOOP_H_
