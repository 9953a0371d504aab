// testdata/compile: a project folder `in`, and what the real st-compile says: `out.textproto` on standard output,
// `diag.txt` on standard error. A file `args` holds further arguments, one a line; `env` variables, NAME=VALUE a line.
// `ST_UPDATE=1 bazel run //e2e/compile:golden_test` writes what it says today into the source tree; look at the
// difference before committing it.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "e2e/command.h"

namespace {

namespace fs = std::filesystem;

bool IsUpdate() { return getenv("ST_UPDATE") != nullptr; }

fs::path Root() {
  const char* tree = getenv("BUILD_WORKSPACE_DIRECTORY");
  return fs::path(tree == nullptr ? "." : tree) / "testdata/compile";
}

std::string Read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Compares, or writes when asked to; an empty text is no file.
void Expect(const fs::path& path, const std::string& text) {
  if (!IsUpdate()) {
    EXPECT_EQ(Read(path), text) << path;
  } else if (text.empty()) {
    fs::remove(path);
  } else {
    std::ofstream(path, std::ios::binary) << text;
  }
}

std::vector<fs::path> Cases() {
  std::vector<fs::path> cases;
  for (const auto& entry : fs::directory_iterator(Root())) {
    if (fs::exists(entry.path() / "in")) cases.push_back(entry.path());
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

st::e2e::CommandResult Compile(const std::string& compiler, const fs::path& folder) {
  // A copy, as the files of a test are links that lead out of their folder; and from beside it, so that messages hold
  // the same paths wherever the test runs.
  const fs::path work = fs::path(testing::TempDir()) / absl::StrCat("golden.", getpid());
  fs::remove_all(work);
  fs::create_directories(work);
  fs::copy(folder / "in", work / "in", fs::copy_options::recursive);
  fs::current_path(work);
  std::vector<std::string> arguments = {compiler, "in"};
  for (const std::string_view line : absl::StrSplit(Read(folder / "args"), '\n', absl::SkipEmpty())) {
    arguments.emplace_back(line);
  }
  st::e2e::CommandOptions options;
  for (const std::string_view line : absl::StrSplit(Read(folder / "env"), '\n', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> pair = absl::StrSplit(line, absl::MaxSplits('=', 1));
    options.environment.insert(pair);
  }
  auto result = st::e2e::RunCommand(arguments, options);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *result : st::e2e::CommandResult();
}

TEST(Golden, CompilesAsBefore) {
  const std::string compiler = fs::absolute("tools/st-compile/st-compile").string();
  const fs::path start = fs::current_path();
  int good = 0;
  int bad = 0;
  for (const fs::path& each : Cases()) {
    const fs::path folder = fs::absolute(each);
    const st::e2e::CommandResult result = Compile(compiler, folder);
    // Nothing on standard output but a whole document.
    EXPECT_EQ(result.exit_code, result.output.empty() ? 1 : 0) << folder;
    (result.output.empty() ? bad : good) += 1;
    Expect(folder / "out.textproto", result.output);
    Expect(folder / "diag.txt", result.error_text);
    fs::current_path(start);
  }
  EXPECT_GE(good, 4);
  EXPECT_GE(bad, 3);
}

}  // namespace
