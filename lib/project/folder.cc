#include "lib/project/folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/fs/file.h"
#include "lib/project/names.h"

namespace st::project {
namespace {

constexpr std::string_view kUnreadable = "FILE_UNREADABLE";
constexpr std::array<std::string_view, 3> kEnds = {".yml", ".yaml", ".textproto"};
constexpr std::array<std::string_view, 4> kSections = {"sources", "models", "exposures", "tests"};

std::string_view EndOf(std::string_view path) {
  for (const std::string_view end : kEnds) {
    if (path.size() > end.size() && absl::EndsWith(path, end)) return end;
  }
  return {};
}

class Lister {
 public:
  explicit Lister(diag::Diagnostics* diagnostics) : diagnostics_(diagnostics) {}

  void Skip(std::string real_folder) { seen_.insert(std::move(real_folder)); }

  // Adds the declaration files below `folder`, which must exist.
  void Walk(const std::string& folder, int depth, std::vector<ProjectFile>* files) {
    const absl::StatusOr<std::string> real = fs::RealPath(folder);
    if (!real.ok()) {
      Unreadable(folder, std::string(real.status().message()));
      return;
    }
    // A link back up, or two links to one folder: each file counts once.
    if (!seen_.insert(*real).second) return;
    if (depth > kMaxFolderNesting) {
      Unreadable(folder, absl::StrCat("folders are nested over ", kMaxFolderNesting, " deep"));
      return;
    }
    const absl::StatusOr<std::vector<std::string>> names = fs::ListFolder(folder);
    if (!names.ok()) {
      Unreadable(folder, std::string(names.status().message()),
                 absl::IsUnavailable(names.status()) ? diag::kReadFailed : kUnreadable);
      return;
    }
    for (const std::string& name : *names) {
      if (!absl::StartsWith(name, ".")) Entry(Join(folder, name), depth, files);
    }
  }

 private:
  void Entry(const std::string& path, int depth, std::vector<ProjectFile>* files) {
    ProjectFile file{path, Spelling::kYaml};
    const bool declares = SpellingOf(path, &file.spelling);
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) {
      // A dangling link, or a loop of links. Nobody misses one that declares nothing.
      if (declares) Unreadable(path, "cannot be read: it is a link that leads nowhere, or went away just now");
      return;
    }
    if (S_ISDIR(info.st_mode)) {
      if (declares) {
        Unreadable(path, "is a folder, and has the name of a declaration file");
      } else {
        Walk(path, depth + 1, files);
      }
      return;
    }
    if (declares) files->push_back(std::move(file));
  }

  void Unreadable(const std::string& path, std::string text, std::string_view code = kUnreadable) {
    diagnostics_->Error({path}, code, std::move(text));
  }

  diag::Diagnostics* diagnostics_;
  std::set<std::string> seen_;
};

enum class Kind { kNone, kFolder, kFile };

Kind KindOf(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return Kind::kNone;
  if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return Kind::kFolder;
  return Kind::kFile;
}

// The folder when it is there and is one.
bool HasFolder(const std::string& path, diag::Diagnostics* diagnostics) {
  const Kind kind = KindOf(path);
  if (kind == Kind::kFile) diagnostics->Error({path}, kUnreadable, "must be a folder, and is none");
  return kind == Kind::kFolder;
}

bool FindMain(const std::string& folder, Listing* listing, diag::Diagnostics* diagnostics) {
  std::vector<std::string> found;
  for (const std::string_view end : kEnds) {
    const std::string path = Join(folder, absl::StrCat("stream_project", end));
    if (KindOf(path) != Kind::kNone) found.push_back(path);
  }
  if (found.empty()) {
    const bool dbt = KindOf(Join(folder, "dbt_project.yml")) != Kind::kNone;
    diagnostics->Error({folder}, "NO_PROJECT", "no stream_project.yml stands in this folder",
                       dbt ? "a dbt_project.yml is not read; write a stream_project.yml beside it"
                           : "name the project's folder, or write a stream_project.yml");
    return false;
  }
  if (found.size() > 1) {
    diagnostics->Error({found[1]}, "DUPLICATE_FILE", absl::StrCat("the project has ", found[0], " already"),
                       "keep one of them");
  }
  listing->main.path = found[0];
  return SpellingOf(found[0], &listing->main.spelling);
}

void ListEnvironments(const std::string& folder, Lister* lister, Listing* listing, diag::Diagnostics* diagnostics) {
  std::vector<ProjectFile> files;
  lister->Walk(folder, 0, &files);
  for (ProjectFile& file : files) {
    const size_t slash = file.path.rfind('/');
    std::string name = file.path.substr(slash == std::string::npos ? 0 : slash + 1);
    name.resize(name.size() - EndOf(name).size());
    if (!IsName(name, NameKind::kDashed)) {
      diagnostics->Error({file.path}, "BAD_NAME",
                         absl::StrCat("`", diag::Visible(name, 60), "` is no name for an environment"),
                         std::string(NameRule(NameKind::kDashed)));
      continue;
    }
    listing->environments.push_back({std::move(name), std::move(file)});
  }
  auto& all = listing->environments;
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  for (size_t i = 1; i < all.size();) {
    if (all[i].name != all[i - 1].name) {
      ++i;
      continue;
    }
    diagnostics->Error(
        {all[i].file.path}, "DUPLICATE_FILE",
        absl::StrCat("environment `", all[i].name, "` is declared by ", all[i - 1].file.path, " already"),
        "keep one of them");
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace

bool SpellingOf(std::string_view path, Spelling* spelling) {
  const std::string_view end = EndOf(path);
  *spelling = end == ".textproto" ? Spelling::kTextproto : Spelling::kYaml;
  return !end.empty();
}

std::string Join(const std::string& folder, std::string_view name) {
  return folder == "." || folder.empty() ? std::string(name) : fs::JoinPath(folder, name);
}

bool ListProject(const std::string& folder, Listing* listing, diag::Diagnostics* diagnostics) {
  if (!FindMain(folder, listing, diagnostics)) return false;
  Lister lister(diagnostics);
  // A link to the project itself brings nothing new.
  if (absl::StatusOr<std::string> real = fs::RealPath(folder); real.ok()) lister.Skip(*std::move(real));
  for (const std::string_view section : kSections) {
    const std::string path = Join(folder, section);
    if (HasFolder(path, diagnostics)) lister.Walk(path, 0, &listing->files);
  }
  const std::string environments = Join(folder, "environments");
  listing->has_environments = HasFolder(environments, diagnostics);
  if (listing->has_environments) ListEnvironments(environments, &lister, listing, diagnostics);
  return true;
}

}  // namespace st::project
