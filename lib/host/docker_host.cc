#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/id.h"
#include "lib/diag/diag.h"
#include "lib/fs/file.h"
#include "lib/host/container_shape.h"
#include "lib/host/docker.h"
#include "lib/host/docker_checks.h"
#include "lib/host/docker_folder.h"
#include "lib/host/docker_inventory.h"
#include "lib/host/engine.h"
#include "lib/host/generation_build.h"
#include "lib/host/generation_folder.h"

namespace st::host {
namespace {

constexpr uid_t kImageUser = 10001;
constexpr char kDefaultSocket[] = "/var/run/docker.sock";
constexpr char kRunnerVersionLabel[] = "st.runner.version";
constexpr char kRecordPlanVersionLabel[] = "st.record_plan.version";

class DockerHost : public RunnerHost {
 public:
  explicit DockerHost(DockerOptions options)
      : options_(std::move(options)), engine_(options_.socket, options_.timeout_ms) {}

  absl::StatusOr<v1::HostFacts> Identify() override;
  absl::StatusOr<std::vector<v1::GenerationFacts>> Inventory(const std::vector<std::string>& application_ids,
                                                             Depth depth) override;
  absl::StatusOr<std::vector<v1::VolumeFacts>> Volumes(const std::vector<std::string>& application_ids) override;
  absl::StatusOr<std::string> CreateVolume(const std::string& application_id, const std::string& operation_id) override;
  absl::Status Create(const GenerationSpec& spec) override;
  absl::Status Start(const std::string& application_id, const std::string& generation_id) override;
  absl::Status Stop(const std::string& application_id, const std::string& generation_id) override;
  absl::Status Remove(const std::string& application_id, const std::string& generation_id) override;
  uint64_t Requests() const override { return engine_.requests(); }

 private:
  absl::Status FillImage(v1::HostFacts* facts);
  absl::Status FillNetwork(v1::HostFacts* facts);
  absl::Status AfterFailedCreate(const ApplicationFolder& application, const std::string& generation_id,
                                 const absl::Status& failure);
  absl::Status AfterFailedStart(const std::string& id, const absl::Status& failure);
  // What no container of this application mounts, as the one that did was removed. Under the application's lock.
  absl::Status BuryLeftovers(const ApplicationFolder& application, const std::string& application_id);
  // The one container with these labels, which is ours. NotFound; FailedPrecondition when there are several, or it is
  // not what we made.
  absl::StatusOr<ContainerAnswer> Find(const std::string& application_id, const std::string& generation_id);

