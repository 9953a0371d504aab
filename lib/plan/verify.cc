#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"
#include "lib/plan/plan.h"
#include "lib/topology/topology.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::plan {
namespace {

void Refuse(std::string_view code, std::string text, diag::Diagnostics* diagnostics) {
  diagnostics->Error({}, code, std::move(text), "make the plan again: st-compile | st-observe | st-plan");
}

// A binding to an action must be to an earlier CREATE_TOPIC of that very topic.
bool BindingHolds(const v1::Plan& plan, const v1::Action& action, const v1::TopicBinding& binding) {
  if (binding.identity_case() == v1::TopicBinding::kTopicId) return !binding.topic_id().empty();
  if (binding.identity_case() != v1::TopicBinding::kCreatedBy) return plan.offline();
  if (binding.created_by() >= action.index()) return false;
  const v1::Action& made = plan.actions(static_cast<int>(binding.created_by()));
  return made.has_create_topic() && made.create_topic().name() == binding.name();
}

template <typename Runner>
bool BindingsHold(const v1::Plan& plan, const v1::Action& action, const Runner& runner) {
  return BindingHolds(plan, action, runner.input()) && BindingHolds(plan, action, runner.output());
}

bool ActionHolds(const v1::Plan& plan, const v1::Action& action) {
  switch (action.action_case()) {
    case v1::Action::kCreateTopic:
      return !action.create_topic().name().empty() && action.create_topic().partitions() > 0;
    case v1::Action::kUpdateTopic:
      return !action.update_topic().topic_id().empty() && action.prior().has_topic();
    case v1::Action::kCreateRunner:
      return BindingsHold(plan, action, action.create_runner()) &&
             base::Checksum(action.create_runner().plan()) == action.create_runner().plan_sha256();
    case v1::Action::kStartRunner:
      return BindingsHold(plan, action, action.start_runner()) && action.prior().has_runner();
    case v1::Action::kStopRunner:
      return BindingsHold(plan, action, action.stop_runner()) && action.prior().has_runner();
    case v1::Action::kReplaceRunner:
      return BindingsHold(plan, action, action.replace_runner()) && action.prior().has_runner() &&
             base::Checksum(action.replace_runner().plan()) == action.replace_runner().plan_sha256();
    case v1::Action::kRestoreOffsets:
      return BindingsHold(plan, action, action.restore_offsets()) && action.prior().has_runner() &&
             action.restore_offsets().offsets_size() > 0 &&
             action.restore_offsets().offsets_size() == action.restore_offsets().prior_size();
    case v1::Action::ACTION_NOT_SET:
      return false;
  }
  return false;
}

}  // namespace

bool Verify(const v1::Plan& plan, diag::Diagnostics* diagnostics) {
  if (plan.version() != 1) {
    Refuse("PLAN_VERSION", absl::StrCat("this plan is of version ", plan.version(), ", this tool reads version 1"),
           diagnostics);
    return false;
  }
  if (base::ChecksumWithout(v1::Plan::kChecksumFieldNumber, plan) != plan.checksum()) {
    Refuse("PLAN_CHECKSUM", "the plan does not match its own checksum: it was edited", diagnostics);
    return false;
  }
  if (!topology::Verify(plan.topology(), diagnostics)) return false;
  bool holds = true;
  for (int i = 0; i < plan.actions_size(); ++i) {
    if (plan.actions(i).index() == static_cast<uint32_t>(i) && ActionHolds(plan, plan.actions(i))) continue;
    Refuse("PLAN_ACTION", absl::StrCat("action ", i, " of the plan is not whole"), diagnostics);
    holds = false;
  }
  return holds;
}

bool Verify(const v1::ObservedTopology& observed, diag::Diagnostics* diagnostics) {
  if (base::ChecksumWithout(v1::ObservedTopology::kChecksumFieldNumber, observed) != observed.checksum()) {
    diagnostics->Error({}, "OBSERVED_CHECKSUM", "the observed topology does not match its own checksum: it was edited",
                       "observe again: st-compile | st-observe");
    return false;
  }
  return topology::Verify(observed.topology(), diagnostics);
}

}  // namespace st::plan
