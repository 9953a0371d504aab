#include <sys/stat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "lib/fs/file.h"
#include "lib/project/check.h"
#include "lib/project/folder.h"
#include "lib/project/merge.h"
#include "lib/project/places.h"
#include "lib/project/project.h"
#include "lib/project/sql_files.h"
#include "lib/project/text_reader.h"
#include "lib/project/yaml_mapper.h"
#include "schemas/st/v1/project.pb.h"

namespace st::project {
namespace {

constexpr std::string_view kDefaultEnvironment = "default";

// A status names its path; a diagnostic has it in front already.
std::string WithoutPath(std::string_view message, std::string_view path) {
  if (absl::ConsumePrefix(&message, path)) absl::ConsumePrefix(&message, ": ");
  return std::string(message);
}

class Loader {
 public:
  Loader(const Environment& process, diag::Diagnostics* diagnostics)
      : process_(process),
        diagnostics_(diagnostics),
        places_(std::make_shared<Positions::Impl>()),
        project_(std::make_shared<v1::Project>()),
        reading_{diagnostics, places_.get(), &variables_, {}} {}

  std::optional<Loaded> FromText(std::string_view text, std::string_view environment) {
    if (!environment.empty()) return NoEnvironments(environment, "-");
    variables_ = Variables::Load("", "", process_, diagnostics_);
    Take("-", Spelling::kTextproto, text, true);
    UniteProtected(&reading_, project_.get());
    return Finish("", std::string(kDefaultEnvironment));
  }

  std::optional<Loaded> FromFile(const std::string& path, std::string_view environment) {
    if (!environment.empty()) return NoEnvironments(environment, path);
    ProjectFile file{path, Spelling::kYaml};
    if (!SpellingOf(path, &file.spelling)) {
      diagnostics_->Error({path}, "FILE_UNREADABLE", "a declaration file ends in .yml, .yaml or .textproto",
                          "name a project's folder, or such a file");
      return std::nullopt;
    }
    const std::string folder = fs::Dirname(path);
    variables_ = Variables::Load(folder, "", process_, diagnostics_);
    if (!ReadFile(file, true)) return std::nullopt;
    UniteProtected(&reading_, project_.get());
    return Finish(folder, std::string(kDefaultEnvironment));
  }

  std::optional<Loaded> FromFolder(const std::string& folder, std::string_view wanted) {
    Listing listing;
    const int errors_before = diagnostics_->errors();
    if (!ListProject(folder, &listing, diagnostics_)) return std::nullopt;
    // Who knows what the file that cannot be read declares?
    complete_ = diagnostics_->errors() == errors_before;
    const EnvironmentFile* environment = nullptr;
    if (!Choose(listing, folder, wanted, &environment)) return std::nullopt;
    variables_ = Variables::Load(folder, environment == nullptr ? "" : environment->name, process_, diagnostics_);
    ReadFile(listing.main, true);
    for (const ProjectFile& file : listing.files) {
      if (!reading_.IsFull()) ReadFile(file, false);
    }
    UniteProtected(&reading_, project_.get());
    if (environment != nullptr) ReadEnvironment(environment->file);
    return Finish(folder, environment == nullptr ? std::string(kDefaultEnvironment) : environment->name);
  }

 private:
  std::optional<Loaded> NoEnvironments(std::string_view wanted, const std::string& path) {
    diagnostics_->Error({path}, "UNKNOWN_ENVIRONMENT",
                        absl::StrCat("`--env=", diag::Visible(wanted, 60), "`, but this project has no environments"),
                        "remove the flag, or write environments/<name>.yml beside stream_project.yml");
    return std::nullopt;
  }

  bool Choose(const Listing& listing, const std::string& folder, std::string_view wanted,
              const EnvironmentFile** environment) {
    std::vector<std::string_view> names;
    for (const EnvironmentFile& each : listing.environments) names.push_back(each.name);
    const std::string known = absl::StrJoin(names, ", ");
    const std::string path = Join(folder, "environments");
    if (listing.has_environments && names.empty() && !diagnostics_->HasErrors()) {
      diagnostics_->Error({path}, "UNKNOWN_ENVIRONMENT", "no environment is declared in this folder",
                          "write <name>.yml there, or remove the folder");
      return false;
    }
    if (wanted.empty() && names.size() > 1) {
      diagnostics_->Error({path}, "UNKNOWN_ENVIRONMENT", absl::StrCat("which environment? There are ", known),
                          absl::StrCat("choose one, for example --env=", names[0]));
      return false;
    }
    if (names.empty()) {
      if (!wanted.empty()) NoEnvironments(wanted, folder);
      return wanted.empty() && !listing.has_environments;
    }
    for (const EnvironmentFile& each : listing.environments) {
      if (wanted.empty() || each.name == wanted) *environment = &each;
    }
    if (*environment != nullptr) return true;
    diagnostics_->Error({path}, "UNKNOWN_ENVIRONMENT",
                        absl::StrCat("there is no environment `", diag::Visible(wanted, 60), "`"),
                        absl::StrCat("choose one of ", known));
    return false;
  }

