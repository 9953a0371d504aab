// docs/declarations.md: its example compiles, and every code that lib/project gives is explained there.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "e2e/command.h"

namespace {

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Docs, TheExampleCompiles) {
  const std::string page = Read("docs/declarations.md");
  std::string example;
  ASSERT_TRUE(RE2::PartialMatch(page, "(?s)## An example\n\n```yaml\n(.*?)```", &example));
  const std::string path = absl::StrCat(::testing::TempDir(), "/example.yml");
  std::ofstream(path, std::ios::binary) << example;
  const auto result = st::e2e::RunCommand({"tools/st-compile/st-compile", path});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->exit_code, 0) << result->error_text;
  EXPECT_EQ(result->error_text, "shop/default: sources 1, models 1, exposures 1\n");
}

TEST(Docs, EveryCodeIsExplained) {
  const std::string page = Read("docs/declarations.md");
  std::set<std::string> codes;
  for (const auto& entry : std::filesystem::directory_iterator("lib/project")) {
    const std::string name = entry.path().filename().string();
    if (!absl::EndsWith(name, ".cc") || absl::StrContains(name, "test")) continue;
    const std::string source = Read(entry.path());
    re2::StringPiece rest(source);
    std::string code;
    // All codes have an underscore. A few values of settings have too; the page names them anyway.
    while (RE2::FindAndConsume(&rest, "\"([A-Z0-9]+(?:_[A-Z0-9]+)+)\"", &code)) codes.insert(code);
  }
  // What docio says of a textproto file becomes UNKNOWN_KEY.
  EXPECT_EQ(codes.erase("UNKNOWN_FIELD"), 1U);
  EXPECT_GT(codes.size(), 25U);
  for (const std::string& code : codes) EXPECT_TRUE(absl::StrContains(page, absl::StrCat("`", code, "`"))) << code;
}

}  // namespace
