// docs/sql.md and the code say the same: every code of one is in the other, each example gets its code, and what the
// page shows as good is good.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/sql/sql.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::sql {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

// Every SQL_... word, in quotes or backquotes, of a text.
std::set<std::string> Codes(std::string_view text, char quote) {
  std::set<std::string> codes;
  const std::string start = std::string(1, quote) + "SQL_";
  for (size_t at = text.find(start); at != std::string_view::npos; at = text.find(start, at + 1)) {
    const size_t end = text.find(quote, at + 1);
    codes.insert(std::string(text.substr(at + 1, end - at - 1)));
  }
  return codes;
}

std::vector<v1::InputColumn> Orders() {
  v1::RecordPlan plan;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
    columns { name: "id" member: "id" type: STRING required: true }
    columns { name: "amount" member: "amount" type: BIGINT }
    columns { name: "paid" member: "paid" type: BOOLEAN }
    columns { name: "note" member: "note" type: STRING }
    columns { name: "payload" member: "payload" type: ANY }
  )",
                                                            &plan));
  return {plan.columns().begin(), plan.columns().end()};
}

std::vector<Finding> FindingsOf(std::string_view text) {
  std::vector<Finding> findings;
  const auto statement = Parse(text, &findings);
  v1::RecordPlan plan;
  if (statement.has_value()) Check(*statement, Orders(), &plan, &findings);
  return findings;
}

std::string Page() { return ReadFile("docs/sql.md"); }

TEST(DocsTest, ListsEveryCodeAndNoOther) {
  const std::set<std::string> in_code = Codes(ReadFile("lib/sql/refusals.cc"), '"');
  EXPECT_GT(in_code.size(), 80u);
  EXPECT_EQ(Codes(Page(), '`'), in_code);
}

TEST(DocsTest, EachExampleGetsItsCode) {
  int examples = 0;
  for (const std::string_view line : absl::StrSplit(Page(), '\n')) {
    if (!absl::StartsWith(line, "| `SQL_")) continue;
    const std::vector<std::string_view> cells = absl::StrSplit(line, " | ");
    if (cells.size() < 3 && !absl::EndsWith(line, " | |")) continue;  // a limit
    std::string_view code = cells[0].substr(3);
    code.remove_suffix(1);
    std::string_view example = cells[1];
    const std::string_view ticks = absl::StartsWith(example, "``") ? "``" : "`";
    ASSERT_TRUE(absl::ConsumePrefix(&example, ticks) && absl::ConsumeSuffix(&example, ticks)) << line;
    std::set<std::string> codes;
    for (const Finding& finding : FindingsOf(example)) codes.insert(finding.code);
    EXPECT_EQ(codes, std::set<std::string>{std::string(code)}) << line;
    ++examples;
  }
  EXPECT_GT(examples, 80);
}

TEST(DocsTest, WhatItShowsAsGoodIsGood) {
  const std::string page = Page();
  int statements = 0;
  for (size_t at = page.find("```sql\n"); at != std::string::npos; at = page.find("```sql\n", at + 1)) {
    const size_t begin = at + std::string_view("```sql\n").size();
    const std::string text = page.substr(begin, page.find("```", begin) - begin);
    const std::vector<Finding> findings = FindingsOf(text);
    EXPECT_TRUE(findings.empty()) << text << findings[0].text;
    ++statements;
  }
  EXPECT_EQ(statements, 3);
}

}  // namespace
}  // namespace st::sql
