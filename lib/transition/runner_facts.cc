#include "lib/transition/runner_facts.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace st::transition {

const v1::Checkpoint* Find(const Look& look, v1::Checkpoint::Name name) {
  const auto& all = look.progress.checkpoints;
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const v1::Checkpoint& checkpoint) {
    return checkpoint.action_index() == look.action.index() && checkpoint.name() == name;
  });
  return found == all.rend() ? nullptr : &*found;
}

std::optional<Step> CheckHost(const Look& look, v1::HostKind kind, const std::string& host_id) {
  if (look.facts.host.kind() == kind && look.facts.host.host_id() == host_id) return std::nullopt;
  return Blocked("HOST_CHANGED",
                 absl::StrCat("this is not the reviewed host ", host_id, " but ", look.facts.host.host_id()),
                 "run this on the reviewed host");
}

std::optional<Step> CheckTopic(const Look& look, const v1::TopicBinding& binding, const v1::TopicFacts& topic) {
  if (look.ahead && binding.identity_case() == v1::TopicBinding::kCreatedBy) return std::nullopt;
  const std::string wanted = BoundTopicId(binding, look.progress);
  if (wanted.empty()) {
    return Stale("TOPIC_ID_CHANGED", absl::StrCat("topic ", binding.name(), " was not made by this operation yet"));
  }
  if (topic.presence() == v1::ABSENT) {
    return Stale("TOPIC_ID_CHANGED", absl::StrCat("topic ", binding.name(), " (id ", wanted, ") is gone"));
  }
  if (topic.presence() != v1::PRESENT) {
    return Blocked("NOT_VISIBLE", absl::StrCat("topic ", binding.name(), " cannot be looked at: ", topic.detail()),
                   "grant the right to describe it");
  }
  if (topic.topic_id() != wanted) {
    return Stale("TOPIC_ID_CHANGED", absl::StrCat("topic ", binding.name(), " was deleted and made again: its id is ",
                                                  topic.topic_id(), ", ", wanted, " was reviewed"));
  }
  return std::nullopt;
}

const v1::GroupOffsets* InputOffsets(const v1::GroupFacts& group, const std::string& topic) {
  for (const v1::GroupOffsets& offsets : group.topics()) {
    if (offsets.topic() == topic) return &offsets;
  }
  return nullptr;
}

bool NoOffsets(const v1::GroupOffsets* offsets) {
  return offsets == nullptr || std::all_of(offsets->offsets().begin(), offsets->offsets().end(),
                                           [](const v1::GroupOffset& o) { return o.offset() < 0 && !o.unstable(); });
}

std::optional<Step> CheckReadable(const Look& look, const v1::GroupOffsets* offsets) {
  if (look.facts.group.state() == v1::GroupFacts::INVISIBLE) {
    return Blocked("NOT_VISIBLE",
                   absl::StrCat("consumer group ", look.facts.group.group_id(),
                                " cannot be looked at: ", look.facts.group.detail()),
                   "grant the right to describe and read the group");
  }
  if (offsets == nullptr) return std::nullopt;
  for (const v1::GroupOffset& offset : offsets->offsets()) {
    if (!offset.unstable()) continue;
    return Wait(look, kUnstableBoundMs, "OFFSETS_UNSTABLE",
                absl::StrCat("an open transaction holds the offset of partition ", offset.partition(), " of group ",
                             look.facts.group.group_id()),
                "wait until the transaction times out");
  }
  return std::nullopt;
}

std::optional<Step> CheckNoMembers(const Look& look) {
  const v1::GroupFacts& group = look.facts.group;
  if (group.state() == v1::GroupFacts::NONE || group.state() == v1::GroupFacts::EMPTY) return std::nullopt;
  const std::string who = group.members_size() == 0 ? std::string("a rebalance is under way")
                                                    : absl::StrCat("member ", group.members(0).member_id(), " on ",
                                                                   group.members(0).host(), " is in it");
  return Wait(look, kMemberBoundMs, "GROUP_ACTIVE",
              absl::StrCat("consumer group ", group.group_id(), " is active: ", who),
              "stop that consumer (one that was killed leaves when its session ends)");
}

namespace {

const v1::GroupOffset* OffsetOf(const v1::GroupOffsets* offsets, int32_t partition) {
  for (int i = 0; offsets != nullptr && i < offsets->offsets_size(); ++i) {
    if (offsets->offsets(i).partition() == partition) return &offsets->offsets(i);
  }
  return nullptr;
}

// Of those that this partition's runner was made for; beyond them lie the ones that it takes over by itself.
uint32_t Initialized(const Look& look) {
  if (look.action.has_prior()) return look.action.prior().runner().initialized_partitions();
  return look.action.create_runner().input_partitions();
}

template <typename All>
bool Names(const All& all, int32_t partition) {
  return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.partition() == partition; });
}

