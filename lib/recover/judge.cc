#include "lib/recover/judge.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace st::recover {
namespace {

using Evidence = v1::Recovery::Evidence;
using Kind = transition::Step::Kind;

// A table records a handful of checkpoints; one that would go on for ever is a fault of ours.
constexpr int kMaxRecords = 16;

const v1::TopicConfig* Find(const google::protobuf::RepeatedPtrField<v1::TopicConfig>& configs,
                            const std::string& name) {
  const auto found = std::find_if(configs.begin(), configs.end(), [&](const auto& c) { return c.name() == name; });
  return found == configs.end() ? nullptr : &*found;
}

bool IsPrior(const v1::UpdateTopic& update, const v1::TopicFacts& topic) {
  if (topic.presence() != v1::PRESENT || topic.topic_id() != update.topic_id() || topic.configs_hidden() ||
      static_cast<uint32_t>(topic.partitions_size()) != update.prior_partitions()) {
    return false;
  }
  return std::all_of(update.configs().begin(), update.configs().end(), [&](const auto& change) {
    const v1::TopicConfig* now = Find(topic.configs(), change.name());
    return change.had_value() ? now != nullptr && now->value() == change.prior() : now == nullptr;
  });
}

bool NobodyInGroup(const transition::Facts& facts) {
  const bool offsets = std::any_of(facts.group.topics().begin(), facts.group.topics().end(), [](const auto& topic) {
    return std::any_of(topic.offsets().begin(), topic.offsets().end(),
                       [](const auto& offset) { return offset.offset() >= 0 || offset.unstable(); });
  });
  return !offsets && facts.group.members().empty();
}

// The generation that we own, alone, as it was made, on its volume.
bool IsOwned(const v1::Action& action, const transition::Facts& facts) {
  const v1::OwnedRunner& owned = action.prior().runner();
  if (!action.prior().has_runner() || facts.host.generations_size() != 1 || facts.host.volumes_size() != 1)
    return false;
  const v1::GenerationFacts& there = facts.host.generations(0);
  return facts.host.host_id() == owned.host_id() && there.generation_id() == owned.generation_id() &&
         there.plan_sha256() == owned.plan_sha256() && there.binary_sha256() == owned.runner_sha256() &&
         there.volume_instance() == owned.volume_instance() &&
         facts.host.volumes(0).instance_id() == owned.volume_instance();
}

bool IsPrior(const v1::Action& action, const transition::Facts& facts) {
  switch (action.action_case()) {
    case v1::Action::kCreateTopic:
      return facts.output.presence() == v1::ABSENT;
    case v1::Action::kUpdateTopic:
      return IsPrior(action.update_topic(), facts.output);
    case v1::Action::kCreateRunner:
      return NobodyInGroup(facts) && facts.host.generations().empty() && facts.host.volumes().empty();
    case v1::Action::kStartRunner:
    case v1::Action::kStopRunner:
    case v1::Action::kReplaceRunner:
      return IsOwned(action, facts);
    case v1::Action::kRestoreOffsets:
      return IsOwned(action, facts) && NobodyInGroup(facts);
    case v1::Action::ACTION_NOT_SET:
      break;
  }
  return false;
}

// What the table says when it is shown the facts and may only record: done, with this ownership. What it recorded
// before as done is asked for again.
bool IsIntended(const v1::Action& action, const transition::Facts& facts, transition::Progress* progress,
                v1::OwnedResource* owned) {
  transition::Progress tried = *progress;
  tried.resuming = true;
  tried.run_started_ms = facts.now_ms;
  std::erase_if(tried.checkpoints, [&](const v1::Checkpoint& checkpoint) {
    return checkpoint.action_index() == action.index() && checkpoint.name() == v1::Checkpoint::ACTION_DONE;
  });
  for (int i = 0; i < kMaxRecords; ++i) {
    transition::Step step = transition::Next(action, tried, facts);
    if (step.kind != Kind::kRecord) return false;
    step.record.set_at_ms(facts.now_ms);
    tried.checkpoints.push_back(step.record);
    if (step.record.name() != v1::Checkpoint::ACTION_DONE) continue;
    *owned = step.record.owned();
    *progress = std::move(tried);
    return true;
  }
  return false;
}

}  // namespace

Evidence Judge(const v1::Action& action, const transition::Facts& facts, transition::Progress* progress) {
  Evidence evidence;
  evidence.set_action_index(action.index());
  evidence.set_resource(action.resource());
  evidence.set_verdict(Evidence::NEITHER);
  if (facts.cluster.cluster_id() != progress->cluster_id) return evidence;
  if (IsIntended(action, facts, progress, evidence.mutable_owned())) {
    evidence.set_verdict(Evidence::INTENDED);
    return evidence;
  }
  evidence.clear_owned();
  if (IsPrior(action, facts)) evidence.set_verdict(Evidence::PRIOR);
  return evidence;
}

std::string WhyNot(v1::Receipt::Settlement settlement, const v1::Recovery& recovery, bool any_checkpoint) {
  if (settlement == v1::Receipt::ABANDONED) {
    return any_checkpoint
               ? "a step of the operation was taken, so it was not abandoned: settle it as observed or rolled_back"
               : "";
  }
  for (const Evidence& evidence : recovery.evidence()) {
    if (evidence.verdict() == Evidence::NEITHER) {
      return absl::StrCat(evidence.resource(), " is neither as before the operation nor as it would leave it");
    }
    if (settlement == v1::Receipt::ROLLED_BACK && evidence.verdict() != Evidence::PRIOR) {
      return absl::StrCat(evidence.resource(), " is not as before the operation: settle it as observed");
    }
  }
  return "";
}

}  // namespace st::recover
