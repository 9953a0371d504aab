#include "lib/host/container_shape.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"
#include "lib/host/answer_fields.h"

namespace st::host {
namespace {

using nlohmann::json;

constexpr const char* kLabels[] = {kApplicationLabel, kOperationLabel,   kActionLabel,         kGenerationLabel,
                                   kPlanLabel,        kImageLabel,       kVolumeInstanceLabel, kClusterLabel,
                                   kInputTopicLabel,  kOutputTopicLabel, kPartitionsLabel};
// The runner closes within 15 s of its own; a stop by hand or by the machine's shutdown leaves it that.
constexpr int64_t kStopTimeoutS = 20;
constexpr int64_t kMiB = int64_t{1} << 20;
// A connection to each broker, and the rest.
constexpr int64_t kSoftFiles = 1024;
constexpr int64_t kHardFiles = 4096;

std::string InContainer(std::string_view name) { return absl::StrCat(kContainerFolder, "/", name); }

std::vector<std::string> ArgumentsOf(const GenerationSpec& spec) {
  return {absl::StrCat("--plan=", InContainer(kPlanName)),
          absl::StrCat("--client-properties=", InContainer(kPropertiesName)),
          absl::StrCat("--application-id=", spec.application_id),
          absl::StrCat("--state-dir=", kContainerState),
          absl::StrCat("--expected-cluster-id=", spec.cluster_id),
          absl::StrCat("--expected-input-topic-id=", spec.input_topic_id),
          absl::StrCat("--expected-output-topic-id=", spec.output_topic_id),
          absl::StrCat("--initialized-partitions=", spec.initialized_partitions),
          absl::StrCat("--commit-interval-ms=", spec.commit_interval_ms)};
}

std::map<std::string, std::string> LabelsOf(const GenerationSpec& spec) {
  return {{kApplicationLabel, spec.application_id},
          {kOperationLabel, spec.operation_id},
          {kActionLabel, absl::StrCat(spec.action_index)},
          {kGenerationLabel, spec.generation_id},
          {kPlanLabel, spec.plan_sha256},
          {kImageLabel, spec.runner_sha256},
          {kVolumeInstanceLabel, spec.volume_instance},
          {kClusterLabel, spec.cluster_id},
          {kInputTopicLabel, spec.input_topic_id},
          {kOutputTopicLabel, spec.output_topic_id},
          {kPartitionsLabel, absl::StrCat(spec.initialized_partitions)}};
}

std::vector<MountShape> MountsOf(const GenerationSpec& spec, const std::string& folder) {
  std::vector<MountShape> mounts = {{"volume", VolumeName(spec.application_id), kContainerState, false, ""}};
  std::vector<std::string> names = {kPlanName, kPropertiesName};
  for (const ClientFile& file : spec.client_files) names.push_back(file.name);
  for (const std::string& name : names) {
    mounts.push_back({"bind", absl::StrCat(folder, "/", name), InContainer(name), true, "rprivate"});
  }
  return mounts;
}

json MountJson(const MountShape& mount) {
  json text = {{"Type", mount.type}, {"Source", mount.source}, {"Target", mount.target}, {"ReadOnly", mount.read_only}};
  if (!mount.propagation.empty()) text["BindOptions"] = {{"Propagation", mount.propagation}};
  return text;
}

// The request without the evidence, in one spelling: members stand in the order of their names.
json Canonical(const ContainerShape& shape) {
  json ulimits = json::array();
  for (const UlimitShape& limit : shape.ulimits) {
    ulimits.push_back({{"Name", limit.name}, {"Soft", limit.soft}, {"Hard", limit.hard}});
  }
  json mounts = json::array();
  for (const MountShape& mount : shape.mounts) mounts.push_back(MountJson(mount));
  json host = {{"ReadonlyRootfs", shape.read_only_root},
               {"Privileged", shape.privileged},
               {"CapAdd", shape.cap_add},
               {"CapDrop", shape.cap_drop},
               {"SecurityOpt", shape.security_options},
               {"Binds", shape.binds},
               {"RestartPolicy", {{"Name", shape.restart}}},
               {"AutoRemove", shape.auto_remove},
               {"Memory", shape.memory_bytes},
               {"PidsLimit", shape.pids_limit},
               {"NetworkMode", shape.network},
               {"Init", shape.init},
               {"Ulimits", std::move(ulimits)},
               {"LogConfig", {{"Type", shape.log_driver}, {"Config", shape.log_options}}},
               {"Mounts", std::move(mounts)}};
  return {{"Image", shape.image},
          {"Entrypoint", shape.entrypoint},
          {"Cmd", shape.arguments},
          {"Env", shape.environment},
          {"User", shape.user},
          {"Labels", shape.labels},
          {"StopSignal", shape.stop_signal},
          {"StopTimeout", shape.stop_timeout_s},
          {"HostConfig", std::move(host)}};
}

// Bytes that are no UTF-8 (of a folder's name) are replaced: the engine could not find them by JSON either.
std::string Text(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

void ReadConfig(Fields config, ContainerShape* shape) {
  shape->image = config.String("Image");
  shape->entrypoint = config.StringsOrNone("Entrypoint");
  shape->arguments = config.StringsOrNone("Cmd");
  for (std::string& variable : config.StringsOrNone("Env")) {
    if (absl::StartsWith(variable, "ST_")) shape->environment.push_back(std::move(variable));
  }
  shape->user = config.String("User");
  for (auto& [name, value] : config.MapOrNone("Labels")) {
    if (absl::c_linear_search(kLabels, name)) shape->labels[name] = value;
  }
  shape->stop_signal = config.Has("StopSignal") ? config.String("StopSignal") : "";
  shape->stop_timeout_s = config.Has("StopTimeout") ? config.Int("StopTimeout") : 0;
}

void ReadMounts(Fields host, ContainerShape* shape) {
  shape->binds = host.StringsOrNone("Binds");
  for (Fields& mount : host.ObjectsOrNone("Mounts")) {
    MountShape one;
    one.type = mount.String("Type");
    one.source = mount.Has("Source") ? mount.String("Source") : "";
    one.target = mount.String("Target");
    one.read_only = mount.Has("ReadOnly") && mount.Bool("ReadOnly");
    if (mount.Has("BindOptions")) {
      Fields options = mount.Object("BindOptions");
      one.propagation = options.Has("Propagation") ? options.String("Propagation") : "";
    }
    shape->mounts.push_back(std::move(one));
  }
}

void ReadLimits(Fields host, ContainerShape* shape) {
  shape->memory_bytes = host.Int("Memory");
  shape->pids_limit = host.Has("PidsLimit") ? host.Int("PidsLimit") : 0;
  for (Fields& limit : host.ObjectsOrNone("Ulimits")) {
    UlimitShape one{limit.String("Name"), limit.Int("Soft"), limit.Int("Hard")};
    if (one.name == "nofile" || one.name == "core") shape->ulimits.push_back(std::move(one));
  }
  std::sort(shape->ulimits.begin(), shape->ulimits.end(),
            [](const UlimitShape& a, const UlimitShape& b) { return a.name < b.name; });
  Fields log = host.Object("LogConfig");
  shape->log_driver = log.String("Type");
  shape->log_options = log.MapOrNone("Config");
}

}  // namespace

std::string VolumeName(std::string_view application_id) { return absl::StrCat("st.", application_id); }

std::string ContainerName(std::string_view generation_id) { return absl::StrCat("st.", generation_id); }

ContainerShape ShapeOf(const GenerationSpec& spec, const std::string& folder, const std::string& user,
                       const std::vector<std::string>& entrypoint) {
  ContainerShape shape;
  shape.image = spec.runner_sha256;
  shape.entrypoint = entrypoint;
  shape.arguments = ArgumentsOf(spec);
  shape.environment = {absl::StrCat("ST_GENERATION_ID=", spec.generation_id)};
  shape.user = user;
  shape.labels = LabelsOf(spec);
  shape.stop_signal = "SIGTERM";
  shape.stop_timeout_s = kStopTimeoutS;
  shape.network = spec.network_id;
  shape.memory_bytes = spec.memory_mib * kMiB;
  shape.pids_limit = spec.pids_limit;
  // As process 1 a runner would miss a SIGTERM that comes before it listens for one.
  shape.init = true;
  shape.read_only_root = true;
  shape.cap_drop = {"ALL"};
  // The daemon's own seccomp profile stays in force: it is left out on purpose.
  shape.security_options = {"no-new-privileges"};
  shape.restart = "no";
  // A runner that writes a line a transition, and a runner that writes without end, fit the same two files.
  shape.log_driver = "json-file";
  shape.log_options = {{"max-size", "1m"}, {"max-file", "2"}};
  shape.ulimits = {{"core", 0, 0}, {"nofile", kSoftFiles, kHardFiles}};
  shape.mounts = MountsOf(spec, folder);
  return shape;
}

ContainerShape ReadShape(Fields container) {
  ContainerShape shape;
  ReadConfig(container.Object("Config"), &shape);
  Fields host = container.Object("HostConfig");
  shape.network = host.String("NetworkMode");
  shape.init = host.Has("Init") && host.Bool("Init");
  shape.auto_remove = host.Bool("AutoRemove");
  shape.privileged = host.Bool("Privileged");
  shape.read_only_root = host.Bool("ReadonlyRootfs");
  shape.cap_add = host.StringsOrNone("CapAdd");
  shape.cap_drop = host.StringsOrNone("CapDrop");
  shape.security_options = host.StringsOrNone("SecurityOpt");
  shape.restart = host.Object("RestartPolicy").String("Name");
  ReadLimits(host, &shape);
  ReadMounts(host, &shape);
  return shape;
}

std::string EvidenceOf(const ContainerShape& shape) { return base::Sha256Hex(Text(Canonical(shape))); }

std::string CreateRequest(const ContainerShape& shape) {
  json request = Canonical(shape);
  request["Labels"][kEvidenceLabel] = EvidenceOf(shape);
  // No swap. Not part of the evidence: a kernel that does not count swap turns it into something else.
  request["HostConfig"]["MemorySwap"] = shape.memory_bytes;
  return Text(request);
}

}  // namespace st::host
