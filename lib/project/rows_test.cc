// Rows of tests: a YAML mapping becomes the JSON text that the record decoder reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "lib/project/test_folder.h"

namespace st::project {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Outcome LoadRows(std::string_view rows) {
  return LoadYaml(absl::StrCat(kProjectLine, "tests:\n  - name: t\n    model: m\n    given:\n", rows));
}

TEST(Rows, AreRenderedToJson) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{id: a, amount: 99, paid: true}", R"({"id":"a","amount":99,"paid":true})"},
      {"{a: null, b: ~, c: , d: 'null', e: \"~\", f: ''}", R"({"a":null,"b":null,"c":null,"d":"null","e":"~","f":""})"},
      {"{a: 9223372036854775807, b: -9223372036854775808, c: 18446744073709551616}",
       R"({"a":9223372036854775807,"b":-9223372036854775808,"c":18446744073709551616})"},
      {"{a: 1.0, b: 1e2, c: -0, d: 1.5E-7, e: 100000000000000000000000000000001}",
       R"({"a":1.0,"b":1e2,"c":-0,"d":1.5E-7,"e":100000000000000000000000000000001})"},
      {"{a: '1', b: \"true\", c: 'false'}", R"({"a":"1","b":"true","c":"false"})"},
      {"{a: no, b: 1 2, c: 12:30, d: 2001-01-01, e: 1.2.3, f: -}",
       R"({"a":"no","b":"1 2","c":"12:30","d":"2001-01-01","e":"1.2.3","f":"-"})"},
      {R"({a: 'q"\b', b: "\x01\n\t", "\"k": é})", R"({"a":"q\"\\b","b":"\u0001\u000a\u0009","\"k":"é"})"},
      {"{a: {b: [1, {c: d}, []], e: {}}}", R"({"a":{"b":[1,{"c":"d"},[]],"e":{}}})"},
      {"{1: a, true: b, null: c}", R"({"1":"a","true":"b","null":"c"})"},
      {"[1, a]", R"([1,"a"])"},
      // A scalar is the JSON text itself.
      {R"('{"a": 1, "a": 2}')", R"({"a": 1, "a": 2})"},
      {"5", "5"},
      {"''", ""},
      {"'null'", "null"},
      {"not json", "not json"},
  };
  for (const auto& [yaml, json] : cases) {
    const Outcome outcome = LoadRows(absl::StrCat("      - value: ", yaml, "\n"));
    EXPECT_THAT(outcome.findings, IsEmpty()) << yaml;
    EXPECT_EQ(outcome.project().tests(0).given(0).value(), json);
  }
}

TEST(Rows, BlockTextIsJsonItself) {
  EXPECT_EQ(LoadRows("      - value: |\n          {\"a\":\n           1}\n").project().tests(0).given(0).value(),
            "{\"a\":\n 1}\n");
}

TEST(Rows, HaveKeysAndTombstones) {
  const Outcome outcome = LoadRows(
      "      - {key: k1, value: {a: 1}}\n      - {key: 1, value: null}\n      - {key: ~, value: }\n      - {key: ''}\n "
      "     -\n");
  EXPECT_THAT(outcome.findings, IsEmpty());
  const auto& given = outcome.project().tests(0).given();
  ASSERT_EQ(given.size(), 5);
  EXPECT_EQ(given[0].key(), "k1");
  EXPECT_EQ(given[1].key(), "1");
  EXPECT_FALSE(given[1].has_value());
  EXPECT_FALSE(given[2].has_key());
  EXPECT_FALSE(given[2].has_value());
  EXPECT_TRUE(given[3].has_key());
  EXPECT_FALSE(given[4].has_key());
}

TEST(Rows, ScalarsThatJsonLacksAreRefused) {
  for (const std::string_view yaml : {"0123", "+1", "0x1F", "0o17", ".5", "1.", "-.5", ".inf", "-.INF", ".nan", "True",
                                      "FALSE", "NULL", "Null", "1.e5"}) {
    const Outcome outcome = LoadRows(absl::StrCat("      - value: {a: ", yaml, "}\n"));
    EXPECT_THAT(outcome.findings, ElementsAre(HasSubstr("stream_project.yml:6:20 AMBIGUOUS_VALUE"))) << yaml;
  }
}

TEST(Rows, RepeatedMembersAreRefused) {
  EXPECT_THAT(LoadRows("      - value: {a: 1, a: 2}\n").All(), HasSubstr("6:23 DUPLICATE_KEY"));
}

TEST(Rows, TakeVariables) {
  TestFolder folder;
  folder.Variable("N", "7").Variable("Q", "a\"b");
  folder.Write("stream_project.yml", absl::StrCat(kProjectLine, R"(tests:
  - name: t
    model: m
    given:
      - value:
          n: ${N}
          s: "${N}"
          q: ${Q}
          d: $${N} $5
)"));
  const Outcome outcome = folder.Load();
  EXPECT_THAT(outcome.findings, IsEmpty());
  EXPECT_EQ(outcome.project().tests(0).given(0).value(), R"({"n":7,"s":"7","q":"a\"b","d":"${N} $5"})");
  EXPECT_THAT(LoadRows("      - value: {a: \"${UNSET}\"}\n").All(), HasSubstr("6:20 VARIABLE_UNSET"));
}

}  // namespace
}  // namespace st::project