  DockerOptions options_;
  Engine engine_;
};

absl::Status DockerHost::FillImage(v1::HostFacts* facts) {
  if (options_.image.empty()) return absl::OkStatus();
  v1::DockerImageFacts& image = *facts->mutable_image();
  image.set_id(options_.image);
  absl::StatusOr<ImageAnswer> answer = engine_.Image(options_.image);
  if (absl::IsNotFound(answer.status())) return absl::OkStatus();
  if (!answer.ok()) return answer.status();
  // A tag finds an image, too.
  if (answer->id != options_.image) return absl::OkStatus();
  image.set_present(true);
  image.set_runner_version(answer->labels[kRunnerVersionLabel]);
  image.set_record_plan_version(answer->labels[kRecordPlanVersionLabel]);
  facts->set_runner_sha256(answer->id);
  return absl::OkStatus();
}

absl::Status DockerHost::FillNetwork(v1::HostFacts* facts) {
  if (options_.network.empty()) return absl::OkStatus();
  v1::DockerNetworkFacts& network = *facts->mutable_network();
  network.set_name(options_.network);
  absl::StatusOr<NetworkAnswer> answer = engine_.Network(options_.network);
  if (absl::IsNotFound(answer.status())) return absl::OkStatus();
  if (!answer.ok()) return answer.status();
  // The beginning of an id finds a network, too.
  if (answer->name != options_.network) return absl::OkStatus();
  network.set_present(true);
  network.set_id(answer->id);
  network.set_driver(answer->driver);
  return absl::OkStatus();
}

absl::StatusOr<v1::HostFacts> DockerHost::Identify() {
  absl::StatusOr<InfoAnswer> info = engine_.Info();
  if (!info.ok()) return info.status();
  v1::HostFacts facts;
  facts.set_kind(v1::DOCKER);
  facts.set_host_id(info->id);
  if (absl::Status filled = FillImage(&facts); !filled.ok()) return filled;
  if (absl::Status filled = FillNetwork(&facts); !filled.ok()) return filled;
  return facts;
}

absl::Status CheckIds(const std::vector<std::string>& application_ids) {
  for (const std::string& id : application_ids) {
    if (absl::Status fit = CheckId("application id", id); !fit.ok()) return fit;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<v1::GenerationFacts>> DockerHost::Inventory(const std::vector<std::string>& application_ids,
                                                                       Depth depth) {
  if (absl::Status fit = CheckIds(application_ids); !fit.ok()) return fit;
  if (application_ids.empty()) return std::vector<v1::GenerationFacts>();
  const bool one = application_ids.size() == 1;
  absl::StatusOr<std::vector<ListedContainer>> listed = engine_.Containers(
      {one ? absl::StrCat(kApplicationLabel, "=", application_ids.front()) : std::string(kApplicationLabel)});
  if (!listed.ok()) return listed.status();
  const absl::flat_hash_set<std::string> wanted(application_ids.begin(), application_ids.end());
  std::vector<v1::GenerationFacts> all;
  for (const ListedContainer& container : *listed) {
    const auto application = container.labels.find(kApplicationLabel);
    if (application == container.labels.end() || !wanted.contains(application->second)) continue;
    absl::StatusOr<std::optional<v1::GenerationFacts>> facts = LookAtContainer(container, depth, &engine_);
    if (!facts.ok()) return facts.status();
    if (facts->has_value()) all.push_back(**std::move(facts));
  }
  absl::c_stable_sort(all, [](const v1::GenerationFacts& a, const v1::GenerationFacts& b) {
    return std::tie(a.application_id(), a.generation_id(), a.location()) <
           std::tie(b.application_id(), b.generation_id(), b.location());
  });
  return all;
}

absl::StatusOr<std::vector<v1::VolumeFacts>> DockerHost::Volumes(const std::vector<std::string>& application_ids) {
  if (absl::Status fit = CheckIds(application_ids); !fit.ok()) return fit;
  if (application_ids.empty()) return std::vector<v1::VolumeFacts>();
  // Not by label: one that was made anew has our name and no label.
  absl::StatusOr<std::vector<VolumeAnswer>> volumes = engine_.Volumes();
  if (!volumes.ok()) return volumes.status();
  std::map<std::string, const VolumeAnswer*> by_name;
  for (const VolumeAnswer& volume : *volumes) by_name[volume.name] = &volume;
  std::map<std::string, v1::VolumeFacts> found;
  for (const std::string& id : application_ids) {
    const auto volume = by_name.find(VolumeName(id));
    if (volume != by_name.end()) found[id] = LookAtVolume(*volume->second, id);
  }
  std::vector<v1::VolumeFacts> all;
  all.reserve(found.size());
  for (auto& [id, facts] : found) all.push_back(std::move(facts));
  return all;
}

absl::StatusOr<std::string> DockerHost::CreateVolume(const std::string& application_id,
                                                     const std::string& operation_id) {
  if (absl::Status fit = CheckId("application id", application_id); !fit.ok()) return fit;
  const std::string name = VolumeName(application_id);
  absl::StatusOr<VolumeAnswer> there = engine_.Volume(name);
  if (there.ok()) return absl::AlreadyExistsError(absl::StrCat("there is already a volume ", name));
  if (!absl::IsNotFound(there.status())) return there.status();
  const std::string instance = base::NewUuid();
  absl::StatusOr<VolumeAnswer> made = engine_.CreateVolume(
      name, {{kApplicationLabel, application_id}, {kOperationLabel, operation_id}, {kInstanceLabel, instance}});
  if (absl::IsInternal(made.status())) {
    // The engine said that it failed; whether something was left is for the next look.
    return absl::UnknownError(made.status().message());
  }
  if (!made.ok()) return made.status();
  // The engine answers alike when another one made it first.
  if (made->labels[kInstanceLabel] != instance) {
    return absl::AlreadyExistsError(absl::StrCat("somebody else made volume ", name, " at the same time"));
  }
  return instance;
}

absl::Status DockerHost::AfterFailedCreate(const ApplicationFolder& application, const std::string& generation_id,
                                           const absl::Status& failure) {
  absl::Status answer = failure;
  if (absl::IsInternal(failure)) {
    const absl::StatusOr<ContainerAnswer> there = engine_.Container(ContainerName(generation_id));
    if (!absl::IsNotFound(there.status())) return absl::UnknownError(failure.message());
    answer = absl::FailedPreconditionError(failure.message());
  }
  // What it mounts may be needed by a container that came to be after all.
  if (absl::IsUnknown(answer) || absl::IsAlreadyExists(answer)) return answer;
  if (absl::IsNotFound(answer)) answer = absl::FailedPreconditionError(answer.message());
  if (absl::Status buried = BuryMounts(application, generation_id); !buried.ok()) {
    return absl::Status(answer.code(), absl::StrCat(answer.message(), "; and ", buried.message()));
  }
  return answer;
}

// A removal that is cut off after its request is not asked for again: the next look sees no generation. What it left is
// found here, before another is made.
absl::Status DockerHost::BuryLeftovers(const ApplicationFolder& application, const std::string& application_id) {
  absl::StatusOr<std::vector<ListedContainer>> listed =
      engine_.Containers({absl::StrCat(kApplicationLabel, "=", application_id)});
  if (!listed.ok()) return listed.status();
  std::set<std::string> mounted;
  for (const ListedContainer& container : *listed) {
    const auto generation = container.labels.find(kGenerationLabel);
    if (generation != container.labels.end()) mounted.insert(generation->second);
  }
  return BuryMountsBut(application, mounted);
}

absl::Status DockerHost::Create(const GenerationSpec& spec) {
  absl::StatusOr<ApplicationFolder> application = ApplicationFolder::Of(options_.root, spec.application_id);
  if (!application.ok()) return application.status();
  if (absl::Status fit = CheckSpec(spec); !fit.ok()) return fit;
  if (spec.memory_mib == 0 || spec.pids_limit == 0) {
    return absl::InvalidArgumentError("a container needs a limit of memory and of threads");
  }
  absl::StatusOr<fs::FileLock> lock = LockApplication(*application);
  if (!lock.ok()) return lock.status();
  if (absl::Status absent = CheckAbsent(spec.generation_id, &engine_); !absent.ok()) return absent;
  if (absl::Status fit = CheckVolume(spec.application_id, spec.volume_instance, &engine_); !fit.ok()) return fit;
  absl::StatusOr<std::vector<std::string>> entrypoint = CheckImage(spec.runner_sha256, &engine_);
  if (!entrypoint.ok()) return entrypoint.status();
  if (absl::Status fit = CheckNetwork(spec.network_id, &engine_); !fit.ok()) return fit;
  if (absl::Status fit = CheckEngine(&engine_); !fit.ok()) return fit;
  if (absl::Status buried = BuryLeftovers(*application, spec.application_id); !buried.ok()) return buried;
  if (absl::Status built = BuildMounts(*application, spec, options_.user); !built.ok()) return built;
  const ContainerShape shape = ShapeOf(spec, application->generation(spec.generation_id),
                                       absl::StrCat(options_.user.uid, ":", options_.user.gid), *entrypoint);
  absl::StatusOr<std::string> id = engine_.CreateContainer(ContainerName(spec.generation_id), CreateRequest(shape));
  if (!id.ok()) return AfterFailedCreate(*application, spec.generation_id, id.status());
  // A volume that went away meanwhile was made anew, empty and without labels, by that very request.
  absl::Status fit = CheckVolume(spec.application_id, spec.volume_instance, &engine_);
  if (fit.ok()) return fit;
  if (!absl::IsFailedPrecondition(fit)) {
    return absl::UnknownError(
        absl::StrCat("container ", *id, " was made, but its volume could not be looked at again: ", fit.message()));
  }
  if (absl::Status removed = engine_.Remove(*id); !removed.ok()) {
    return absl::UnknownError(absl::StrCat(fit.message(), "; and container ", *id,
                                           ", which was made with it, is still there: ", removed.message()));
  }
  return AfterFailedCreate(*application, spec.generation_id, fit);
}

absl::StatusOr<ContainerAnswer> DockerHost::Find(const std::string& application_id, const std::string& generation_id) {
  if (absl::Status fit = CheckId("generation id", generation_id); !fit.ok()) return fit;
  absl::StatusOr<std::vector<ListedContainer>> listed = engine_.Containers(
      {absl::StrCat(kApplicationLabel, "=", application_id), absl::StrCat(kGenerationLabel, "=", generation_id)});
  if (!listed.ok()) return listed.status();
  if (listed->empty()) {
    return absl::NotFoundError(
        absl::StrCat("there is no container of generation ", generation_id, " of ", application_id));
  }
  if (listed->size() > 1) {
    return absl::FailedPreconditionError(absl::StrCat(
        "generation ", generation_id, " has more than one container: ", (*listed)[0].id, ", ", (*listed)[1].id));
  }
  absl::StatusOr<ContainerAnswer> container = engine_.Container(listed->front().id);
  if (!container.ok()) return container.status();
  if (absl::Status ours = CheckEvidence(*container); !ours.ok()) {
    return absl::FailedPreconditionError(absl::StrCat("container ", container->id, ": ", ours.message()));
  }
  return container;
}

absl::Status DockerHost::AfterFailedStart(const std::string& id, const absl::Status& failure) {
  // 404 is also said of a network that is gone.
  if (!absl::IsInternal(failure) && !absl::IsNotFound(failure)) return failure;
  absl::StatusOr<ContainerAnswer> now = engine_.Container(id);
  if (absl::IsNotFound(now.status())) return now.status();
  if (!now.ok() || IsRunning(now->state)) return absl::UnknownError(failure.message());
  return absl::FailedPreconditionError(failure.message());
}

absl::Status DockerHost::Start(const std::string& application_id, const std::string& generation_id) {
  absl::StatusOr<ApplicationFolder> application = ApplicationFolder::Of(options_.root, application_id);
  if (!application.ok()) return application.status();
  absl::StatusOr<ContainerAnswer> container = Find(application_id, generation_id);
  if (!container.ok()) return container.status();
  absl::StatusOr<fs::FileLock> lock = LockApplication(*application);
  if (!lock.ok()) return lock.status();
  if (IsRunning(container->state)) {
    return absl::FailedPreconditionError(
        absl::StrCat("generation ", generation_id, " is already running as container ", container->id));
  }
  absl::StatusOr<std::string> plan = MountedPlanSha256(*container);
  if (!plan.ok()) return absl::FailedPreconditionError(plan.status().message());
  if (*plan != container->labels[kPlanLabel]) {
    return absl::FailedPreconditionError(
        absl::StrCat("the record plan that container ", container->id, " mounts was changed after it was made"));
  }
  absl::Status fit = CheckVolume(application_id, container->labels[kVolumeInstanceLabel], &engine_);
  if (!fit.ok()) return fit;
  absl::Status started = engine_.Start(container->id);
  return started.ok() ? started : AfterFailedStart(container->id, started);
}

// By kill with SIGTERM: it sends that one signal and answers at once. The engine's own stop would wait for the end, and
// some versions kill when its client goes away before (Docker 23.0, 24.0) or when its time is up.
absl::Status DockerHost::Stop(const std::string& application_id, const std::string& generation_id) {
  if (absl::Status fit = CheckId("application id", application_id); !fit.ok()) return fit;
  absl::StatusOr<ContainerAnswer> container = Find(application_id, generation_id);
  if (!container.ok()) return container.status();
  if (!IsRunning(container->state)) return absl::OkStatus();
  if (container->state != "running") {
    return absl::FailedPreconditionError(absl::StrCat("container ", container->id, " is ", container->state,
                                                      "; a runner that is to close must run (docker unpause)"));
  }
  absl::Status sent = engine_.Terminate(container->id);
  if (absl::IsFailedPrecondition(sent)) {
    absl::StatusOr<ContainerAnswer> again = Find(application_id, generation_id);
    if (again.ok() && !IsRunning(again->state)) return absl::OkStatus();
  }
  return absl::IsInternal(sent) ? absl::UnknownError(sent.message()) : sent;
}

absl::Status DockerHost::Remove(const std::string& application_id, const std::string& generation_id) {
  absl::StatusOr<ApplicationFolder> application = ApplicationFolder::Of(options_.root, application_id);
  if (!application.ok()) return application.status();
  absl::StatusOr<ContainerAnswer> container = Find(application_id, generation_id);
  if (!container.ok() && !absl::IsNotFound(container.status())) return container.status();
  absl::StatusOr<fs::FileLock> lock = LockApplication(*application);
  if (!lock.ok()) return lock.status();
  if (!container.ok()) {
    // What a removal that was cut off left behind holds secrets.
    const absl::Status buried = BuryMounts(*application, generation_id);
    return buried.ok() ? container.status() : buried;
  }
  if (IsRunning(container->state)) {
    return absl::FailedPreconditionError(absl::StrCat("generation ", generation_id, " is running; stop it first"));
  }
  absl::Status removed = engine_.Remove(container->id);
  if (absl::IsFailedPrecondition(removed)) {
    // Perhaps as an earlier removal is under way.
    absl::StatusOr<ContainerAnswer> again = Find(application_id, generation_id);
    if (absl::IsNotFound(again.status()) || (again.ok() && again->state == "removing")) removed = absl::OkStatus();
  }
  if (absl::IsInternal(removed)) return absl::UnknownError(removed.message());
  if (!removed.ok()) return removed;
  if (absl::Status buried = BuryMounts(*application, generation_id); !buried.ok()) {
    return absl::UnknownError(absl::StrCat("the container is gone, but not what it mounted: ", buried.message()));
  }
  return absl::OkStatus();
}

}  // namespace

ContainerUser DefaultContainerUser() {
  if (geteuid() == 0) return {kImageUser, kImageUser};
  return {geteuid(), getegid()};
}

std::unique_ptr<RunnerHost> OpenDockerHost(DockerOptions options) {
  // The engine takes no relative path to mount.
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(options.root, error);
  if (!error) options.root = absolute.string();
  return std::make_unique<DockerHost>(std::move(options));
}

absl::StatusOr<std::string> DockerSocket() {
  const char* variable = std::getenv("DOCKER_HOST");  // NOLINT(concurrency-mt-unsafe): nobody sets variables
  const std::string_view value = variable == nullptr ? "" : variable;
  std::string_view host = value;
  if (host.empty()) return std::string(kDefaultSocket);
  if (absl::ConsumePrefix(&host, "unix://") && absl::StartsWith(host, "/")) return std::string(host);
  const std::string shown = diag::Visible(value, 200);
  const size_t scheme = shown.find("://");
  return absl::InvalidArgumentError(absl::StrCat(
      "DOCKER_HOST is ", shown, ": ",
      scheme == std::string::npos ? "it names no scheme"
                                  : absl::StrCat("`", shown.substr(0, scheme), "` with that address cannot be used"),
      "; these tools reach an engine on this machine, by unix:// and the absolute path of its socket"));
}

std::string DefaultDockerRoot() { return fs::JoinPath(fs::StateFolder(), "docker"); }

}  // namespace st::host