// By what we own, or by the last status of one that has ended. That of one that runs is younger than what was seen of
// its group: it may just have taken the partition over.
bool WasRead(const Look& look, int32_t partition) {
  const v1::OwnedRunner& owned = look.action.prior().runner();
  if (Names(owned.closed(), partition) || Names(owned.restored(), partition)) return true;
  const auto& generations = look.facts.host.generations();
  return std::any_of(generations.begin(), generations.end(), [&](const v1::GenerationFacts& generation) {
    return generation.state() != v1::GenerationFacts::RUNNING && Names(generation.status().partitions(), partition);
  });
}

// Nobody has read it, and nothing of it is gone: a runner starts it at 0.
bool IsNew(const Look& look, const v1::TopicFacts::Partition& partition) {
  return static_cast<uint32_t>(partition.partition()) >= Initialized(look) && partition.begin_offset() == 0 &&
         !WasRead(look, partition.partition());
}

}  // namespace

std::optional<Step> CheckOffsets(const Look& look, const v1::GroupOffsets* offsets, const Offsets& bound) {
  const std::string& group = look.facts.group.group_id();
  const v1::TopicFacts& topic = look.facts.input;
  for (const v1::TopicFacts::Partition& partition : topic.partitions()) {
    const v1::GroupOffset* found = OffsetOf(offsets, partition.partition());
    if (found == nullptr || found->offset() < 0) {
      if (IsNew(look, partition)) continue;
      return Stale("OFFSETS_MISSING", absl::StrCat("group ", group, " has no committed offset on partition ",
                                                   partition.partition(), " of ", topic.name()));
    }
    if (found->offset() < partition.begin_offset() || found->offset() > partition.end_offset()) {
      return Stale(
          "OFFSETS_OUT_OF_RANGE",
          absl::StrCat("offset ", found->offset(), " of group ", group, " is outside partition ", partition.partition(),
                       " of ", topic.name(), " (", partition.begin_offset(), " to ", partition.end_offset(), ")"));
    }
  }
  return CheckNotBehind(look, offsets, bound);
}

std::optional<Step> CheckNotBehind(const Look& look, const v1::GroupOffsets* offsets, const Offsets& bound) {
  for (const v1::PartitionOffset& lowest : bound) {
    const v1::GroupOffset* found = OffsetOf(offsets, lowest.partition());
    if (found == nullptr || found->offset() < 0 || found->offset() >= lowest.offset()) continue;
    return Blocked("OFFSETS_MOVED_BACK",
                   absl::StrCat("offset ", found->offset(), " of group ", look.facts.group.group_id(), " on partition ",
                                lowest.partition(), " is behind ", lowest.offset(), ", where it was before"),
                   "find out who moved it back");
  }
  return std::nullopt;
}

std::optional<Step> CheckNotMoved(const Look& look, const v1::GroupOffsets* offsets, const Offsets& stopped) {
  for (const v1::PartitionOffset& last : stopped) {
    const v1::GroupOffset* now = OffsetOf(offsets, last.partition());
    if (now != nullptr && now->offset() == last.offset()) continue;
    return Blocked(
        "OFFSETS_MOVED",
        absl::StrCat("offset ", now == nullptr ? -1 : now->offset(), " of group ", look.facts.group.group_id(),
                     " on partition ", last.partition(), " is not where the runner stopped, ", last.offset()),
        "find out who moved it while nothing ran, and put it back");
  }
  return std::nullopt;
}

std::optional<Step> CheckStayed(const Look& look, const v1::GroupOffsets* offsets) {
  const v1::OwnedRunner& prior = look.action.prior().runner();
  if (std::optional<Step> step = CheckNotMoved(look, offsets, prior.closed())) return step;
  return CheckNotMoved(look, offsets, prior.restored());
}

std::optional<Step> CheckQuiet(const Look& look, const v1::GroupOffsets* offsets, const Offsets& bound) {
  if (std::optional<Step> step = CheckReadable(look, offsets)) return step;
  if (std::optional<Step> step = CheckNoMembers(look)) return step;
  return CheckOffsets(look, offsets, bound);
}

void KeepOffsets(const v1::GroupOffsets* offsets, Offsets* kept) {
  for (int i = 0; offsets != nullptr && i < offsets->offsets_size(); ++i) {
    if (offsets->offsets(i).offset() < 0) continue;
    v1::PartitionOffset& last = *kept->Add();
    last.set_partition(offsets->offsets(i).partition());
    last.set_offset(offsets->offsets(i).offset());
    last.set_leader_epoch(offsets->offsets(i).leader_epoch());
  }
}

std::optional<Step> CheckVolume(const Look& look, const std::string& instance) {
  const v1::HostFacts& host = look.facts.host;
  if (host.volumes_size() == 1 && host.volumes(0).instance_id() == instance) return std::nullopt;
  return Blocked("VOLUME_CHANGED",
                 absl::StrCat("the volume of ", look.facts.group.group_id(), " is not the one that it was made with (",
                              instance, ")"),
                 "somebody replaced it: look at the host");
}

