// docs/checks.md lists every code of the compiler and no other.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "absl/strings/match.h"

namespace st::topology {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

// Words of capitals with an underscore, or CYCLE and FEEDBACK, that stand between `before` and `after`.
void AddCodes(std::string_view text, std::string_view before, std::string_view after, std::set<std::string>* codes) {
  for (size_t at = text.find(before); at != std::string_view::npos; at = text.find(before, at + 1)) {
    const size_t begin = at + before.size();
    const std::string_view word = text.substr(begin, text.find(after, begin) - begin);
    const bool capitals = word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == std::string_view::npos;
    const bool code = absl::StrContains(word, "_") || word == "CYCLE" || word == "FEEDBACK";
    // A prefix of settings, or the character alone.
    if (capitals && code && !absl::EndsWith(word, "_")) codes->insert(std::string(word));
  }
}

TEST(DocsTest, ListsEveryCodeAndNoOther) {
  std::set<std::string> in_code;
  for (const std::string_view file :
       {"catalog", "compile", "contracts", "cycles", "models", "report", "rules", "settings", "topics", "verify"}) {
    AddCodes(ReadFile("lib/topology/" + std::string(file) + ".cc"), "\"", "\"", &in_code);
  }
  EXPECT_GT(in_code.size(), 35u);
  std::set<std::string> in_docs;
  AddCodes(ReadFile("docs/checks.md"), "| `", "`", &in_docs);
  EXPECT_EQ(in_docs, in_code);
}

}  // namespace
}  // namespace st::topology
