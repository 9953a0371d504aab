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
  const auto partitions = static_cast<uint32_t>(topic.partitions_size());
  // More than are wanted were added by others: nobody can take them away again, and that must not keep it open.
  const bool prior = partitions == update.prior_partitions() || partitions > update.partitions();
  if (topic.presence() != v1::PRESENT || topic.topic_id() != update.topic_id() || topic.configs_hidden() || !prior) {
    return false;
  }
  return std::all_of(update.configs().begin(), update.configs().end(), [&](const auto& change) {
    const v1::TopicConfig* now = Find(topic.configs(), change.name());
    return change.had_value() ? now != nullptr && now->value() == change.prior() : now == nullptr;
  });
}

// The topic that was made or changed; records may have come since, and partitions, which nobody can take away again.
bool Stands(const v1::OwnedTopic& owned, const v1::TopicFacts& topic) {
  if (topic.presence() != v1::PRESENT || topic.topic_id() != owned.topic_id() || topic.configs_hidden() ||
      static_cast<uint32_t>(topic.partitions_size()) < owned.partitions()) {
    return false;
  }
  return std::all_of(owned.configs().begin(), owned.configs().end(), [&](const v1::OwnedConfig& config) {
    const v1::TopicConfig* now = Find(topic.configs(), config.name());
    return config.reported() == (now == nullptr ? "" : now->value());
  });
}

// That generation, alone on its host, as it was made, on its volume.
bool Stands(const v1::OwnedRunner& owned, const v1::HostFacts& host) {
  if (host.kind() != owned.host() || host.host_id() != owned.host_id()) return false;
  if (host.generations_size() != 1 || host.volumes_size() != 1) return false;
  const v1::GenerationFacts& there = host.generations(0);
  return there.generation_id() == owned.generation_id() && there.plan_sha256() == owned.plan_sha256() &&
         there.binary_sha256() == owned.runner_sha256() && there.volume_instance() == owned.volume_instance() &&
         host.volumes(0).instance_id() == owned.volume_instance();
}

// Seen to have nobody in it.
bool IsAtRest(const v1::GroupFacts& group) {
  return (group.state() == v1::GroupFacts::NONE || group.state() == v1::GroupFacts::EMPTY) && group.members().empty();
}

// No offset is committed, and none is pending.
bool IsWithoutOffsets(const v1::GroupFacts& group) {
  return std::none_of(group.topics().begin(), group.topics().end(), [](const v1::GroupOffsets& topic) {
    return std::any_of(topic.offsets().begin(), topic.offsets().end(),
                       [](const v1::GroupOffset& offset) { return offset.offset() >= 0 || offset.unstable(); });
  });
}

const v1::GroupOffset* OffsetOf(const v1::GroupFacts& group, const std::string& topic, int32_t partition) {
  for (const v1::GroupOffsets& offsets : group.topics()) {
    if (offsets.topic() != topic) continue;
    for (const v1::GroupOffset& offset : offsets.offsets()) {
      if (offset.partition() == partition) return &offset;
    }
  }
  return nullptr;
}

// The offsets that are to be replaced are the reviewed ones still: none, or those that are of no use.
bool IsPrior(const v1::RestoreOffsets& restore, const v1::GroupFacts& group) {
  return std::all_of(restore.prior().begin(), restore.prior().end(), [&](const v1::PartitionOffset& prior) {
    const v1::GroupOffset* now = OffsetOf(group, restore.input().name(), prior.partition());
    if (now == nullptr) return prior.offset() < 0;
    return !now->unstable() && (now->offset() == prior.offset() || (now->offset() < 0 && prior.offset() < 0));
  });
}

// From what was restored the runner went on; that the group forgot it again is for the next plan.
bool Stands(const v1::RestoreOffsets& restore, const v1::GroupFacts& group) {
  if (group.state() == v1::GroupFacts::STATE_UNSPECIFIED || group.state() == v1::GroupFacts::INVISIBLE) return false;
  return std::all_of(restore.offsets().begin(), restore.offsets().end(), [&](const v1::PartitionOffset& restored) {
    const v1::GroupOffset* now = OffsetOf(group, restore.input().name(), restored.partition());
    return now == nullptr || now->offset() < 0 || now->offset() >= restored.offset();
  });
}

// Nothing of it was made. An input that cannot be seen hides the group's offsets; of one that is gone the facts have
// all that is committed.
bool IsPrior(const v1::CreateRunner& create, const transition::Facts& facts) {
  const bool seen = facts.host.kind() == create.host() && facts.host.host_id() == create.host_id() &&
                    (facts.input.presence() == v1::PRESENT || facts.input.presence() == v1::ABSENT);
  return seen && IsAtRest(facts.group) && IsWithoutOffsets(facts.group) && facts.host.generations().empty() &&
         facts.host.volumes().empty();
}

