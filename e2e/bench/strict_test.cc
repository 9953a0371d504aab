// The Java contenders refuse what the runner refuses, and give the same bytes, as far as Jackson goes.
#include <gtest/gtest.h>
#include <stdlib.h>  // mkdtemp

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "e2e/bench/java_program.h"
#include "e2e/bench/workload.h"
#include "e2e/command.h"
#include "lib/record/record.h"

namespace st::e2e::bench {
namespace {

// One value a line.
std::vector<std::string> AnswersOfJava(Workload workload, const std::vector<std::string>& values) {
  std::string folder = absl::StrCat(std::getenv("TEST_TMPDIR"), "/classes.XXXXXX");
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  const JavaProgram java(folder);
  std::string input;
  for (const std::string& value : values) absl::StrAppend(&input, absl::Base64Escape(value), "\n");
  auto result =
      RunCommand(java.Command("Answers", Machine::kHurried, JavaPlanOf(workload)), {.input = input, .environment = {}});
  EXPECT_TRUE(result.ok() && result->exit_code == 0) << result->error_text;
  std::vector<std::string> answers = absl::StrSplit(result->output, '\n');
  answers.resize(values.size());
  return answers;
}

std::string AnswerOfReference(Workload workload, const std::string& value) {
  std::string out, column;
  record::Fault fault;
  switch (record::RunReference(PlanOf(workload, "in", "out"), value, &out, &fault, &column)) {
    case record::Outcome::kPass:
      return absl::StrCat("pass ", absl::Base64Escape(out));
    case record::Outcome::kFiltered:
      return "filtered";
    case record::Outcome::kPoison:
      break;
  }
  return "poison";
}

std::string Narrow(const std::string& id, const std::string& amount, const std::string& country) {
  return absl::StrCat(R"({"id":)", id, R"(,"amount":)", amount, R"(,"country":)", country, "}");
}

std::vector<std::string> NarrowValues() {
  using std::string_literals::operator""s;
  const std::string good = Narrow("1", "6000", "\"FR\"");
  std::vector<std::string> values = {
      good,
      Narrow("1", "4999", "\"FR\""),
      " \t\r\n" + good + " \n",
      R"({"country":"FR","id":1,"amount":6000})",
      R"({"country":"FR","\u0069d":1,"amount":6000})",
      Narrow("-9223372036854775808", "9223372036854775807", R"("\"\\\/\b\t\n\f\r\u0000\u001F\u007f")"),
      Narrow("-0", "6000", "\"Z\xc3\xbcrich \xe2\x82\xac \xf0\x9d\x84\x9e\""),
      Narrow("1", "6000", R"("\u00fc\u20ac\ud834\udd1e")"),
      // Poison, whether it would pass or not.
      "",
      " ",
      "null",
      "[1]",
      "\"id\"",
      "\xef\xbb\xbf" + good,
      "{\0\"\0i\0"s,
      "\0{\0\"\0i"s,
      good + "x",
      good + good,
      good.substr(0, good.size() - 1),
      R"({"id":1,"amount":6000})",
      R"({"id":1,"amount":6000,"country":"FR","more":1})",
      R"({"id":1,"id":1,"amount":6000,"country":"FR"})",
      R"({"id":1,"\u0069d":1,"amount":6000,"country":"FR"})",
      R"({"id":1,"amount":6000,"country":"FR",})",
      R"({"id":1,"amount":6000,'country':"FR"})",
      R"({"id":1,"amount":6000,/**/"country":"FR"})",
      Narrow("null", "6000", "\"FR\""),
      Narrow("\"1\"", "6000", "\"FR\""),
      Narrow("1.0", "6000", "\"FR\""),
      Narrow("1e3", "6000", "\"FR\""),
      Narrow("01", "6000", "\"FR\""),
      Narrow("+1", "6000", "\"FR\""),
      Narrow("-", "6000", "\"FR\""),
      Narrow("NaN", "6000", "\"FR\""),
      Narrow("true", "6000", "\"FR\""),
      Narrow("[1]", "6000", "\"FR\""),
      Narrow("9223372036854775808", "6000", "\"FR\""),
      Narrow("1", "-9223372036854775809", "\"FR\""),
      Narrow("1", "6000", "7"),
      Narrow("1", "6000", "null"),
      Narrow("1", "6000", "{}"),
      Narrow("1", "1", R"("\ud834")"),
      Narrow("1", "6000", R"("\udd1e\ud834")"),
      Narrow("1", "6000", R"("\x")"),
      Narrow("1", "6000", R"("\u12g4")"),
      Narrow("1", "6000", "\"\x01\""),
      Narrow("1", "6000", "\"\xff\""),
      Narrow("1", "6000", "\"\xc3\""),
      Narrow("1", "6000", "\"\xe2\x28\xa1\""),
      Narrow("1", "6000", "\"\xed\xa0\x80\""),
  };
  return values;
}

TEST(StrictTest, RefusesWhatTheReferenceRefuses) {
  const std::vector<std::string> values = NarrowValues();
  const std::vector<std::string> answers = AnswersOfJava(Workload::kNarrow, values);
  size_t poison = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(answers[i], AnswerOfReference(Workload::kNarrow, values[i])) << absl::CHexEscape(values[i]);
    poison += answers[i] == "poison" ? 1 : 0;
  }
  EXPECT_EQ(poison, values.size() - 8);
}

TEST(StrictTest, GivesTheSameBytesOfTheWorkload) {
  std::vector<std::string> values;
  for (int64_t n = 0; n < 2000; ++n) values.push_back(ValueOf(Workload::kWide, n));
  const std::vector<std::string> answers = AnswersOfJava(Workload::kWide, values);
  for (size_t i = 0; i < values.size(); ++i) {
    const auto n = static_cast<int64_t>(i);
    const std::string out = OutputOf(Workload::kWide, n);
    ASSERT_EQ(answers[i], Passes(n) ? absl::StrCat("pass ", absl::Base64Escape(out)) : "filtered") << values[i];
  }
}

}  // namespace
}  // namespace st::e2e::bench
