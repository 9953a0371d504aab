#include "lib/host/engine.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/diag/diag.h"
#include "lib/host/tar_file.h"

namespace st::host {
namespace {

using nlohmann::json;

constexpr size_t kMaxAnswer = size_t{4} << 20;
// A thousand containers have about 2 MB.
constexpr size_t kMaxList = size_t{64} << 20;
// A status names each partition.
constexpr size_t kMaxFile = size_t{64} << 20;

std::string Words(const EngineAnswer& answer) {
  return absl::StrCat("the Docker engine says: ", ReadMessage(answer.body), " (", answer.status, ")");
}

absl::Status Refused(const EngineAnswer& answer) {
  if (answer.status == 404) return absl::NotFoundError(Words(answer));
  return absl::FailedPreconditionError(Words(answer));
}

absl::Status WriteError(const EngineAnswer& answer) {
  if (answer.status >= 500) return absl::InternalError(Words(answer));
  return Refused(answer);
}

// It was done, whatever the answer looks like.
absl::Status NotUnderstood(std::string_view what, const absl::Status& why) {
  return absl::UnknownError(absl::StrCat(what, " was done, but its answer cannot be used: ", why.message()));
}

bool Is2xx(const EngineAnswer& answer) { return answer.status >= 200 && answer.status < 300; }

}  // namespace

absl::Status Engine::Negotiate() {
  if (!prefix_.empty()) return absl::OkStatus();
  EngineRequest request;
  request.target = "/version";
  request.max_answer_bytes = kMaxAnswer;
  absl::StatusOr<EngineAnswer> answer = socket_.Send(request);
  if (!answer.ok()) return answer.status();
  if (!Is2xx(*answer)) return absl::UnavailableError(absl::StrCat(socket_.path(), ": ", Words(*answer)));
  absl::StatusOr<VersionAnswer> version = ReadVersion(answer->body);
  if (!version.ok()) return version.status();
  const ApiVersion chosen = std::min(version->newest, kNewestApi);
  const std::string engine = absl::StrCat("Docker ", diag::Visible(version->engine, 40), " at ", socket_.path());
  if (chosen < kOldestApi) {
    return absl::FailedPreconditionError(absl::StrCat(engine, " speaks API ", version->newest.Text(),
                                                      " at most; these tools need ", kOldestApi.Text(),
                                                      " (Docker 20.10) or newer: update it"));
  }
  if (chosen < version->oldest) {
    return absl::FailedPreconditionError(absl::StrCat(engine, " speaks API ", version->oldest.Text(),
                                                      " and newer; these tools know ", kNewestApi.Text(),
                                                      " at most: take newer tools"));
  }
  prefix_ = absl::StrCat("/v", chosen.Text());
  return absl::OkStatus();
}

absl::StatusOr<std::string> Engine::Ask(std::string_view target, size_t max_bytes) {
  if (absl::Status negotiated = Negotiate(); !negotiated.ok()) return negotiated;
  EngineRequest request;
  request.target = absl::StrCat(prefix_, target);
  request.max_answer_bytes = max_bytes;
  absl::StatusOr<EngineAnswer> answer = socket_.Send(request);
  if (!answer.ok()) return answer.status();
  if (Is2xx(*answer)) return std::move(answer->body);
  if (answer->status >= 500) return absl::UnavailableError(Words(*answer));
  return Refused(*answer);
}

absl::StatusOr<EngineAnswer> Engine::Write(std::string_view method, std::string_view target, std::string body) {
  if (absl::Status negotiated = Negotiate(); !negotiated.ok()) return negotiated;
  EngineRequest request;
  request.method = method;
  request.target = absl::StrCat(prefix_, target);
  request.body = std::move(body);
  if (!request.body.empty()) request.content_type = "application/json";
  request.max_answer_bytes = kMaxAnswer;
  return socket_.Send(request);
}

absl::StatusOr<InfoAnswer> Engine::Info() {
  absl::StatusOr<std::string> body = Ask("/info", kMaxAnswer);
  if (!body.ok()) return body.status();
  return ReadInfo(*body);
}

absl::StatusOr<ImageAnswer> Engine::Image(std::string_view id) {
  absl::StatusOr<std::string> body = Ask(absl::StrCat("/images/", EscapeForTarget(id), "/json"), kMaxAnswer);
  if (!body.ok()) return body.status();
  return ReadImage(*body);
}

absl::StatusOr<NetworkAnswer> Engine::Network(std::string_view id_or_name) {
  absl::StatusOr<std::string> body = Ask(absl::StrCat("/networks/", EscapeForTarget(id_or_name)), kMaxAnswer);
  if (!body.ok()) return body.status();
  return ReadNetwork(*body);
}

absl::StatusOr<std::vector<VolumeAnswer>> Engine::Volumes() {
  absl::StatusOr<std::string> body = Ask("/volumes", kMaxList);
  if (!body.ok()) return body.status();
  return ReadVolumes(*body);
}

absl::StatusOr<VolumeAnswer> Engine::Volume(std::string_view name) {
  absl::StatusOr<std::string> body = Ask(absl::StrCat("/volumes/", EscapeForTarget(name)), kMaxAnswer);
  if (!body.ok()) return body.status();
  return ReadVolume(*body);
}

absl::StatusOr<std::vector<ListedContainer>> Engine::Containers(const std::vector<std::string>& labels) {
  const json filters = {{"label", labels}};
  const std::string text = filters.dump(-1, ' ', false, json::error_handler_t::replace);
  absl::StatusOr<std::string> body =
      Ask(absl::StrCat("/containers/json?all=1&filters=", EscapeForTarget(text)), kMaxList);
  if (!body.ok()) return body.status();
  return ReadContainers(*body);
}

absl::StatusOr<ContainerAnswer> Engine::Container(std::string_view id_or_name) {
  absl::StatusOr<std::string> body =
      Ask(absl::StrCat("/containers/", EscapeForTarget(id_or_name), "/json"), kMaxAnswer);
  if (!body.ok()) return body.status();
  return ReadContainer(*body);
}

absl::StatusOr<std::string> Engine::File(std::string_view id, std::string_view path) {
  absl::StatusOr<std::string> body =
      Ask(absl::StrCat("/containers/", EscapeForTarget(id), "/archive?path=", EscapeForTarget(path)), kMaxFile);
  if (!body.ok()) return body.status();
  return ReadTarFile(*body);
}

absl::StatusOr<VolumeAnswer> Engine::CreateVolume(const std::string& name,
                                                  const std::map<std::string, std::string>& labels) {
  const json request = {{"Name", name}, {"Driver", "local"}, {"Labels", labels}};
  absl::StatusOr<EngineAnswer> answer =
      Write("POST", "/volumes/create", request.dump(-1, ' ', false, json::error_handler_t::replace));
  if (!answer.ok()) return answer.status();
  if (answer->status == 409) return absl::AlreadyExistsError(Words(*answer));
  if (!Is2xx(*answer)) return WriteError(*answer);
  absl::StatusOr<VolumeAnswer> volume = ReadVolume(answer->body);
  return volume.ok() ? volume : NotUnderstood("the creation of a volume", volume.status());
}

absl::StatusOr<std::string> Engine::CreateContainer(std::string_view name, std::string request) {
  absl::StatusOr<EngineAnswer> answer =
      Write("POST", absl::StrCat("/containers/create?name=", EscapeForTarget(name)), std::move(request));
  if (!answer.ok()) return answer.status();
  if (answer->status == 409) return absl::AlreadyExistsError(Words(*answer));
  if (!Is2xx(*answer)) return WriteError(*answer);
  absl::StatusOr<std::string> id = ReadCreated(answer->body);
  return id.ok() ? id : NotUnderstood("the creation of a container", id.status());
}

absl::Status Engine::Start(std::string_view id) {
  absl::StatusOr<EngineAnswer> answer = Write("POST", absl::StrCat("/containers/", EscapeForTarget(id), "/start"), "");
  if (!answer.ok()) return answer.status();
  if (answer->status == 304) return absl::FailedPreconditionError("the container is already running");
  return Is2xx(*answer) ? absl::OkStatus() : WriteError(*answer);
}

absl::Status Engine::Terminate(std::string_view id) {
  absl::StatusOr<EngineAnswer> answer =
      Write("POST", absl::StrCat("/containers/", EscapeForTarget(id), "/kill?signal=SIGTERM"), "");
  if (!answer.ok()) return answer.status();
  return Is2xx(*answer) ? absl::OkStatus() : WriteError(*answer);
}

absl::Status Engine::Remove(std::string_view id) {
  absl::StatusOr<EngineAnswer> answer =
      Write("DELETE", absl::StrCat("/containers/", EscapeForTarget(id), "?force=false&v=false"), "");
  if (!answer.ok()) return answer.status();
  return Is2xx(*answer) ? absl::OkStatus() : WriteError(*answer);
}

}  // namespace st::host
