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
// alone, as later actions rest on what earlier ones made. `overtaken`: a later action of the same resource was begun,
// so what became of the generation is judged there. `facts` of the evidence is left empty.
//
// INTENDED: the action is recorded as done, or the table, shown these facts, would record that and cross nothing
// before; and what is recorded of it stands: a topic under that id, with those configs and at least those
// partitions, whatever was written into it since; that generation on its volume, running or not; offsets that are not
// behind those that were restored. What happened since to what stands is for the next plan. PRIOR: a topic that is
// absent, or has the id, partitions and configs that were reviewed, or more partitions than were wanted; nothing of a
// runner that was to be made, seen on its host and in its group; or exactly the generation and volume that we own,
// running or not, and where offsets were to be restored, those that were reviewed. TAKEN_AWAY: the old generation of a
// replacement is closed by the journal, and no generation is there, or the topic that was made or changed, or whose
// offsets were to be restored, is gone or made again. FOREIGN: the action has no checkpoint, so nothing that is there
// is its doing; or it asked for a topic, and another's has the name. With both the ownership stays, and the next plan
// says what is missing or in the way. Else NEITHER.
v1::Recovery::Evidence Judge(const v1::Action& action, bool overtaken, const transition::Facts& facts,
                             transition::Progress* progress);

// Why these verdicts do not allow `settlement`; empty: they do.
std::string WhyNot(v1::Receipt::Settlement settlement, const v1::Recovery& recovery, bool any_checkpoint);

}  // namespace st::recover

#endif  // ST_LIB_RECOVER_JUDGE_H_