bool IsPrior(const v1::Action& action, const transition::Facts& facts) {
  const bool owned_stands = action.prior().has_runner() && Stands(action.prior().runner(), facts.host);
  switch (action.action_case()) {
    case v1::Action::kCreateTopic:
      return facts.output.presence() == v1::ABSENT;
    case v1::Action::kUpdateTopic:
      return IsPrior(action.update_topic(), facts.output);
    case v1::Action::kCreateRunner:
      return IsPrior(action.create_runner(), facts);
    case v1::Action::kStartRunner:
    case v1::Action::kStopRunner:
    case v1::Action::kReplaceRunner:
      return owned_stands;
    case v1::Action::kRestoreOffsets:
      return owned_stands && IsAtRest(facts.group) && IsPrior(action.restore_offsets(), facts.group);
    case v1::Action::ACTION_NOT_SET:
      break;
  }
  return false;
}

// The topic that this action made, as far as that is recorded, or was to change.
std::string TopicOf(const v1::Action& action, const transition::Progress& progress) {
  if (action.has_update_topic()) return action.update_topic().topic_id();
  const v1::Checkpoint* last = transition::LastCheckpoint(progress, action.index());
  return action.has_create_topic() && last != nullptr ? last->owned().topic().topic_id() : "";
}

bool IsGone(const v1::TopicFacts& topic, const std::string& id) {
  return topic.presence() == v1::ABSENT || (topic.presence() == v1::PRESENT && topic.topic_id() != id);
}

// That topic is gone, or made again: no other ever has its id. Or the close of the old generation is recorded, after
// which the operation removes it: the journal knows why none is there, and where it stopped.
bool IsTakenAway(const v1::Action& action, const transition::Facts& facts, const transition::Progress& progress) {
  if (const std::string topic = TopicOf(action, progress); !topic.empty()) return IsGone(facts.output, topic);
  // The broker forgets offsets with their topic.
  if (action.has_restore_offsets()) {
    return IsGone(facts.input, action.restore_offsets().input().topic_id()) && IsAtRest(facts.group) &&
           Stands(action.prior().runner(), facts.host);
  }
  if (!action.has_replace_runner() || facts.host.host_id() != action.prior().runner().host_id() ||
      !facts.host.generations().empty()) {
    return false;
  }
  return std::any_of(progress.checkpoints.begin(), progress.checkpoints.end(), [&](const v1::Checkpoint& checkpoint) {
    return checkpoint.action_index() == action.index() && checkpoint.name() == v1::Checkpoint::GENERATION_CLOSED;
  });
}

// It took no step, or asked for a topic and somebody else's has the name: one that could be its own would be claimed.
bool IsForeign(const v1::Action& action, const transition::Facts& facts, const transition::Progress& progress) {
  if (transition::LastCheckpoint(progress, action.index()) == nullptr) return true;
  return action.has_create_topic() && TopicOf(action, progress).empty() && facts.output.presence() == v1::PRESENT &&
         !facts.output.configs_hidden();
}

bool Stands(const v1::Action& action, bool overtaken, const v1::OwnedResource& owned, const transition::Facts& facts) {
  if (owned.has_topic()) return Stands(owned.topic(), facts.output);
  if (action.has_restore_offsets() && !Stands(action.restore_offsets(), facts.group)) return false;
  return overtaken || Stands(owned.runner(), facts.host);
}

// Recorded as done, or the table says so when it is shown the facts and may only record; null: neither.
const v1::OwnedResource* Outcome(const v1::Action& action, const transition::Facts& facts,
                                 transition::Progress* progress) {
  progress->resuming = true;
  progress->settling = true;
  progress->run_started_ms = facts.now_ms;
  for (int i = 0; i < kMaxRecords; ++i) {
    const transition::Step step = transition::Next(action, *progress, facts);
    if (step.kind == Kind::kDone) return &transition::LastCheckpoint(*progress, action.index())->owned();
    if (step.kind != Kind::kRecord) return nullptr;
    progress->checkpoints.push_back(step.record);
    progress->checkpoints.back().set_at_ms(facts.now_ms);
  }
  return nullptr;
}

}  // namespace

Evidence Judge(const v1::Action& action, bool overtaken, const transition::Facts& facts,
               transition::Progress* progress) {
  Evidence evidence;
  evidence.set_action_index(action.index());
  evidence.set_resource(action.resource());
  evidence.set_verdict(Evidence::NEITHER);
  if (facts.cluster.cluster_id() != progress->cluster_id) return evidence;
  transition::Progress tried = *progress;
  const v1::OwnedResource* owned = Outcome(action, facts, &tried);
  if (owned != nullptr && Stands(action, overtaken, *owned, facts)) {
    evidence.set_verdict(Evidence::INTENDED);
    *evidence.mutable_owned() = *owned;
    progress->checkpoints = std::move(tried.checkpoints);
    return evidence;
  }
  if (IsPrior(action, facts)) {
    evidence.set_verdict(Evidence::PRIOR);
  } else if (IsTakenAway(action, facts, *progress)) {
    evidence.set_verdict(Evidence::TAKEN_AWAY);
  } else if (IsForeign(action, facts, *progress)) {
    evidence.set_verdict(Evidence::FOREIGN);
  }
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
