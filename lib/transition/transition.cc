#include "lib/transition/transition.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/transition/step.h"

namespace st::transition {

bool Look::Crossed(Do act) const {
  return std::find(progress.crossed.begin(), progress.crossed.end(), act) != progress.crossed.end();
}

bool Look::Met(Do act) const { return std::find(progress.met.begin(), progress.met.end(), act) != progress.met.end(); }

Step Blocked(std::string code, std::string text, std::string way_out) {
  Step step;
  step.kind = Step::Kind::kBlocked;
  step.code = std::move(code);
  step.text = std::move(text);
  step.way_out = std::move(way_out);
  return step;
}

Step Stale(std::string code, std::string text, std::string way_out) {
  Step step = Blocked(std::move(code), std::move(text), std::move(way_out));
  step.stale = true;
  return step;
}

Step Wait(const Look& look, int64_t bound_ms, std::string code, std::string text, std::string way_out) {
  int64_t from = look.progress.run_started_ms;
  if (!look.progress.checkpoints.empty()) from = std::max(from, look.progress.checkpoints.back().at_ms());
  Step step = Blocked(std::move(code), std::move(text), std::move(way_out));
  if (look.facts.now_ms >= from + bound_ms) return step;
  step.kind = Step::Kind::kWait;
  step.wait_until_ms = from + bound_ms;
  return step;
}

Step Record(const Look& look, v1::Checkpoint::Name name) {
  Step step;
  step.kind = Step::Kind::kRecord;
  step.record.set_action_index(look.action.index());
  step.record.set_name(name);
  return step;
}

Step RecordOwned(const Look& look, const v1::OwnedResource& owned) {
  Step step = Record(look, v1::Checkpoint::ACTION_DONE);
  *step.record.mutable_owned() = owned;
  step.record.mutable_owned()->set_resource(look.action.resource());
  return step;
}

Step Cross(Do act) {
  Step step;
  step.kind = Step::Kind::kDo;
  step.act = act;
  return step;
}

std::string GenerationId(const std::string& operation_id, uint32_t action_index) {
  return absl::StrCat("g-", operation_id, "-", action_index);
}

const v1::Checkpoint* LastCheckpoint(const Progress& progress, uint32_t action_index) {
  for (auto it = progress.checkpoints.rbegin(); it != progress.checkpoints.rend(); ++it) {
    if (it->action_index() == action_index) return &*it;
  }
  return nullptr;
}

std::string BoundTopicId(const v1::TopicBinding& binding, const Progress& progress) {
  if (binding.identity_case() == v1::TopicBinding::kTopicId) return binding.topic_id();
  if (binding.identity_case() != v1::TopicBinding::kCreatedBy) return "";
  const v1::Checkpoint* last = LastCheckpoint(progress, binding.created_by());
  if (last == nullptr || last->name() != v1::Checkpoint::ACTION_DONE) return "";
  return last->owned().topic().topic_id();
}

bool SameConfigValue(std::string_view a, std::string_view b) {
  if (a == b) return true;
  int64_t x = 0;
  int64_t y = 0;
  if (absl::SimpleAtoi(a, &x) && absl::SimpleAtoi(b, &y)) return x == y;
  double real_x = 0;
  double real_y = 0;
  if (absl::SimpleAtod(a, &real_x) && absl::SimpleAtod(b, &real_y)) return real_x == real_y;
  const auto is_bool = [](std::string_view text) {
    return absl::EqualsIgnoreCase(text, "true") || absl::EqualsIgnoreCase(text, "false");
  };
  if (is_bool(a) && is_bool(b)) return absl::EqualsIgnoreCase(a, b);
  auto items = [](std::string_view text) {
    std::vector<std::string_view> list = absl::StrSplit(text, ',');
    for (std::string_view& item : list) item = absl::StripAsciiWhitespace(item);
    return list;
  };
  return items(a) == items(b);
}

namespace {

Step NextOf(const Look& look) {
  const v1::Action& action = look.action;
  const Progress& progress = look.progress;
  const Facts& facts = look.facts;
  if (facts.cluster.cluster_id() != progress.cluster_id) {
    return Blocked("CLUSTER_CHANGED",
                   absl::StrCat("the plan was made for cluster ", progress.cluster_id,
                                ", the bootstrap servers now "
                                "lead to ",
                                facts.cluster.cluster_id()),
                   "point the bootstrap servers at the reviewed cluster");
  }
  switch (action.action_case()) {
    case v1::Action::kCreateTopic:
      return NextCreateTopic(look, action.create_topic());
    case v1::Action::kUpdateTopic:
      return NextUpdateTopic(look, action.update_topic());
    case v1::Action::kCreateRunner:
      return NextCreateRunner(look, action.create_runner());
    case v1::Action::kStartRunner:
      return NextStartRunner(look, action.start_runner());
    case v1::Action::kStopRunner:
      return NextStopRunner(look, action.stop_runner());
    case v1::Action::kReplaceRunner:
      return NextReplaceRunner(look, action.replace_runner());
    case v1::Action::kRestoreOffsets:
      return NextRestoreOffsets(look, action.restore_offsets());
    case v1::Action::ACTION_NOT_SET:
      break;
  }
  return Blocked("UNSUPPORTED_ACTION", absl::StrCat("action ", action.index(), " is of a kind that this version lacks"),
                 "use the version of the tools that made the plan");
}

}  // namespace

Step Next(const v1::Action& action, const Progress& progress, const Facts& facts) {
  const Look look{action, progress, facts, LastCheckpoint(progress, action.index())};
  if (look.reached() == v1::Checkpoint::ACTION_DONE) return Done();
  return NextOf(look);
}

Step LookAhead(const v1::Action& action, const std::string& cluster_id, const Facts& facts) {
  Progress nothing;
  nothing.cluster_id = cluster_id;
  nothing.run_started_ms = facts.now_ms;
  return NextOf({action, nothing, facts, nullptr, /*ahead=*/true});
}

}  // namespace st::transition
