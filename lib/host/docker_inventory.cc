#include "lib/host/docker_inventory.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/digest.h"
#include "lib/diag/diag.h"
#include "lib/docio/docio.h"
#include "lib/host/container_shape.h"
#include "lib/host/generation_folder.h"
#include "schemas/st/v1/generation.pb.h"
#include "schemas/st/v1/record_plan.pb.h"
#include "schemas/st/v1/runner_status.pb.h"

namespace st::host {
namespace {

using Labels = std::map<std::string, std::string>;

// A status is replaced by a rename while the engine copies it; then its archive is cut off.
constexpr int kStatusAttempts = 3;

std::string InContainer(std::string_view folder, std::string_view name) { return absl::StrCat(folder, "/", name); }

// False: a label is missing, or no number.
bool ReadLabels(const Labels& labels, v1::GenerationFacts* facts) {
  bool whole = true;
  auto text = [&](const char* name) {
    const auto found = labels.find(name);
    whole = whole && found != labels.end() && !found->second.empty();
    return found == labels.end() ? std::string() : found->second;
  };
  auto number = [&](const char* name) {
    uint32_t value = 0;
    whole = absl::SimpleAtoi(text(name), &value) && whole;
    return value;
  };
  facts->set_generation_id(text(kGenerationLabel));
  facts->set_application_id(text(kApplicationLabel));
  facts->set_operation_id(text(kOperationLabel));
  facts->set_action_index(number(kActionLabel));
  facts->set_volume_instance(text(kVolumeInstanceLabel));
  facts->set_cluster_id(text(kClusterLabel));
  facts->set_input_topic_id(text(kInputTopicLabel));
  facts->set_output_topic_id(text(kOutputTopicLabel));
  facts->set_initialized_partitions(number(kPartitionsLabel));
  return whole && !text(kEvidenceLabel).empty();
}

v1::GenerationFacts NotOurs(const ListedContainer& listed, std::string_view why) {
  v1::GenerationFacts facts;
  const auto application = listed.labels.find(kApplicationLabel);
  if (application != listed.labels.end()) facts.set_application_id(application->second);
  facts.set_location(listed.id);
  facts.set_detail(absl::StrCat("container ", listed.id.substr(0, 12), " is no generation of ours: ", why));
  return facts;
}

std::string SourceOf(const ContainerShape& shape, const std::string& target) {
  for (const MountShape& mount : shape.mounts) {
    if (mount.type == "bind" && mount.target == target) return mount.source;
  }
  return "";
}

absl::StatusOr<std::string> PlanSha256At(const std::string& path) {
  if (path.empty()) return absl::FailedPreconditionError("the container mounts no plan");
  v1::RecordPlan plan;
  if (absl::Status read = ReadDocument(path, &plan); !read.ok()) return read;
  return base::Checksum(plan);
}

void FillPlan(const std::string& path, v1::GenerationFacts* facts, std::vector<std::string>* remarks) {
  absl::StatusOr<std::string> plan = PlanSha256At(path);
  if (plan.ok()) {
    facts->set_plan_sha256(*plan);
  } else {
    remarks->push_back(absl::StrCat("its plan cannot be used: ", plan.status().message()));
  }
}

// NotFound: it wrote none.
absl::Status ReadStatus(const std::string& id, Engine* engine, v1::RunnerStatus* status) {
  const std::string path = InContainer(kContainerState, "status.textproto");
  for (int attempt = 1;; ++attempt) {
    absl::StatusOr<std::string> text = engine->File(id, path);
    if (text.ok()) {
      diag::Diagnostics diagnostics;
      if (docio::Read(*text, path, docio::Trailer::kRequired, status, &diagnostics)) return absl::OkStatus();
      return absl::DataLossError(absl::StrCat(path, ": ", diagnostics.Sorted().front().text));
    }
    const bool cut = absl::IsDataLoss(text.status()) || absl::IsUnavailable(text.status());
    if (!cut || attempt == kStatusAttempts) return text.status();
  }
}

// The volume outlives generations and starts: what stands there may be another's.
absl::Status FillStatus(const ContainerAnswer& container, Engine* engine, v1::GenerationFacts* facts,
                        std::vector<std::string>* remarks) {
  v1::RunnerStatus status;
  absl::Status read = ReadStatus(container.id, engine, &status);
  if (absl::IsNotFound(read)) return absl::OkStatus();
  if (absl::IsUnavailable(read)) return read;
  if (!read.ok()) {
    remarks->push_back(absl::StrCat("its status cannot be read: ", read.message()));
    return absl::OkStatus();
  }
  if (status.generation_id() != facts->generation_id()) return absl::OkStatus();
  const bool running = facts->state() == v1::GenerationFacts::RUNNING;
  // Written before the run before this one had ended.
  if (running && container.finished_at_ms > 0 && status.updated_at_ms() <= container.finished_at_ms) {
    return absl::OkStatus();
  }
  if (!running && status.updated_at_ms() < container.started_at_ms) {
    remarks->push_back("its status is older than its last start");
  }
  *facts->mutable_status() = std::move(status);
  return absl::OkStatus();
}

v1::GenerationFacts::State StateOf(const std::string& state) {
  if (IsRunning(state)) return v1::GenerationFacts::RUNNING;
  if (state == "created") return v1::GenerationFacts::CREATED;
  return state == "exited" || state == "dead" || state == "removing" ? v1::GenerationFacts::EXITED
                                                                     : v1::GenerationFacts::STATE_UNSPECIFIED;
}

void FillState(const ContainerAnswer& container, v1::GenerationFacts* facts, std::vector<std::string>* remarks) {
  facts->set_state(StateOf(container.state));
  if (container.state != "running" && container.state != "created" && container.state != "exited") {
    remarks->push_back(absl::StrCat("its container is ", diag::Visible(container.state, 40)));
  }
  if (facts->state() == v1::GenerationFacts::EXITED) {
    facts->set_exit_code_known(true);
    facts->set_exit_code(static_cast<int32_t>(container.exit_code));
    // Neither proves the other: a killed child leaves exit code 0, and not every such end is noticed.
    facts->set_out_of_memory(container.out_of_memory);
    if (container.out_of_memory) remarks->push_back("the kernel ended a process of it, as memory ran out (OOMKilled)");
    if (!container.error.empty())
      remarks->push_back(absl::StrCat("the engine says: ", diag::Visible(container.error, 500)));
  }
  if (facts->state() == v1::GenerationFacts::CREATED && (container.exit_code != 0 || !container.error.empty())) {
    remarks->push_back(absl::StrCat("a start failed (exit code ", container.exit_code, "): ",
                                    container.error.empty() ? "no reason given" : diag::Visible(container.error, 500)));
  }
}

// What a list shows of one that runs.
v1::GenerationFacts LookAtListed(const ListedContainer& listed, v1::GenerationFacts facts) {
  const auto image = listed.labels.find(kImageLabel);
  if (image == listed.labels.end() || image->second != listed.image_id) {
    return NotOurs(listed, "it runs another image than its labels say");
  }
  const auto plan = listed.sources.find(InContainer(kContainerFolder, kPlanName));
  if (plan == listed.sources.end()) return NotOurs(listed, "it mounts no record plan");
  std::vector<std::string> remarks;
  facts.set_state(v1::GenerationFacts::RUNNING);
  if (listed.state != "running") {
    remarks.push_back(absl::StrCat("its container is ", diag::Visible(listed.state, 40)));
  }
  FillPlan(plan->second, &facts, &remarks);
  facts.set_detail(absl::StrJoin(remarks, "; "));
  return facts;
}

}  // namespace

bool IsRunning(const std::string& engine_state) {
  return engine_state == "running" || engine_state == "paused" || engine_state == "restarting";
}

absl::Status CheckEvidence(const ContainerAnswer& container) {
  const auto label = container.labels.find(kEvidenceLabel);
  if (label == container.labels.end()) {
    return absl::FailedPreconditionError(absl::StrCat("it carries our labels, but not ", kEvidenceLabel));
  }
  if (label->second != EvidenceOf(container.shape)) {
    return absl::FailedPreconditionError(
        absl::StrCat("it carries our labels, but is not what ", kEvidenceLabel,
                     " vouches for: it was made by hand, or was changed after it was made"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> MountedPlanSha256(const ContainerAnswer& container) {
  return PlanSha256At(SourceOf(container.shape, InContainer(kContainerFolder, kPlanName)));
}

absl::StatusOr<std::optional<v1::GenerationFacts>> LookAtContainer(const ListedContainer& listed, Depth depth,
                                                                   Engine* engine) {
  v1::GenerationFacts facts;
  if (!ReadLabels(listed.labels, &facts)) return NotOurs(listed, "it lacks some of our labels");
  facts.set_location(listed.id);
  facts.set_binary_sha256(listed.image_id);
  facts.set_network_id(listed.network);
  if (depth == Depth::kShallow && IsRunning(listed.state)) return LookAtListed(listed, std::move(facts));
  absl::StatusOr<ContainerAnswer> container = engine->Container(listed.id);
  if (absl::IsNotFound(container.status())) return std::nullopt;
  if (absl::IsDataLoss(container.status())) return NotOurs(listed, container.status().message());
  if (!container.ok()) return container.status();
  if (absl::Status ours = CheckEvidence(*container); !ours.ok()) return NotOurs(listed, ours.message());
  std::vector<std::string> remarks;
  FillState(*container, &facts, &remarks);
  FillPlan(SourceOf(container->shape, InContainer(kContainerFolder, kPlanName)), &facts, &remarks);
  if (facts.state() != v1::GenerationFacts::CREATED) {
    if (absl::Status read = FillStatus(*container, engine, &facts, &remarks); !read.ok()) return read;
  }
  facts.set_detail(absl::StrJoin(remarks, "; "));
  return facts;
}

v1::VolumeFacts LookAtVolume(const VolumeAnswer& volume, const std::string& application_id) {
  v1::VolumeFacts facts;
  facts.set_application_id(application_id);
  auto label = [&](const char* name) {
    const auto found = volume.labels.find(name);
    return found == volume.labels.end() ? std::string() : found->second;
  };
  if (label(kApplicationLabel) != application_id || label(kInstanceLabel).empty()) {
    facts.set_detail(absl::StrCat("volume ", volume.name,
                                  " does not carry our labels: somebody else made it, or Docker made it anew when a "
                                  "container asked for one that was gone"));
    return facts;
  }
  facts.set_instance_id(label(kInstanceLabel));
  facts.set_operation_id(label(kOperationLabel));
  return facts;
}

}  // namespace st::host
