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

absl::Status CommitFirstOffsets(const v1::Action& action, const transition::Progress& progress, const World& world) {
  const v1::CreateRunner& create = action.create_runner();
  for (const v1::Checkpoint& checkpoint : progress.checkpoints) {
    if (checkpoint.action_index() != action.index() || checkpoint.name() != v1::Checkpoint::STARTED) continue;
    std::vector<v1::PartitionOffset> vector(checkpoint.vector().begin(), checkpoint.vector().end());
    return world.cluster->CommitOffsets(create.application_id(), create.input().name(), vector, progress.operation_id);
  }
  return absl::InternalError("no vector was chosen before it is written");
}

absl::Status CreateGeneration(const v1::Action& action, const transition::Progress& progress, const World& world) {
  const v1::CreateRunner& create = action.create_runner();
  host::GenerationSpec spec;
  spec.generation_id = transition::GenerationId(progress.operation_id, action.index());
  spec.application_id = create.application_id();
  spec.operation_id = progress.operation_id;
  spec.action_index = action.index();
  spec.plan_document = docio::Write(create.plan());
  spec.plan_sha256 = create.plan_sha256();
  spec.client_properties = world.client_properties;
  spec.client_files = world.client_files;
  spec.cluster_id = progress.cluster_id;
  spec.input_topic_id = transition::BoundTopicId(create.input(), progress);
  spec.output_topic_id = transition::BoundTopicId(create.output(), progress);
  spec.initialized_partitions = create.input_partitions();
  spec.commit_interval_ms = create.commit_interval_ms();
  spec.runner_sha256 = create.runner_sha256();
  spec.network_id = create.network_id();
  spec.memory_mib = create.memory_mib();
  spec.pids_limit = create.pids_limit();
  for (const v1::Checkpoint& checkpoint : progress.checkpoints) {
    if (checkpoint.action_index() == action.index() && checkpoint.name() == v1::Checkpoint::VOLUME_CREATED) {
      spec.volume_instance = checkpoint.volume_instance();
    }
  }
  return world.host->Create(spec);
}

// The one generation that the table just saw.
std::string GenerationOf(const v1::Action& action, const transition::Progress& progress) {
  switch (action.action_case()) {
    case v1::Action::kStartRunner:
      return action.start_runner().generation_id();
    case v1::Action::kStopRunner:
      return action.stop_runner().generation_id();
    default:
      return transition::GenerationId(progress.operation_id, action.index());
  }
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
      return CommitFirstOffsets(action, progress, world);
    case Do::kCreateVolume:
      return world.host->CreateVolume(ApplicationId(action), progress.operation_id).status();
    case Do::kCreateGeneration:
      return CreateGeneration(action, progress, world);
    case Do::kStartGeneration:
      return world.host->Start(ApplicationId(action), GenerationOf(action, progress));
    case Do::kStopGeneration:
      return world.host->Stop(ApplicationId(action), GenerationOf(action, progress));
  }
  return absl::InternalError("no such boundary");
}

}  // namespace st::execute
