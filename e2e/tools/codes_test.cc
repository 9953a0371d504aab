// docs/tools.md names every code that a user can meet, and no other.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace st {
namespace {

using Codes = std::set<std::string>;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

// A code is a quoted word of capitals with an underscore, alone or with a colon before what it is about; these have
// none.
const Codes kOneWord = {"CONFLICT", "REFUSED", "UNREADABLE", "USAGE"};
// Words of others, and names of variables.
const Codes kNoCodes = {"ST_CRASH_AT", "TOPIC_ALREADY_EXISTS"};

bool IsCode(const std::string& word) {
  return absl::StrContains(word, "_") ? kNoCodes.count(word) == 0 : kOneWord.count(word) != 0;
}

void AddFrom(const std::string& text, Codes* codes) {
  static const re2::RE2 kQuoted(R"re("([A-Z][A-Z0-9_]*[A-Z0-9])(?:: )?")re");
  std::string word;
  for (re2::StringPiece rest(text); re2::RE2::FindAndConsume(&rest, kQuoted, &word);) {
    if (IsCode(word)) codes->insert(word);
  }
}

// Of all sources of these folders, at any depth.
Codes InCode(const std::vector<std::string>& folders) {
  Codes codes;
  for (const std::string& folder : folders) {
    Codes found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      const std::string path = entry.path().string();
      if (absl::EndsWith(path, ".cc") || absl::EndsWith(path, ".h")) AddFrom(ReadFile(path), &found);
    }
    EXPECT_FALSE(found.empty()) << folder;
    codes.merge(found);
  }
  return codes;
}

// Words between backquotes: in the first cell of a table's lines and, for the tools, anywhere in their list.
Codes InPage(const std::string& path) {
  static const re2::RE2 kTicked("`([A-Z][A-Z0-9_]*[A-Z0-9])`");
  Codes codes;
  bool tools = false;
  const std::string page = ReadFile(path);
  for (const std::string_view line : absl::StrSplit(page, '\n')) {
    if (absl::StartsWith(line, "## ")) tools = line == "## The tools one by one";
    std::string_view where = tools ? line : std::string_view();
    if (absl::StartsWith(line, "| ")) where = line.substr(0, line.find(" | "));
    std::string word;
    for (re2::StringPiece rest(where.data(), where.size()); re2::RE2::FindAndConsume(&rest, kTicked, &word);) {
      if (IsCode(word)) codes.insert(word);
    }
  }
  return codes;
}

// Those of declarations, SQL and a topology are in declarations.md, sql.md and checks.md, which have tests of their
// own.
TEST(CodesTest, ThePageOfTheToolsListsEveryCodeAndNoOther) {
  const Codes in_code =
      InCode({"lib/cli", "lib/diag", "lib/docio", "lib/execute", "lib/plan", "lib/recover", "lib/transition", "tools"});
  EXPECT_GT(in_code.size(), 80u);
  EXPECT_EQ(InPage("docs/tools.md"), in_code);
}

// What stops a plan or an operation is what somebody on call meets.
TEST(CodesTest, TheRecoveryPageNamesAllThatStops) {
  static const re2::RE2 kTicked("`([A-Z][A-Z0-9_]*[A-Z0-9])`");
  const std::string recovery = ReadFile("docs/recovery.md");
  const std::string page = ReadFile("docs/tools.md");
  bool stops = false;
  int seen = 0;
  for (const std::string_view line : absl::StrSplit(page, '\n')) {
    if (absl::StartsWith(line, "## ")) stops = line == "## Blockers" || line == "## What stops st-apply and st-resume";
    if (!stops || !absl::StartsWith(line, "| ")) continue;
    const std::string_view where = line.substr(0, line.find(" | "));
    std::string word;
    for (re2::StringPiece rest(where.data(), where.size()); re2::RE2::FindAndConsume(&rest, kTicked, &word);) {
      ++seen;
      EXPECT_TRUE(absl::StrContains(recovery, absl::StrCat("`", word, "`"))) << word;
    }
  }
  EXPECT_GT(seen, 60);
}

}  // namespace
}  // namespace st
