// A model whose runner this project owns, and whose record plan is another one now.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/plan/runner_planner.h"
#include "lib/transition/ending.h"

namespace st::plan {

bool RunnerPlanner::CheckAlone(const v1::GenerationFacts& generation) {
  if (group_->members_size() <= 1) return true;
  BlockActive(generation.status().member_id());
  return false;
}

void RunnerPlanner::Replace(const v1::GenerationFacts& generation, const RecordChange& change) {
  draft_.DeclarationsChanged();
  const bool runs = generation.state() == v1::GenerationFacts::RUNNING;
  if (!CheckMeans()) return;
  if (runs ? !CheckAlone(generation) : !CheckMemberLeaves(generation)) return;
  v1::ReplaceRunner replace;
  if (!Fill(&replace)) return;
  if (!runs && !CheckNotMoved(generation, replace.offsets())) return;
  *replace.mutable_plan() = model_.plan();
  replace.set_plan_sha256(model_.plan_sha256());
  // New ones without an offset are still to be taken over, by the new one as by the old.
  uint32_t settled = 0;
  while (settled < static_cast<uint32_t>(replace.offsets_size()) &&
         replace.offsets(static_cast<int>(settled)).partition() == static_cast<int32_t>(settled)) {
    ++settled;
  }
  replace.set_input_partitions(std::max(settled, owned_->initialized_partitions()));
  replace.set_runner_sha256(host_.runner_sha256());
  replace.set_network_id(owned_->network_id());
  replace.set_running(model_.running());
  replace.set_ended(!runs);

  const std::string words = Words(change);
  std::string reason = absl::StrCat("replace runner ", model_.application_id(), ": ",
                                    words.empty() ? "its record plan is spelled in another way" : words);
  if (!runs && owned_->running()) {
    draft_.WorldDrifted();
    absl::StrAppend(&reason, "; it ended already (", transition::HowItEnded(generation), ")");
  }
  if (!model_.running()) absl::StrAppend(&reason, "; the model is declared as not running, so it is not started");
  v1::Action& action = draft_.AddAction(model_.resource(), v1::Action::DECLARED, std::move(reason));
  FollowRestored(&action);
  if (model_.running()) WarnAboutOldRecords(replace.offsets());
  *action.mutable_replace_runner() = std::move(replace);
  if (runs) WarnIfStale(generation);
}

}  // namespace st::plan
