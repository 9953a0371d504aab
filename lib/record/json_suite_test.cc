// The public JSONTestSuite: each case as the value of an ANY column, and alone as a record. What our contract says of
// each stands in testdata/json/jsontestsuite.txt.
#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/record/test_plans.h"

namespace st::record {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Ne;

struct SuiteCase {
  std::string name;
  std::string in_column;  // `pass` or the kind of fault
  std::string alone;
  std::string text;
};

std::string Unescape(std::string_view escaped) {
  std::string text;
  std::string error;
  EXPECT_TRUE(absl::CUnescape(escaped, &text, &error)) << error << ": " << escaped;
  return text;
}

// `@COUNT TEXT @COUNT TEXT ...` or text, both in C escapes.
std::string ExpandText(std::string_view spec) {
  if (!absl::ConsumePrefix(&spec, "@")) return Unescape(spec);
  std::string text;
  for (const std::string_view part : absl::StrSplit(spec, " @")) {
    const std::pair<std::string_view, std::string_view> repeat = absl::StrSplit(part, absl::MaxSplits(' ', 1));
    int count = 0;
    EXPECT_TRUE(absl::SimpleAtoi(repeat.first, &count)) << part;
    const std::string unit = Unescape(repeat.second);
    for (int i = 0; i < count; ++i) text += unit;
  }
  return text;
}

std::vector<SuiteCase> ReadSuite() {
  std::vector<SuiteCase> cases;
  std::ifstream file("testdata/json/jsontestsuite.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    const std::vector<std::string> fields = absl::StrSplit(line, absl::MaxSplits('\t', 3));
    if (fields.size() != 4) {
      ADD_FAILURE() << "not four fields: " << line;
      continue;
    }
    cases.push_back({fields[0], fields[1], fields[2], ExpandText(fields[3])});
  }
  return cases;
}

std::string Word(const Answer& answer) { return answer.outcome == Outcome::kPoison ? answer.fault : "pass"; }

std::string_view WithoutSpace(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

TEST(JsonSuiteTest, EachCaseAsTheContractSays) {
  Both column(AnyPlan());
  v1::RecordPlan ignoring = AnyPlan();
  ignoring.set_extra_members(v1::ignore);
  Both alone(ignoring);
  std::map<char, int> kinds;
  for (const SuiteCase& one : ReadSuite()) {
    SCOPED_TRACE(one.name);
    ++kinds[one.name[0]];
    const std::string wrapped = "{\"v\":" + one.text + "}";
    EXPECT_TRUE(column.Agree(wrapped));
    EXPECT_TRUE(alone.Agree(one.text));
    const Answer in_column = column.Fast(wrapped);
    EXPECT_EQ(Word(in_column), one.in_column);
    EXPECT_EQ(Word(alone.Fast(one.text)), one.alone);
    if (in_column.outcome == Outcome::kPass) {
      EXPECT_EQ(in_column.out, "{\"v\":" + std::string(WithoutSpace(one.text)) + "}");
    }
    // What the suite itself says, whatever our table says.
    if (one.name[0] == 'y') {
      EXPECT_EQ(one.in_column, "pass");
    } else if (one.name[0] == 'n') {
      EXPECT_THAT((std::vector{one.in_column, one.alone}),
                  Each(AllOf(Ne("pass"), Ne("NOT_AN_OBJECT"), Ne("MISSING_MEMBER"))));
    }
  }
  EXPECT_EQ(kinds['y'], 95);
  EXPECT_EQ(kinds['n'], 188);
  EXPECT_EQ(kinds['i'], 35);
}

}  // namespace
}  // namespace st::record
