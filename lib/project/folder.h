// Which files make a project.
#ifndef ST_LIB_PROJECT_FOLDER_H_
#define ST_LIB_PROJECT_FOLDER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/diag/diag.h"

namespace st::project {

inline constexpr size_t kMaxFileBytes = size_t{32} << 20;
inline constexpr int kMaxFolderNesting = 32;

enum class Spelling { kYaml, kTextproto };

struct ProjectFile {
  std::string path;  // as the user would write it
  Spelling spelling = Spelling::kYaml;
};

struct EnvironmentFile {
  std::string name;
  ProjectFile file;
};

struct Listing {
  ProjectFile main;                           // stream_project.yml
  std::vector<ProjectFile> files;             // of sources/, models/, exposures/, tests/, in this order, sorted
  std::vector<EnvironmentFile> environments;  // by name
  bool has_environments = false;              // the folder is there
};

// By a path's end; false for any other file.
bool SpellingOf(std::string_view path, Spelling* spelling);

// Lists without opening a file. Dot-files and files with other ends are passed over; links are followed, each folder
// at most once. False when there is no project file; other findings leave a listing of what can be read.
bool ListProject(const std::string& folder, Listing* listing, diag::Diagnostics* diagnostics);

// `folder`/`name` without a leading `./`.
std::string Join(const std::string& folder, std::string_view name);

}  // namespace st::project

#endif  // ST_LIB_PROJECT_FOLDER_H_