std::optional<Step> CheckGeneration(const Look& look, const std::string& generation_id, const std::string& plan_sha256,
                                    const v1::GenerationFacts** found) {
  *found = nullptr;
  const v1::HostFacts& host = look.facts.host;
  for (const v1::GenerationFacts& generation : host.generations()) {
    if (generation.generation_id() == generation_id && *found == nullptr) {
      *found = &generation;
      continue;
    }
    return Blocked("RUNNER_NOT_OURS",
                   absl::StrCat("another generation of ", generation.application_id(), " exists: ",
                                generation.generation_id(), generation.detail(), " at ", generation.location()),
                   "find out who made it; one application has one generation");
  }
  if (*found == nullptr) {
    return Blocked("RUNNER_MISSING", absl::StrCat("generation ", generation_id, " is not on this host"),
                   "run this on the host that made it");
  }
  if ((*found)->plan_sha256() != plan_sha256) {
    return Blocked("RUNNER_PLAN_CHANGED",
                   absl::StrCat("the record plan at ", (*found)->location(), " is not the reviewed one"),
                   "somebody edited it: put the reviewed plan back");
  }
  return std::nullopt;
}

namespace {

Step NotReady(const Look& look, const v1::GenerationFacts& generation, std::string_view what) {
  return Wait(look, kReadyBoundMs, "RUNNER_NOT_READY",
              absl::StrCat("runner ", generation.application_id(), " is not ready: ", what),
              absl::StrCat("look at its status and log at ", generation.location()));
}

}  // namespace

std::optional<Step> CheckAlive(const Look& look, const v1::GenerationFacts& generation,
                               const std::string& plan_sha256) {
  const v1::RunnerStatus& status = generation.status();
  auto wait = [&](std::string_view what) { return NotReady(look, generation, what); };
  if (!generation.has_status()) return wait("it wrote no status yet");
  if (status.state() != v1::RunnerStatus::RUNNING) return wait("it does not run yet");
  if (status.plan_sha256() != plan_sha256 || status.generation_id() != generation.generation_id()) {
    return wait("its status is of another plan or generation");
  }
  // A killed process leaves a status that looks fresh, and a member that is still in the group.
  if (generation.pid() != 0 && status.pid() != generation.pid()) return wait("its status is of a process that ended");
  if (look.facts.now_ms - status.updated_at_ms() > kFreshStatusMs) return wait("its status is stale");
  const v1::GroupFacts& group = look.facts.group;
  if (group.state() != v1::GroupFacts::STABLE) return wait("its consumer group is not stable");
  if (group.members_size() != 1) return wait(absl::StrCat("its consumer group has ", group.members_size(), " members"));
  if (group.members(0).member_id() != status.member_id())
    return wait("the group's member is not the one of its status");
  return std::nullopt;
}

std::optional<Step> CheckReady(const Look& look, const v1::GenerationFacts& generation,
                               const std::string& plan_sha256) {
  if (std::optional<Step> step = CheckAlive(look, generation, plan_sha256)) return step;
  const auto partitions = static_cast<size_t>(look.facts.input.partitions_size());
  size_t assigned = 0;
  for (const v1::GroupAssignment& assignment : look.facts.group.members(0).assignments()) {
    if (assignment.topic() == look.facts.input.name()) assigned += static_cast<size_t>(assignment.partitions_size());
  }
  if (assigned >= partitions) return std::nullopt;
  return NotReady(look, generation, absl::StrCat(assigned, " of ", partitions, " partitions are assigned to it"));
}

bool FailedByItself(const v1::GenerationFacts& generation, int64_t since_ms) {
  if (generation.state() != v1::GenerationFacts::EXITED || !generation.has_status()) return false;
  const v1::RunnerStatus& status = generation.status();
  return status.state() == v1::RunnerStatus::FAILED && status.generation_id() == generation.generation_id() &&
         status.plan_sha256() == generation.plan_sha256() && status.updated_at_ms() >= since_ms;
}

bool ReadNothing(const v1::GenerationFacts& generation) {
  return generation.status().state() == v1::RunnerStatus::FAILED && generation.status().member_id().empty();
}

bool ClosedCleanly(const v1::GenerationFacts& generation) {
  const v1::RunnerStatus& status = generation.status();
  return generation.state() == v1::GenerationFacts::EXITED && status.state() == v1::RunnerStatus::CLOSED &&
         status.generation_id() == generation.generation_id() && status.plan_sha256() == generation.plan_sha256() &&
         !generation.out_of_memory() &&
         (!generation.exit_code_known() || generation.exit_code() == 0 || generation.exit_code() == 143);
}

std::optional<Step> CheckSettled(const Look& look, const std::string& input) {
  if (std::optional<Step> step = CheckReadable(look, InputOffsets(look.facts.group, input))) return step;
  return CheckNoMembers(look);
}

}  // namespace st::transition
