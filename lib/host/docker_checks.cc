#include "lib/host/docker_checks.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/diag/diag.h"
#include "lib/host/container_shape.h"
#include "lib/host/docker_inventory.h"

namespace st::host {
namespace {

constexpr char kBridge[] = "bridge";

}  // namespace

absl::Status CheckAbsent(const std::string& generation_id, Engine* engine) {
  absl::StatusOr<std::vector<ListedContainer>> listed =
      engine->Containers({absl::StrCat(kGenerationLabel, "=", generation_id)});
  if (!listed.ok()) return listed.status();
  if (!listed->empty()) {
    return absl::AlreadyExistsError(
        absl::StrCat("there is already a container of generation ", generation_id, ": ", listed->front().id));
  }
  absl::StatusOr<ContainerAnswer> named = engine->Container(ContainerName(generation_id));
  if (absl::IsNotFound(named.status())) return absl::OkStatus();
  if (!named.ok() && !absl::IsDataLoss(named.status())) return named.status();
  return absl::AlreadyExistsError(absl::StrCat("there is already a container ", ContainerName(generation_id)));
}

absl::Status CheckVolume(const std::string& application_id, const std::string& instance, Engine* engine) {
  const std::string name = VolumeName(application_id);
  absl::StatusOr<VolumeAnswer> volume = engine->Volume(name);
  if (!volume.ok() && !absl::IsNotFound(volume.status())) return volume.status();
  if (volume.ok()) {
    const v1::VolumeFacts facts = LookAtVolume(*volume, application_id);
    if (!facts.detail().empty()) return absl::FailedPreconditionError(facts.detail());
    if (facts.instance_id() == instance) return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("volume ", name, volume.ok() ? " is another than " : " is not there: the plan has ", instance));
}

absl::StatusOr<std::vector<std::string>> CheckImage(const std::string& image_id, Engine* engine) {
  absl::StatusOr<ImageAnswer> image = engine->Image(image_id);
  if (!image.ok() && !absl::IsNotFound(image.status())) return image.status();
  if (!image.ok() || image->id != image_id) {
    return absl::FailedPreconditionError(absl::StrCat("the engine has no image ", image_id,
                                                      "; load the one that the plan was made for (docker load -i "
                                                      "st-runner-image.tar), or plan again"));
  }
  if (image->entrypoint.empty()) {
    return absl::FailedPreconditionError(absl::StrCat("image ", image_id, " is no runner's: it starts nothing"));
  }
  return image->entrypoint;
}

absl::Status CheckNetwork(const std::string& network_id, Engine* engine) {
  absl::StatusOr<NetworkAnswer> network = engine->Network(network_id);
  if (!network.ok() && !absl::IsNotFound(network.status())) return network.status();
  if (!network.ok() || network->id != network_id) {
    return absl::FailedPreconditionError(
        absl::StrCat("the network ", network_id, " is gone; plan again, as one of the same name is another network"));
  }
  if (network->driver != kBridge) {
    return absl::FailedPreconditionError(absl::StrCat("network ", diag::Visible(network->name, 100), " is a ",
                                                      diag::Visible(network->driver, 40),
                                                      " network; a runner needs a bridge network"));
  }
  return absl::OkStatus();
}

absl::Status CheckEngine(Engine* engine) {
  absl::StatusOr<InfoAnswer> info = engine->Info();
  if (!info.ok()) return info.status();
  if (!info->limits_memory || !info->limits_pids) {
    return absl::FailedPreconditionError(absl::StrCat("this engine cannot limit a container's ",
                                                      info->limits_memory ? "threads" : "memory",
                                                      "; let its kernel have that cgroup controller"));
  }
  for (const std::string& option : info->security_options) {
    if (!absl::StrContains(option, "name=userns") && !absl::StrContains(option, "name=rootless")) continue;
    return absl::FailedPreconditionError(
        "this engine maps user ids (rootless, or userns-remap): a runner's user would be another one than the owner of "
        "its files, and could not read them");
  }
  return absl::OkStatus();
}

}  // namespace st::host