  bool ReadBytes(const ProjectFile& file, std::string* text) {
    absl::StatusOr<std::string> read = fs::ReadFile(file.path, kMaxFileBytes);
    if (!read.ok()) {
      complete_ = false;
      const bool large = absl::IsResourceExhausted(read.status());
      std::string_view code = large ? "FILE_TOO_LARGE" : "FILE_UNREADABLE";
      if (absl::IsUnavailable(read.status())) code = diag::kReadFailed;
      diagnostics_->Error({file.path}, code, WithoutPath(read.status().message(), file.path), large ? "split it" : "");
      return false;
    }
    *text = *std::move(read);
    return true;
  }

  bool ReadFile(const ProjectFile& file, bool is_main) {
    std::string text;
    if (!ReadBytes(file, &text)) return false;
    Take(file.path, file.spelling, text, is_main);
    return true;
  }

  void Take(const std::string& path, Spelling spelling, std::string_view text, bool is_main) {
    auto part = std::make_unique<v1::Project>();
    const uint32_t file = places_->AddFile(path);
    if (!Parse(file, spelling, text, part.get())) complete_ = false;
    if (is_main) places_->Add(*project_, 0, -1, {file, 1, 1}, false);
    MergePart(part.get(), is_main, &reading_, project_.get());
    places_->Keep(std::move(part));
  }

  void ReadEnvironment(const ProjectFile& file) {
    std::string text;
    if (!ReadBytes(file, &text)) return;
    auto environment = std::make_unique<v1::Environment>();
    if (!Parse(places_->AddFile(file.path), file.spelling, text, environment.get())) complete_ = false;
    UniteProtected(&reading_, environment.get());
    ApplyEnvironment(*environment, &reading_, project_.get());
    places_->Keep(std::move(environment));
  }

  bool Parse(uint32_t file, Spelling spelling, std::string_view text, google::protobuf::Message* message) {
    if (spelling == Spelling::kTextproto) return ReadTextproto(text, file, &reading_, message);
    const std::string& path = places_->FileName(file);
    if (const size_t bad = diag::FindNotUtf8(text); bad != std::string_view::npos) {
      diagnostics_->Error(diag::Locate(path, text, bad), "NOT_UTF8", "this byte is not UTF-8",
                          "save the file as UTF-8");
      return false;
    }
    YamlTree tree;
    if (!tree.Parse(text, path, diagnostics_)) return false;
    MapYaml(tree, file, &reading_, message);
    return true;
  }

  std::optional<Loaded> Finish(std::string folder, std::string environment) {
    if (reading_.IsFull()) {
      diagnostics_->Error({folder.empty() ? "-" : folder}, "TOO_MANY",
                          absl::StrCat("there are ", kMaxFindings, " errors or more; looking for others was given up"),
                          "mend these first");
      return std::nullopt;
    }
    if (!ReadSqlFiles(folder, &reading_, project_.get())) complete_ = false;
    Positions positions(places_);
    CheckForm(*project_, positions, environment, complete_, diagnostics_);
    return Loaded{project_, std::move(positions), std::move(environment), std::move(folder), complete_};
  }

  const Environment& process_;
  diag::Diagnostics* diagnostics_;
  std::shared_ptr<Positions::Impl> places_;
  std::shared_ptr<v1::Project> project_;
  Variables variables_;
  Reading reading_;
  bool complete_ = true;
};

}  // namespace

std::optional<Loaded> Load(const std::string& path, std::string_view stdin_text, std::string_view environment,
                           const Environment& process, diag::Diagnostics* diagnostics) {
  Loader loader(process, diagnostics);
  if (path == "-") return loader.FromText(stdin_text, environment);
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    diagnostics->Error({path}, "FILE_UNREADABLE", "there is no such file or folder", "name a project's folder or file");
    return std::nullopt;
  }
  if (!S_ISDIR(info.st_mode)) return loader.FromFile(path, environment);
  std::string folder = path;
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return loader.FromFolder(folder, environment);
}

}  // namespace st::project
