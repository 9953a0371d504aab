#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"
#include "lib/diag/diag.h"
#include "lib/docio/docio.h"
#include "lib/execute/sim/faces.h"
#include "lib/execute/sim/runner.h"

namespace st::sim {
namespace {

constexpr int64_t kCallMs = 10;

const char* HowItIs(const v1::GenerationFacts& generation) {
  if (generation.state() == v1::GenerationFacts::CREATED) return "created";
  if (generation.state() == v1::GenerationFacts::RUNNING) return "running";
  switch (generation.status().state()) {
    case v1::RunnerStatus::CLOSED:
      return "closed";
    case v1::RunnerStatus::FAILED:
      return "failed";
    default:
      return "killed";
  }
}

}  // namespace

absl::StatusOr<v1::HostFacts> Host::Identify() {
  v1::HostFacts facts;
  facts.set_kind(v1::PROCESS);
  facts.set_host_id("host");
  facts.set_runner_sha256("binary");
  return facts;
}

absl::StatusOr<std::vector<v1::GenerationFacts>> Host::Inventory(const std::vector<std::string>& application_ids,
                                                                 host::Depth) {
  Step(state_);
  std::vector<v1::GenerationFacts> found;
  for (const auto& [id, generation] : state_->generations) {
    if (absl::c_linear_search(application_ids, generation.application_id())) found.push_back(generation);
  }
  return found;
}

absl::StatusOr<std::vector<v1::VolumeFacts>> Host::Volumes(const std::vector<std::string>& application_ids) {
  std::vector<v1::VolumeFacts> found;
  for (const std::string& application_id : application_ids) {
    if (state_->volumes.contains(application_id)) found.push_back(state_->volumes[application_id]);
  }
  return found;
}

absl::StatusOr<std::string> Host::CreateVolume(const std::string& application_id, const std::string& operation_id) {
  state_->Pass(kCallMs);
  if (state_->volumes.contains(application_id)) return absl::AlreadyExistsError("volume");
  v1::VolumeFacts& volume = state_->volumes[application_id];
  volume.set_application_id(application_id);
  volume.set_instance_id("instance-of-" + operation_id);
  volume.set_operation_id(operation_id);
  state_->Note({.kind = Event::Kind::kVolumeMade, .subject = application_id, .text = operation_id});
  return volume.instance_id();
}

absl::Status Host::Create(const host::GenerationSpec& spec) {
  state_->Pass(kCallMs);
  if (state_->generations.contains(spec.generation_id)) return absl::AlreadyExistsError("generation");
  auto volume = state_->volumes.find(spec.application_id);
  if (volume == state_->volumes.end() || volume->second.instance_id() != spec.volume_instance) {
    return absl::FailedPreconditionError("the volume of the generation is not there");
  }
  v1::GenerationFacts& generation = state_->generations[spec.generation_id];
  generation.set_generation_id(spec.generation_id);
  generation.set_application_id(spec.application_id);
  generation.set_operation_id(spec.operation_id);
  generation.set_action_index(spec.action_index);
  generation.set_state(v1::GenerationFacts::CREATED);
  v1::RecordPlan& plan = state_->plans[spec.generation_id];
  diag::Diagnostics diagnostics;
  // What was really handed over, as the real host hashes what really lies there.
  docio::Read(spec.plan_document, "plan", docio::Trailer::kRequired, &plan, &diagnostics);
  generation.set_plan_sha256(base::Checksum(plan));
  generation.set_binary_sha256(spec.runner_sha256);
  generation.set_volume_instance(spec.volume_instance);
  generation.set_input_topic_id(spec.input_topic_id);
  generation.set_output_topic_id(spec.output_topic_id);
  generation.set_cluster_id(spec.cluster_id);
  generation.set_initialized_partitions(spec.initialized_partitions);
  generation.set_location("/sim/" + spec.generation_id);
  state_->Note({.kind = Event::Kind::kGenerationMade, .subject = spec.generation_id, .text = spec.operation_id});
  return absl::OkStatus();
}

absl::Status Host::Start(const std::string&, const std::string& generation_id) {
  state_->Pass(kCallMs);
  auto it = state_->generations.find(generation_id);
  if (it == state_->generations.end()) return absl::NotFoundError("no such generation");
  if (it->second.state() == v1::GenerationFacts::RUNNING) return absl::FailedPreconditionError("already running");
  state_->Note({.kind = Event::Kind::kGenerationStarted, .subject = generation_id});
  Launch(state_, generation_id);
  return absl::OkStatus();
}

absl::Status Host::Stop(const std::string&, const std::string& generation_id) {
  state_->Pass(kCallMs);
  auto it = state_->processes.find(generation_id);
  if (it == state_->processes.end()) return absl::OkStatus();
  state_->Note({.kind = Event::Kind::kStopAsked, .subject = generation_id});
  it->second.phase = Process::Phase::kClosing;
  return absl::OkStatus();
}

absl::Status Host::Remove(const std::string&, const std::string& generation_id) {
  state_->Pass(kCallMs);
  auto it = state_->generations.find(generation_id);
  if (it == state_->generations.end()) return absl::NotFoundError("generation");
  if (it->second.state() == v1::GenerationFacts::RUNNING) return absl::FailedPreconditionError("it runs");
  state_->Note({.kind = Event::Kind::kGenerationRemoved, .subject = generation_id, .text = HowItIs(it->second)});
  state_->generations.erase(it);
  state_->plans.erase(generation_id);
  return absl::OkStatus();
}

}  // namespace st::sim
