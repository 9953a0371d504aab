// The table of CREATE_RUNNER: first offsets, volume, generation, start, ready.
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/transition/candidate.h"

namespace st::transition {
namespace {

// The vector is committed exactly, by this operation.
bool IsVector(const Look& look, const v1::GroupOffsets* offsets, const v1::Checkpoint& started) {
  if (offsets == nullptr) return started.vector_size() == 0;
  int matching = 0;
  for (const v1::GroupOffset& offset : offsets->offsets()) {
    if (offset.offset() < 0) continue;
    bool same = false;
    for (const v1::PartitionOffset& chosen : started.vector()) {
      same = same || (chosen.partition() == offset.partition() && chosen.offset() == offset.offset() &&
                      offset.metadata() == look.progress.operation_id);
    }
    if (!same) return false;
    ++matching;
  }
  return matching == started.vector_size();
}

Step ForeignVolume(const Look& look, const std::string& application_id) {
  const v1::VolumeFacts& volume = look.facts.host.volumes(0);
  return Blocked("VOLUME_NOT_OURS",
                 absl::StrCat("a volume of ", application_id, " exists that this operation did not make: ",
                              volume.detail().empty() ? volume.operation_id() : volume.detail()),
                 "find out which project or state store made it");
}

Step Begin(const Look& look, const v1::CreateRunner& create, const v1::GroupOffsets* offsets) {
  if (!NoOffsets(offsets)) {
    return Blocked("GROUP_HAS_OFFSETS",
                   absl::StrCat("consumer group ", create.application_id(), " has committed offsets that are not ours"),
                   "find out who uses this group; the runner's group must be new");
  }
  if (!look.facts.host.generations().empty()) {
    return Blocked("RUNNER_NOT_OURS",
                   absl::StrCat("a generation of ", create.application_id(),
                                " exists that our state does not own: ", look.facts.host.generations(0).location()),
                   "find out which project or state store made it");
  }
  if (!look.facts.host.volumes().empty()) return ForeignVolume(look, create.application_id());
  const bool yet_to_make = look.ahead && create.input().identity_case() == v1::TopicBinding::kCreatedBy;
  if (!yet_to_make && static_cast<uint32_t>(look.facts.input.partitions_size()) != create.input_partitions()) {
    return Stale("PARTITIONS_CHANGED",
                 absl::StrCat("topic ", create.input().name(), " has ", look.facts.input.partitions_size(),
                              " partitions now, ", create.input_partitions(), " were reviewed"));
  }
  Step step = Record(look, v1::Checkpoint::STARTED);
  for (const v1::TopicFacts::Partition& partition : look.facts.input.partitions()) {
    v1::PartitionOffset& chosen = *step.record.add_vector();
    chosen.set_partition(partition.partition());
    chosen.set_offset(create.initial_offset() == v1::LATEST ? partition.end_offset() : partition.begin_offset());
    chosen.set_leader_epoch(-1);
  }
  return step;
}

Step WriteOffsets(const Look& look, const v1::Checkpoint& started, const v1::GroupOffsets* offsets) {
  if (IsVector(look, offsets, started)) return Record(look, v1::Checkpoint::OFFSETS_INITIALIZED);
  if (!NoOffsets(offsets)) {
    return Blocked("OFFSETS_MOVED",
                   absl::StrCat("group ", look.facts.group.group_id(), " has other offsets than this operation chose"),
                   "find out who wrote them; nothing is written over them");
  }
  for (const v1::PartitionOffset& chosen : started.vector()) {
    for (const v1::TopicFacts::Partition& partition : look.facts.input.partitions()) {
      if (partition.partition() != chosen.partition()) continue;
      if (chosen.offset() >= partition.begin_offset() && chosen.offset() <= partition.end_offset()) continue;
      return Stale(
          "OFFSETS_OUT_OF_RANGE",
          absl::StrCat("the chosen offset ", chosen.offset(), " of partition ", chosen.partition(),
                       " is no longer in the log (", partition.begin_offset(), " to ", partition.end_offset(), ")"),
          "records were deleted meanwhile; nothing is skipped silently");
    }
  }
  if (!look.Crossed(Do::kCommitOffsets)) return Cross(Do::kCommitOffsets);
  return Wait(look, kUnstableBoundMs, "OFFSETS_NOT_SEEN",
              absl::StrCat("the first offsets of group ", look.facts.group.group_id(), " were written and do not show"),
              "look at the group coordinator's health");
}

Step MakeVolume(const Look& look, const std::string& application_id) {
  if (look.facts.host.volumes().empty()) {
    if (!look.Crossed(Do::kCreateVolume)) return Cross(Do::kCreateVolume);
    return Blocked("VOLUME_MISSING", absl::StrCat("the volume of ", application_id, " was made and is gone"),
                   "look at the host");
  }
  const v1::VolumeFacts& volume = look.facts.host.volumes(0);
  if (volume.operation_id() != look.progress.operation_id || volume.instance_id().empty()) {
    return ForeignVolume(look, application_id);
  }
  Step step = Record(look, v1::Checkpoint::VOLUME_CREATED);
  step.record.set_volume_instance(volume.instance_id());
  return step;
}

Step Finish(const Look& look, const v1::CreateRunner& create, const v1::GenerationFacts& generation,
            const std::string& failure) {
  v1::OwnedResource owned;
  v1::OwnedRunner& runner = *owned.mutable_runner();
  runner.set_application_id(create.application_id());
  *runner.mutable_plan() = create.plan();
  runner.set_plan_sha256(create.plan_sha256());
  runner.set_host(create.host());
  runner.set_host_id(create.host_id());
  runner.set_runner_sha256(create.runner_sha256());
  runner.set_generation_id(generation.generation_id());
  runner.set_volume_instance(Find(look, v1::Checkpoint::VOLUME_CREATED)->volume_instance());
  runner.set_cluster_id(look.progress.cluster_id);
  runner.set_input_topic_id(BoundTopicId(create.input(), look.progress));
  runner.set_output_topic_id(BoundTopicId(create.output(), look.progress));
  runner.set_initialized_partitions(create.input_partitions());
  runner.set_initial_offset(create.initial_offset());
  *runner.mutable_initial() = Find(look, v1::Checkpoint::STARTED)->vector();
  runner.set_running(true);
  runner.set_commit_interval_ms(create.commit_interval_ms());
  runner.set_network_id(create.network_id());
  runner.set_memory_mib(create.memory_mib());
  runner.set_pids_limit(create.pids_limit());
  Step step = RecordOwned(look, owned);
  step.record.set_failure(failure);
  return step;
}

Step StartAndWait(const Look& look, const v1::CreateRunner& create) {
  Started started;
  const Offsets& first = Find(look, v1::Checkpoint::STARTED)->vector();
  if (std::optional<Step> step = StartCandidate(look, CandidateOf(create), first, &started)) return *step;
  return Finish(look, create, *started.generation, started.failure);
}

}  // namespace

Step NextCreateRunner(const Look& look, const v1::CreateRunner& create) {
  if (std::optional<Step> step = CheckHost(look, create.host(), create.host_id())) return *step;
  if (look.reached() < v1::Checkpoint::GENERATION_CREATED) {
    if (std::optional<Step> step = CheckMeans(look, CandidateOf(create))) return *step;
  }
  if (std::optional<Step> step = CheckTopic(look, create.input(), look.facts.input)) return *step;
  if (std::optional<Step> step = CheckTopic(look, create.output(), look.facts.output)) return *step;
  const v1::GroupOffsets* offsets = InputOffsets(look.facts.group, create.input().name());
  const bool before_start =
      look.reached() < v1::Checkpoint::GENERATION_CREATED ||
      (look.reached() == v1::Checkpoint::GENERATION_CREATED && look.facts.host.generations_size() == 1 &&
       look.facts.host.generations(0).state() == v1::GenerationFacts::CREATED);
  const v1::Checkpoint* volume = Find(look, v1::Checkpoint::VOLUME_CREATED);
  if (volume != nullptr) {
    if (std::optional<Step> step = CheckVolume(look, volume->volume_instance())) return *step;
  }
  if (!before_start) return StartAndWait(look, create);

  if (std::optional<Step> step = CheckReadable(look, offsets)) return *step;
  if (std::optional<Step> step = CheckNoMembers(look)) return *step;
  if (look.reached() == v1::Checkpoint::NAME_UNSPECIFIED) return Begin(look, create, offsets);
  const v1::Checkpoint& started = *Find(look, v1::Checkpoint::STARTED);
  if (look.reached() == v1::Checkpoint::STARTED) return WriteOffsets(look, started, offsets);
  // First offsets that expired before the first start: nothing was read, so a resume may write the same vector again.
  if (NoOffsets(offsets) && started.vector_size() > 0 && look.progress.resuming) {
    return WriteOffsets(look, started, offsets);
  }
  if (!IsVector(look, offsets, started)) {
    return Blocked("OFFSETS_MOVED",
                   absl::StrCat("the offsets of group ", create.application_id(),
                                " are not the chosen ones any more, though "
                                "nothing ran"),
                   "find out who wrote them");
  }
  if (look.reached() == v1::Checkpoint::OFFSETS_INITIALIZED) return MakeVolume(look, create.application_id());
  if (look.reached() == v1::Checkpoint::VOLUME_CREATED) {
    return MakeCandidate(look, CandidateOf(create), volume->volume_instance());
  }
  return StartAndWait(look, create);
}

}  // namespace st::transition
