// Whether what an operation was to change is exactly as it was before, or exactly as it was to become. Pure: the tables
// of lib/transition say what "carried out" is, and nothing is judged by age.
#ifndef ST_LIB_RECOVER_JUDGE_H_
#define ST_LIB_RECOVER_JUDGE_H_

#include <string>

#include "lib/transition/transition.h"
#include "schemas/st/v1/operation.pb.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::recover {

// Of one action, in the plan's order: `progress` has the operation's checkpoints, and gets those that follow from facts
// alone, as later actions rest on what earlier ones made. `facts` of the evidence is left empty.
//
// INTENDED: the table, shown these facts, crosses no boundary any more and calls the action done. PRIOR: a topic that
// is absent, or has the id, partitions and configs that were reviewed; nothing of a runner that was to be made; or
// exactly the generation and volume that we own, running or not (whether it runs is for the next plan). Else NEITHER.
v1::Recovery::Evidence Judge(const v1::Action& action, const transition::Facts& facts, transition::Progress* progress);

// Why these verdicts do not allow `settlement`; empty: they do.
std::string WhyNot(v1::Receipt::Settlement settlement, const v1::Recovery& recovery, bool any_checkpoint);

}  // namespace st::recover

#endif  // ST_LIB_RECOVER_JUDGE_H_
