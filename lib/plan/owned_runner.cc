// A model whose runner this project owns: unchanged, to be started, to be stopped.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/plan/runner_planner.h"
#include "lib/transition/ending.h"

namespace st::plan {

std::vector<std::string> RunnerPlanner::ChangedSettings() const {
  const v1::RunnerSettings& declared = index_.topology().runner();
  std::vector<std::string> changed;
  if (owned_->host() != declared.host()) return {"its host"};
  if (owned_->initial_offset() != declared.initial_offset()) changed.push_back("initial_offset");
  if (owned_->commit_interval_ms() != declared.commit_interval_ms()) changed.push_back("commit_interval_ms");
  if (declared.host() != v1::DOCKER) return changed;
  if (owned_->runner_sha256() != declared.image()) changed.push_back("its image");
  // By id: a network of that name that was removed and made again is another one.
  if (owned_->network_id() != host_.network().id()) changed.push_back("its network");
  if (owned_->memory_mib() != declared.memory_mib()) changed.push_back("memory_mib");
  if (owned_->pids_limit() != declared.pids_limit()) changed.push_back("pids_limit");
  return changed;
}

bool RunnerPlanner::CheckChange(const RecordChange& change) {
  std::vector<std::string> changed = change.unsupported;
  for (std::string& setting : ChangedSettings()) changed.push_back(std::move(setting));
  if (!changed.empty()) {
    BlockDeclared(
        "UNSUPPORTED_RUNNER_CHANGE",
        absl::StrCat("runner ", model_.application_id(), " is deployed, and ", absl::StrJoin(changed, ", "),
                     " would change"),
        "only its filter, and what it selects, may change: declare a new model beside it, or take the change back");
    return false;
  }
  if (input_->topic_id() != owned_->input_topic_id()) {
    BlockDrifted("TOPIC_ID_CHANGED",
                 absl::StrCat("topic ", input_topic_, " was deleted and made again: the runner was made for id ",
                              owned_->input_topic_id(), ", it is ", input_->topic_id(), " now"),
                 "nothing is skipped or read twice silently: declare a new model on the new topic");
    return false;
  }
  return true;
}

// New ones are no drift: the runner takes them over, and the plan stays empty.
std::vector<int32_t> RunnerPlanner::WarnAboutGrowth(const v1::GenerationFacts& generation) {
  std::vector<int32_t> read;
  std::vector<int32_t> fresh;
  std::vector<int32_t> lost;
  for (const v1::TopicFacts::Partition& partition : input_->partitions()) {
    const int32_t number = partition.partition();
    if (static_cast<uint32_t>(number) < owned_->initialized_partitions()) continue;
    const v1::GroupOffset* found = CommittedOn(number);
    // A runner's status is younger than what was seen of its group: it may just have taken the partition over.
    const auto& named = generation.status().partitions();
    const bool taken_over = ended_ == nullptr && std::any_of(named.begin(), named.end(), [&](const auto& one) {
                              return one.partition() == number;
                            });
    if ((found != nullptr && (found->offset() >= 0 || found->unstable())) || taken_over) {
      read.push_back(number);
    } else {
      (IsNew(partition) ? fresh : lost).push_back(number);
    }
  }
  if (read.empty() && fresh.empty() && lost.empty()) return lost;
  std::string text = absl::StrCat("topic ", input_topic_, " has ", input_->partitions_size(),
                                  " partitions, the runner was made for ", owned_->initialized_partitions());
  if (!read.empty()) absl::StrAppend(&text, "; it goes on with partition ", absl::StrJoin(read, ", "));
  if (!fresh.empty())
    absl::StrAppend(&text, "; it reads partition ", absl::StrJoin(fresh, ", "), " from the beginning");
  if (!lost.empty()) {
    absl::StrAppend(&text, "; partition ", absl::StrJoin(lost, ", "),
                    " has no offset and is not new, and without a position the runner stops");
  }
  absl::StrAppend(&text, "; records of one key may come by two partitions");
  draft_.Warn("PARTITIONS_GROWN", model_.resource(), std::move(text));
  return lost;
}

const v1::GenerationFacts* RunnerPlanner::FindGeneration() {
  const v1::GenerationFacts* found = nullptr;
  for (const v1::GenerationFacts* generation : index_.Generations(model_.application_id())) {
    if (generation->generation_id() == owned_->generation_id() && found == nullptr) {
      found = generation;
      continue;
    }
    BlockDrifted("RUNNER_NOT_OURS",
                 absl::StrCat("another generation of ", model_.application_id(), " exists: ", Named(*generation)),
                 "find out who made it; one application has one generation");
    return nullptr;
  }
  if (found == nullptr) {
    BlockDrifted(
        "RUNNER_MISSING",
        absl::StrCat("generation ", owned_->generation_id(), " of ", model_.application_id(), " is not on this host"),
        "restore its folder from a backup; its offsets are still in the consumer group");
    return nullptr;
  }
  if (found->plan_sha256() != owned_->plan_sha256() || found->binary_sha256() != owned_->runner_sha256()) {
    BlockDrifted("RUNNER_CHANGED",
                 absl::StrCat("the record plan or the binary at ", found->location(), " is not what was deployed"),
                 "somebody edited it: put back what was deployed");
    return nullptr;
  }
  const v1::VolumeFacts* volume = index_.Volume(model_.application_id());
  if (volume == nullptr || volume->instance_id() != owned_->volume_instance()) {
    BlockDrifted(
        "VOLUME_CHANGED",
        absl::StrCat("the volume of ", model_.application_id(), volume == nullptr ? " is gone" : " is another one",
                     ": ", owned_->volume_instance(), " was deployed"),
        "find out who replaced it; what a runner's volume held is never guessed");
    return nullptr;
  }
  return found;
}

bool RunnerPlanner::CheckMemberLeaves(const v1::GenerationFacts& generation) {
  if (!HasMembers()) return true;
  const bool its_own = group_->members_size() == 1 && generation.has_status() &&
                       group_->members(0).member_id() == generation.status().member_id();
  if (!its_own && !group_->members().empty()) {
    BlockActive(generation.status().member_id());
    return false;
  }
  draft_.Warn("GROUP_ACTIVE", model_.resource(),
              "the runner's ended process is still a member of its group for some seconds; st-apply waits until its "
              "session ends");
  return true;
}

void RunnerPlanner::Start(const v1::GenerationFacts& generation) {
  if (!CheckMemberLeaves(generation)) return;
  v1::StartRunner start;
  if (!Fill(&start) || !CheckNotMoved(generation, start.offsets())) return;
  start.set_runner_sha256(owned_->runner_sha256());
  const v1::Action::Cause cause = CauseOf(/*was_running=*/true);
  v1::Action& action = draft_.AddAction(
      model_.resource(), cause,
      absl::StrCat("start runner ", model_.application_id(), ": ",
                   cause == v1::Action::DRIFTED ? absl::StrCat("it ended (", transition::HowItEnded(generation), ")")
                                                : std::string("the model is declared as running again")));
  FollowRestored(&action);
  WarnAboutOldRecords(start.offsets());
  *action.mutable_start_runner() = std::move(start);
  if (generation.status().state() == v1::RunnerStatus::FAILED) {
    draft_.Warn("RUNNER_FAILED", model_.resource(),
                absl::StrCat("runner ", model_.application_id(), " stopped by itself: ", generation.status().detail(),
                             "; while that cause stands it stops there again"));
  }
}

void RunnerPlanner::Stop(const v1::GenerationFacts& generation, bool runs) {
  v1::StopRunner stop;
  if (!Fill(&stop)) return;
  std::string reason = absl::StrCat("stop runner ", model_.application_id(), ": the model is declared as not running");
  if (!runs) absl::StrAppend(&reason, "; it ended already (", transition::HowItEnded(generation), ")");
  v1::Action& action = draft_.AddAction(model_.resource(), CauseOf(/*was_running=*/false), std::move(reason));
  *action.mutable_stop_runner() = std::move(stop);
}

void RunnerPlanner::WarnIfStale(const v1::GenerationFacts& generation) {
  constexpr int64_t kStaleMs = 30'000;
  const v1::RunnerStatus& status = generation.status();
  // A container that runs is seen by its engine; its status is not asked for.
  const bool seen = host_.kind() == v1::DOCKER && !generation.has_status();
  if (!seen && index_.observation().observed_at_ms() - status.updated_at_ms() > kStaleMs) {
    draft_.Warn("STATUS_STALE", model_.resource(),
                absl::StrCat("runner ", model_.application_id(), " has not written its status for over ",
                             kStaleMs / 1000, " s: look at its log at ", generation.location()));
  }
}

void RunnerPlanner::WarnIfOlder() {
  if (host_.kind() == v1::PROCESS && owned_->runner_sha256() != host_.runner_sha256() &&
      !host_.runner_sha256().empty()) {
    draft_.Warn(
        "RUNNER_OLDER", model_.resource(),
        absl::StrCat("runner ", model_.application_id(), " runs another st-runner than the one beside the tools"));
  }
}

}  // namespace st::plan
