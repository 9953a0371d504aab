// Each promise of docs/runner.md's delivery contract names tests that there are. Needs no broker.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace st::e2e {
namespace {

std::string Read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Its lines but the head's.
std::vector<std::string> Rows() {
  std::vector<std::string> rows;
  bool inside = false;
  const std::string page = Read("docs/runner.md");
  for (const std::string_view line : absl::StrSplit(page, '\n')) {
    if (absl::StartsWith(line, "#")) inside = line == "### The delivery contract";
    if (inside && absl::StartsWith(line, "| ") && !absl::StartsWith(line, "| event ")) rows.emplace_back(line);
  }
  return rows;
}

// `//folder:name_test Suite.Case` between backquotes.
struct Named {
  std::string folder, target, suite, test;
};

std::vector<Named> NamedIn(const std::string& cell) {
  static const re2::RE2 kNamed(R"(`//([a-z0-9/]+):([a-z_]+_test) ([A-Za-z]+)\.([A-Za-z]+)`)");
  std::vector<Named> all;
  Named one;
  re2::StringPiece rest(cell);
  while (re2::RE2::FindAndConsume(&rest, kNamed, &one.folder, &one.target, &one.suite, &one.test)) all.push_back(one);
  return all;
}

TEST(Contract, EveryRowNamesTestsThatThereAre) {
  int seen = 0;
  for (const std::string& row : Rows()) {
    const std::vector<std::string> cells = absl::StrSplit(row, " | ");
    ASSERT_EQ(cells.size(), 3u) << row;
    EXPECT_GT(cells[1].size(), 10u) << row;
    const std::vector<Named> named = NamedIn(cells[2]);
    EXPECT_FALSE(named.empty()) << row;
    // Nothing there is left unread.
    EXPECT_EQ(static_cast<size_t>(std::count(cells[2].begin(), cells[2].end(), '`')), 2 * named.size()) << row;
    for (const Named& one : named) {
      ++seen;
      const std::string path = absl::StrCat(one.folder, "/", one.target, ".cc");
      const std::string declared = absl::StrCat(R"((?m)^TEST(_F|_P)?\()", one.suite, ", ", one.test, R"(\) \{)");
      EXPECT_TRUE(re2::RE2::PartialMatch(Read(path), declared)) << path << ": " << one.suite << "." << one.test;
      // In a list of names, or by its own.
      const std::string build = Read(absl::StrCat(one.folder, "/BUILD"));
      const std::string stem = one.target.substr(0, one.target.rfind("_test"));
      EXPECT_TRUE(absl::StrContains(build, absl::StrCat("\"", stem, "\"")) ||
                  absl::StrContains(build, absl::StrCat("\"", one.target, "\"")))
          << one.folder << "/BUILD has no " << one.target;
    }
  }
  EXPECT_GE(seen, 30);
}

}  // namespace
}  // namespace st::e2e
