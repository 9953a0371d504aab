// How the tables make their answers. Internal to lib/transition.
#ifndef ST_LIB_TRANSITION_STEP_H_
#define ST_LIB_TRANSITION_STEP_H_

#include <string>

#include "lib/transition/transition.h"

namespace st::transition {

// One look at one action: what it is, what was reached, what the world says now.
struct Look {
  const v1::Action& action;
  const Progress& progress;
  const Facts& facts;
  const v1::Checkpoint* last;  // of this action; null: none
  bool ahead = false;          // nothing is begun: see LookAhead

  v1::Checkpoint::Name reached() const { return last == nullptr ? v1::Checkpoint::NAME_UNSPECIFIED : last->name(); }
  bool Crossed(Do act) const;
  bool Met(Do act) const;
};

inline Step Done() {
  Step step;
  step.kind = Step::Kind::kDone;
  return step;
}
Step Blocked(std::string code, std::string text, std::string way_out);
// Blocked, because what was reviewed is no longer there.
Step Stale(std::string code, std::string text, std::string way_out = "");
// Waits from the later of the run's start and the last checkpoint of any action; past `bound_ms` it is Blocked with the
// same words.
Step Wait(const Look& look, int64_t bound_ms, std::string code, std::string text, std::string way_out);
Step Record(const Look& look, v1::Checkpoint::Name name);
Step RecordOwned(const Look& look, const v1::OwnedResource& owned);
Step Cross(Do act);

// One table an action.
Step NextCreateTopic(const Look& look, const v1::CreateTopic& create);
Step NextUpdateTopic(const Look& look, const v1::UpdateTopic& update);
Step NextCreateRunner(const Look& look, const v1::CreateRunner& create);
Step NextStartRunner(const Look& look, const v1::StartRunner& start);
Step NextRestoreOffsets(const Look& look, const v1::RestoreOffsets& restore);
Step NextStopRunner(const Look& look, const v1::StopRunner& stop);
Step NextReplaceRunner(const Look& look, const v1::ReplaceRunner& replace);

}  // namespace st::transition

#endif  // ST_LIB_TRANSITION_STEP_H_
