#include "lib/execute/boundary.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/docio/docio.h"
#include "lib/execute/facts.h"

namespace st::execute {
namespace {

using transition::Do;

absl::Status AlterConfigs(const v1::UpdateTopic& update, const World& world) {
  std::vector<std::pair<std::string, std::string>> set;
  std::vector<std::string> unset;
  for (const v1::UpdateTopic::ConfigChange& change : update.configs()) {
    if (change.has_value()) {
      set.emplace_back(change.name(), change.desired());
    } else {
      unset.push_back(change.name());
    }
  }
  return world.cluster->AlterConfigs(update.name(), set, unset);
}

template <typename Runner>
absl::Status CommitStarted(const Runner& runner, const v1::Action& action, const transition::Progress& progress,
                           const World& world) {
  for (const v1::Checkpoint& checkpoint : progress.checkpoints) {
    if (checkpoint.action_index() != action.index() || checkpoint.name() != v1::Checkpoint::STARTED) continue;
    std::vector<v1::PartitionOffset> vector(checkpoint.vector().begin(), checkpoint.vector().end());
    return world.cluster->CommitOffsets(runner.application_id(), runner.input().name(), vector, progress.operation_id);
  }
  return absl::InternalError("no vector was chosen before it is written");
}

absl::Status CommitOffsets(const v1::Action& action, const transition::Progress& progress, const World& world) {
  if (action.has_restore_offsets()) return CommitStarted(action.restore_offsets(), action, progress, world);
  return CommitStarted(action.create_runner(), action, progress, world);
}

// What both a new runner and one that replaces another are made of.
template <typename Runner>
host::GenerationSpec SpecOf(const Runner& runner, const v1::Action& action, const transition::Progress& progress,
                            const World& world) {
  host::GenerationSpec spec;
  spec.generation_id = transition::GenerationId(progress.operation_id, action.index());
  spec.application_id = runner.application_id();
  spec.operation_id = progress.operation_id;
  spec.action_index = action.index();
  spec.plan_document = docio::Write(runner.plan());
  spec.plan_sha256 = runner.plan_sha256();
  spec.client_properties = world.client_properties;
  spec.client_files = world.client_files;
  spec.cluster_id = progress.cluster_id;
  spec.input_topic_id = transition::BoundTopicId(runner.input(), progress);
  spec.output_topic_id = transition::BoundTopicId(runner.output(), progress);
  spec.initialized_partitions = runner.input_partitions();
  spec.runner_sha256 = runner.runner_sha256();
  spec.network_id = runner.network_id();
  return spec;
}

// Settings that stand in the action, or in what was owned before it.
template <typename Settings>
void SetLimits(const Settings& settings, host::GenerationSpec* spec) {
  spec->commit_interval_ms = settings.commit_interval_ms();
  spec->memory_mib = settings.memory_mib();
  spec->pids_limit = settings.pids_limit();
}

absl::Status CreateGeneration(const v1::Action& action, const transition::Progress& progress, const World& world) {
  if (action.has_replace_runner()) {
    host::GenerationSpec spec = SpecOf(action.replace_runner(), action, progress, world);
    spec.volume_instance = action.prior().runner().volume_instance();
    SetLimits(action.prior().runner(), &spec);
    return world.host->Create(spec);
  }
  host::GenerationSpec spec = SpecOf(action.create_runner(), action, progress, world);
  SetLimits(action.create_runner(), &spec);
  for (const v1::Checkpoint& checkpoint : progress.checkpoints) {
    if (checkpoint.action_index() == action.index() && checkpoint.name() == v1::Checkpoint::VOLUME_CREATED) {
      spec.volume_instance = checkpoint.volume_instance();
    }
  }
  return world.host->Create(spec);
}

// The one generation that the table just saw.
std::string GenerationOf(transition::Do act, const v1::Action& action, const transition::Progress& progress) {
  switch (action.action_case()) {
    case v1::Action::kStartRunner:
      return action.start_runner().generation_id();
    case v1::Action::kStopRunner:
      return action.stop_runner().generation_id();
    case v1::Action::kReplaceRunner:
      // The old one is stopped and removed, the new one is created and started.
      if (act == Do::kStopGeneration || act == Do::kRemoveGeneration) return action.replace_runner().generation_id();
      break;
    default:
      break;
  }
  return transition::GenerationId(progress.operation_id, action.index());
}

}  // namespace

std::string_view BoundaryName(Do act) {
  switch (act) {
    case Do::kCreateTopic:
      return "create_topic";
    case Do::kAlterConfigs:
      return "alter_configs";
    case Do::kCreatePartitions:
      return "create_partitions";
    case Do::kCommitOffsets:
      return "commit_offsets";
    case Do::kCreateVolume:
      return "create_volume";
    case Do::kCreateGeneration:
      return "create_generation";
    case Do::kStartGeneration:
      return "start_generation";
    case Do::kStopGeneration:
      return "stop_generation";
    case Do::kRemoveGeneration:
      return "remove_generation";
  }
  return "?";
}

absl::Status Cross(Do act, const v1::Action& action, const transition::Progress& progress, const World& world) {
  switch (act) {
    case Do::kCreateTopic:
      return world.cluster->CreateTopic(action.create_topic());
    case Do::kAlterConfigs:
      return AlterConfigs(action.update_topic(), world);
    case Do::kCreatePartitions:
      return world.cluster->CreatePartitions(action.update_topic().name(),
                                             static_cast<int>(action.update_topic().partitions()));
    case Do::kCommitOffsets:
      return CommitOffsets(action, progress, world);
    case Do::kCreateVolume:
      return world.host->CreateVolume(ApplicationId(action), progress.operation_id).status();
    case Do::kCreateGeneration:
      return CreateGeneration(action, progress, world);
    case Do::kStartGeneration:
      return world.host->Start(ApplicationId(action), GenerationOf(act, action, progress));
    case Do::kStopGeneration:
      return world.host->Stop(ApplicationId(action), GenerationOf(act, action, progress));
    case Do::kRemoveGeneration:
      return world.host->Remove(ApplicationId(action), GenerationOf(act, action, progress));
  }
  return absl::InternalError("no such boundary");
}

}  // namespace st::execute
