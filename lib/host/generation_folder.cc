#include "lib/host/generation_folder.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/message.h"
#include "lib/base/digest.h"
#include "lib/diag/diag.h"
#include "lib/docio/docio.h"
#include "lib/fs/file.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::host {
namespace {

// Plans of thousands of columns have megabytes.
constexpr size_t kMaxDocument = size_t{64} << 20;
constexpr size_t kMaxId = 200;

}  // namespace

ApplicationFolder::ApplicationFolder(std::string path) : path_(std::move(path)) {}

absl::StatusOr<ApplicationFolder> ApplicationFolder::Of(const std::string& root, const std::string& application_id) {
  if (absl::Status fit = CheckId("application id", application_id); !fit.ok()) return fit;
  return ApplicationFolder(fs::JoinPath(root, application_id));
}

std::string ApplicationFolder::generations() const { return fs::JoinPath(path_, "generations"); }
std::string ApplicationFolder::generation(const std::string& id) const { return fs::JoinPath(generations(), id); }
std::string ApplicationFolder::building() const { return fs::JoinPath(path_, "building"); }
std::string ApplicationFolder::removed() const { return fs::JoinPath(path_, "removed"); }
std::string ApplicationFolder::volume() const { return fs::JoinPath(path_, "volume.textproto"); }
std::string ApplicationFolder::lock() const { return fs::JoinPath(path_, "lock"); }

GenerationFolder::GenerationFolder(std::string path) : path_(std::move(path)) {}

std::string GenerationFolder::labels() const { return fs::JoinPath(path_, "generation.textproto"); }
std::string GenerationFolder::start_mark() const { return fs::JoinPath(path_, "start.textproto"); }
std::string GenerationFolder::plan() const { return fs::JoinPath(path_, "plan.textproto"); }
std::string GenerationFolder::client_properties() const { return fs::JoinPath(path_, "client.properties"); }
std::string GenerationFolder::runner() const { return fs::JoinPath(path_, "st-runner"); }
std::string GenerationFolder::log() const { return fs::JoinPath(path_, "log"); }
std::string GenerationFolder::state() const { return fs::JoinPath(path_, "state"); }
std::string GenerationFolder::runner_lock() const { return fs::JoinPath(path_, "state/lock"); }
std::string GenerationFolder::identity() const { return fs::JoinPath(path_, "state/identity.textproto"); }
std::string GenerationFolder::status() const { return fs::JoinPath(path_, "state/status.textproto"); }

absl::Status CheckId(std::string_view what, std::string_view id) {
  bool plain = !id.empty() && id.size() <= kMaxId && id[0] != '.';
  for (char c : id) {
    plain = plain && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                      c == '_' || c == '-');
  }
  if (plain) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the ", what, " '", diag::Visible(id, kMaxId), "' must have 1 to ",
                                                 kMaxId,
                                                 " letters, digits, '.', '_' or '-', and not begin with a dot"));
}

absl::Status ReadDocument(const std::string& path, google::protobuf::Message* message) {
  absl::StatusOr<std::string> text = fs::ReadFile(path, kMaxDocument);
  if (!text.ok()) return text.status();
  diag::Diagnostics diagnostics;
  if (docio::Read(*text, path, docio::Trailer::kRequired, message, &diagnostics)) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(path, ": ", diagnostics.Sorted().front().text));
}

absl::StatusOr<std::string> PlanSha256(const GenerationFolder& folder) {
  v1::RecordPlan plan;
  if (absl::Status read = ReadDocument(folder.plan(), &plan); !read.ok()) return read;
  return base::Checksum(plan);
}

absl::Status EmptyFolder(const std::string& folder) {
  absl::StatusOr<std::vector<std::string>> names = fs::ListFolder(folder);
  if (absl::IsNotFound(names.status())) return absl::OkStatus();
  if (!names.ok()) return names.status();
  if (names->empty()) return absl::OkStatus();
  for (const std::string& name : *names) {
    std::error_code error;
    std::filesystem::remove_all(fs::JoinPath(folder, name), error);
    if (error) {
      return absl::UnavailableError(absl::StrCat(fs::JoinPath(folder, name), ": cannot remove it: ", error.message()));
    }
  }
  return fs::SyncFolder(folder);
}

}  // namespace st::host
