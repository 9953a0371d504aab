// For tests: a project in a folder of its own, and what loading it says.
#ifndef ST_LIB_PROJECT_TEST_FOLDER_H_
#define ST_LIB_PROJECT_TEST_FOLDER_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/project/project.h"
#include "schemas/st/v1/project.pb.h"

namespace st::project {

struct Outcome {
  std::optional<Loaded> loaded;
  // `file:line:col CODE text | hint`, sorted; the folder's own path is cut off.
  std::vector<std::string> findings;

  const v1::Project& project() const { return *loaded->project; }
  // All findings in one text, a line each.
  std::string All() const;
};

class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  // Makes the folders on the way.
  TestFolder& Write(std::string_view path, std::string_view text);
  TestFolder& Link(std::string_view path, const std::string& target);
  TestFolder& Variable(std::string name, std::string value);
  const std::string& path() const { return path_; }

  // `below` is a path inside of the folder; empty: the folder itself.
  Outcome Load(std::string_view environment = {}, std::string_view below = {}) const;
  Outcome LoadText(std::string_view text, std::string_view environment = {}) const;

 private:
  Outcome Run(const std::string& path, std::string_view text, std::string_view environment) const;

  std::string path_;
  std::map<std::string, std::string, std::less<>> variables_;
};

// A folder whose stream_project.yml is `text`, loaded.
Outcome LoadYaml(std::string_view text);

// A project with nothing wrong, to which a test adds its own section.
inline constexpr std::string_view kProjectLine = "project: {name: shop}\n";

}  // namespace st::project

#endif  // ST_LIB_PROJECT_TEST_FOLDER_H_
