#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/plan/plan.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::plan {
namespace {

std::string_view Sign(const v1::Action& action) {
  switch (action.action_case()) {
    case v1::Action::kCreateTopic:
    case v1::Action::kCreateRunner:
      return "+";
    case v1::Action::kStopRunner:
      return "-";
    default:
      return "~";
  }
}

std::string_view Words(v1::Impact::Severity severity) {
  switch (severity) {
    case v1::Impact::DECLARED_BREAKAGE:
      return "breakage";
    case v1::Impact::POTENTIAL_IMPACT:
      return "potential impact";
    default:
      return "information";
  }
}

void AppendImpacts(const v1::Plan& plan, uint32_t action_index, std::string* text) {
  for (const v1::Impact& impact : plan.impacts()) {
    if (impact.action_index() != action_index) continue;
    absl::StrAppend(text, "      ", Words(impact.severity()), ": ", impact.affected());
    if (!impact.owner().empty()) absl::StrAppend(text, " (", impact.owner(), ")");
    absl::StrAppend(text, ": ", impact.text());
    if (impact.path_size() > 2) absl::StrAppend(text, "\n        by ", absl::StrJoin(impact.path(), " -> "));
    absl::StrAppend(text, "\n");
  }
}

}  // namespace

std::string Summary(const v1::Plan& plan) {
  std::string text = absl::StrCat("plan for ", plan.topology().project(), "/", plan.topology().environment());
  if (plan.offline()) {
    absl::StrAppend(&text, ", offline: nothing was asked, everything is assumed to be absent; it cannot be applied");
  } else {
    absl::StrAppend(&text, " on cluster ", plan.cluster_id(), ", state serial ", plan.state().serial());
  }
  absl::StrAppend(&text, "\n");
  for (const v1::Action& action : plan.actions()) {
    absl::StrAppend(&text, "  ", Sign(action), " ", action.reason(), "\n");
    AppendImpacts(plan, action.index(), &text);
  }
  for (const v1::Blocker& blocker : plan.blockers()) {
    absl::StrAppend(&text, "  blocked: ", blocker.resource(), ": ", blocker.text(), " [", blocker.code(),
                    "]\n    way out: ", blocker.way_out(), "\n");
  }
  for (const v1::PlanWarning& warning : plan.warnings()) {
    absl::StrAppend(&text, "  warning: ", warning.resource(), ": ", warning.text(), " [", warning.code(), "]\n");
  }
  if (plan.blockers_size() > 0) {
    absl::StrAppend(&text, plan.blockers_size(), " blockers: this plan cannot be applied");
  } else if (plan.actions_size() == 0) {
    absl::StrAppend(&text, "no changes");
  } else {
    absl::StrAppend(&text, plan.actions_size(), plan.actions_size() == 1 ? " action" : " actions");
  }
  return text;
}

}  // namespace st::plan
