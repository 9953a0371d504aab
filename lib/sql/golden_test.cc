// testdata/sql: a statement in, a plan and findings out. `ST_UPDATE=1 bazel run //lib/sql:golden_test` writes what
// the compiler gives today into the source tree; look at the difference before committing it.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/diag/diag.h"
#include "lib/sql/sql.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::sql {
namespace {

constexpr std::string_view kCases[] = {"beyond", "flights", "literals", "warnings", "windows"};

std::string Folder() {
  const char* tree = getenv("BUILD_WORKSPACE_DIRECTORY");
  return tree == nullptr ? "testdata/sql" : absl::StrCat(tree, "/testdata/sql");
}

std::string Path(std::string_view name, std::string_view suffix) { return absl::StrCat(Folder(), "/", name, suffix); }

// Empty when there is no such file.
std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Compares, or writes when asked to; an empty text is no file.
void Expect(const std::string& path, const std::string& text) {
  if (getenv("ST_UPDATE") == nullptr) {
    EXPECT_EQ(ReadFile(path), text) << path;
  } else if (text.empty()) {
    std::filesystem::remove(path);
  } else {
    std::ofstream(path) << text;
  }
}

class GoldenTest : public testing::TestWithParam<std::string_view> {};

TEST_P(GoldenTest, CompilesAsBefore) {
  const std::string text = ReadFile(Path(GetParam(), ".in.sql"));
  v1::RecordPlan inputs;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(ReadFile(Path("columns", ".textproto")), &inputs));
  std::vector<Finding> findings;
  v1::RecordPlan plan;
  bool good = false;
  if (const auto statement = Parse(text, &findings); statement.has_value()) {
    good = Check(*statement, {inputs.columns().begin(), inputs.columns().end()}, &plan, &findings).has_value();
  }
  diag::Diagnostics diagnostics;
  for (const Finding& finding : findings) {
    const diag::Position position = diag::Locate(absl::StrCat(GetParam(), ".in.sql"), text, finding.offset);
    finding.warning ? diagnostics.Warning(position, finding.code, finding.text, finding.hint)
                    : diagnostics.Error(position, finding.code, finding.text, finding.hint);
  }
  EXPECT_EQ(good, !diagnostics.HasErrors());
  std::string out;
  google::protobuf::TextFormat::PrintToString(plan, &out);
  Expect(Path(GetParam(), ".out.textproto"), good ? out : "");
  Expect(Path(GetParam(), ".diag.txt"), diagnostics.empty() ? "" : diag::Render(diagnostics, diag::Format::kText));
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenTest, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param); });

TEST(GoldenListTest, NamesEveryCase) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
    const std::string name = entry.path().filename().string();
    if (const size_t suffix = name.find(".in.sql"); suffix != std::string::npos) files.insert(name.substr(0, suffix));
  }
  EXPECT_EQ(files, std::set<std::string>(std::begin(kCases), std::end(kCases)));
}

}  // namespace
}  // namespace st::sql
