#include "lib/host/engine_answers.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "lib/diag/diag.h"
#include "lib/host/answer_fields.h"

namespace st::host {
namespace {

using nlohmann::json;

// Reads one object by `read(fields)`, or says what was wrong with it.
template <typename Answer, typename Read>
absl::StatusOr<Answer> ReadObject(std::string_view text, const char* what, Read read) {
  absl::StatusOr<json> value = ParseJson(text, what);
  if (!value.ok()) return value.status();
  absl::Status status;
  Fields fields(*value, what, &status);
  Answer answer = read(fields, &status);
  if (!status.ok()) return status;
  return answer;
}

void Refuse(std::string_view field, std::string_view what, absl::Status* status) {
  if (status->ok()) *status = absl::DataLossError(absl::StrCat("the engine's answer: `", field, "` ", what));
}

ApiVersion VersionOf(const std::string& text, std::string_view field, absl::Status* status) {
  const std::vector<std::string_view> parts = absl::StrSplit(text, '.');
  ApiVersion version;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &version.major) || !absl::SimpleAtoi(parts[1], &version.minor)) {
    Refuse(field, "is no API version", status);
  }
  return version;
}

bool IsHexId(std::string_view id) {
  if (id.size() != 64) return false;
  for (const char c : id) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c)) && (c < 'a' || c > 'f')) return false;
  }
  return true;
}

std::string IdOf(Fields fields, const char* what, absl::Status* status) {
  std::string id = fields.String("Id");
  if (!IsHexId(id)) Refuse(absl::StrCat(what, ".Id"), "is no id", status);
  return id;
}

// The engine writes year 1 for "never".
int64_t TimeOf(Fields fields, const char* name, absl::Status* status) {
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, fields.String(name), &time, &error)) {
    Refuse(absl::StrCat("container.State.", name), "is no time", status);
    return 0;
  }
  return std::max<int64_t>(0, absl::ToUnixMillis(time));
}

VolumeAnswer VolumeOf(Fields fields) { return {fields.String("Name"), fields.MapOrNone("Labels")}; }

ListedContainer ListedOf(Fields fields, absl::Status* status) {
  ListedContainer one;
  one.id = IdOf(fields, "containers[]", status);
  one.image_id = fields.String("ImageID");
  one.state = fields.String("State");
  one.network = fields.Object("HostConfig").String("NetworkMode");
  one.labels = fields.Map("Labels");
  for (Fields& mount : fields.Objects("Mounts")) {
    if (mount.String("Type") == "bind") one.sources[mount.String("Destination")] = mount.String("Source");
  }
  return one;
}

}  // namespace

std::string ApiVersion::Text() const { return absl::StrCat(major, ".", minor); }

absl::StatusOr<VersionAnswer> ReadVersion(std::string_view text) {
  return ReadObject<VersionAnswer>(text, "version", [](Fields& fields, absl::Status* status) {
    VersionAnswer answer;
    answer.engine = fields.String("Version");
    answer.newest = VersionOf(fields.String("ApiVersion"), "version.ApiVersion", status);
    answer.oldest = VersionOf(fields.String("MinAPIVersion"), "version.MinAPIVersion", status);
    return answer;
  });
}

absl::StatusOr<InfoAnswer> ReadInfo(std::string_view text) {
  return ReadObject<InfoAnswer>(text, "info", [](Fields& fields, absl::Status* status) {
    InfoAnswer answer;
    answer.id = fields.String("ID");
    if (answer.id.empty()) Refuse("info.ID", "is empty", status);
    answer.limits_memory = fields.Bool("MemoryLimit");
    answer.limits_pids = fields.Bool("PidsLimit");
    answer.security_options = fields.StringsOrNone("SecurityOptions");
    return answer;
  });
}

absl::StatusOr<ImageAnswer> ReadImage(std::string_view text) {
  return ReadObject<ImageAnswer>(text, "image", [](Fields& fields, absl::Status*) {
    ImageAnswer answer;
    answer.id = fields.String("Id");
    if (!fields.Has("Config")) return answer;
    Fields config = fields.Object("Config");
    answer.entrypoint = config.StringsOrNone("Entrypoint");
    answer.labels = config.MapOrNone("Labels");
    return answer;
  });
}

absl::StatusOr<NetworkAnswer> ReadNetwork(std::string_view text) {
  return ReadObject<NetworkAnswer>(text, "network", [](Fields& fields, absl::Status* status) {
    NetworkAnswer answer;
    answer.id = IdOf(fields, "network", status);
    answer.name = fields.String("Name");
    answer.driver = fields.String("Driver");
    return answer;
  });
}

absl::StatusOr<VolumeAnswer> ReadVolume(std::string_view text) {
  return ReadObject<VolumeAnswer>(text, "volume", [](Fields& fields, absl::Status*) { return VolumeOf(fields); });
}

absl::StatusOr<std::vector<VolumeAnswer>> ReadVolumes(std::string_view text) {
  return ReadObject<std::vector<VolumeAnswer>>(text, "volumes", [](Fields& fields, absl::Status*) {
    std::vector<VolumeAnswer> all;
    for (Fields& volume : fields.ObjectsOrNone("Volumes")) all.push_back(VolumeOf(volume));
    return all;
  });
}

absl::StatusOr<std::vector<ListedContainer>> ReadContainers(std::string_view text) {
  absl::StatusOr<json> value = ParseJson(text, "containers");
  if (!value.ok()) return value.status();
  if (!value->is_array()) return absl::DataLossError("the engine's answer: `containers` is no array");
  std::vector<ListedContainer> all;
  absl::Status status;
  for (const json& one : *value) {
    all.push_back(ListedOf(Fields(one, absl::StrCat("containers[", all.size(), "]"), &status), &status));
    if (!status.ok()) return status;
  }
  return all;
}

absl::StatusOr<ContainerAnswer> ReadContainer(std::string_view text) {
  return ReadObject<ContainerAnswer>(text, "container", [](Fields& fields, absl::Status* status) {
    ContainerAnswer answer;
    answer.id = IdOf(fields, "container", status);
    answer.image_id = fields.String("Image");
    Fields state = fields.Object("State");
    answer.state = state.String("Status");
    answer.exit_code = state.Int("ExitCode");
    answer.out_of_memory = state.Bool("OOMKilled");
    answer.error = state.String("Error");
    answer.started_at_ms = TimeOf(state, "StartedAt", status);
    answer.finished_at_ms = TimeOf(state, "FinishedAt", status);
    answer.labels = fields.Object("Config").MapOrNone("Labels");
    answer.shape = ReadShape(fields);
    return answer;
  });
}

absl::StatusOr<std::string> ReadCreated(std::string_view text) {
  return ReadObject<std::string>(text, "created",
                                 [](Fields& fields, absl::Status* status) { return IdOf(fields, "created", status); });
}

std::string ReadMessage(std::string_view text) {
  constexpr size_t kMaxMessage = 1000;
  absl::StatusOr<json> value = ParseJson(text, "an error");
  if (value.ok() && value->is_object()) {
    const auto message = value->find("message");
    if (message != value->end() && message->is_string()) {
      return diag::Visible(absl::StripAsciiWhitespace(message->get_ref<const std::string&>()), kMaxMessage);
    }
  }
  return text.empty() ? "no reason given" : diag::Visible(absl::StripAsciiWhitespace(text), kMaxMessage);
}

}  // namespace st::host
