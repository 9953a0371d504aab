// The textproto spelling.
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/docio/docio.h"
#include "lib/project/test_folder.h"

namespace st::project {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::string_view kYaml = R"(
project: {name: shop, version: "1.0"}
runtime:
  kafka: {bootstrap_servers: "b:9092", sasl_password: "${P}"}
  runner: {host: process, initial_offset: earliest}
sources:
  - name: s
    topic: t-${V}
    tags: [a, "${V}"]
    columns: [{name: id, type: STRING, required: true}]
    extra_members: ignore
models:
  - name: m
    executor: runner
    sql: SELECT id FROM s
    topic: {config: {a: b}}
)";

constexpr std::string_view kText = R"(
project { name: "shop" version: "1.0" }
runtime {
  kafka { bootstrap_servers: "b:9092" sasl_password: "${P}" }
  runner { host: "process" initial_offset: "earliest" }
}
sources {
  name: "s"
  topic: "t-${V}"
  tags: "a"
  tags: "${V}"
  columns { name: "id" type: STRING required: true }
  extra_members: ignore
}
models {
  name: "m"
  executor: "runner"
  sql: "SELECT id FROM s"
  topic { config { key: "a" value: "b" } }
}
)";

TEST(TextReader, IsAnotherSpellingOfTheSame) {
  TestFolder folder;
  folder.Variable("V", "v").Write("a.yml", kYaml).Write("a.textproto", kText);
  const Outcome yaml = folder.Load("", "a.yml");
  const Outcome text = folder.Load("", "a.textproto");
  EXPECT_THAT(yaml.findings, IsEmpty());
  EXPECT_THAT(text.findings, IsEmpty());
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(yaml.project(), text.project()));
  EXPECT_EQ(text.project().sources(0).tags(1), "v");
}

TEST(TextReader, TakesAWholeDocumentOnStandardInput) {
  TestFolder folder;
  folder.Variable("V", "v");
  const Outcome plain = folder.LoadText(kText);
  EXPECT_THAT(plain.findings, IsEmpty());
  const std::string document = docio::Write(plain.project());
  const Outcome whole = folder.LoadText(document);
  EXPECT_THAT(whole.findings, IsEmpty());
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(plain.project(), whole.project()));
  // What has a trailer is held to it.
  EXPECT_THAT(folder.LoadText(absl::StrReplaceAll(document, {{"\"shop\"", "\"shoq\""}})).All(),
              HasSubstr("BAD_TRAILER"));
  EXPECT_THAT(folder.LoadText(document + document).All(), HasSubstr("TRAILING_TEXT"));
  EXPECT_THAT(folder.LoadText(docio::Write(v1::Kafka())).All(), HasSubstr("WRONG_DOCUMENT"));
  EXPECT_THAT(folder.LoadText("").All(), HasSubstr("EMPTY_INPUT"));
  EXPECT_THAT(folder.LoadText(kText, "dev").All(), HasSubstr("UNKNOWN_ENVIRONMENT"));
}

TEST(TextReader, FindingsAreLocated) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"project { name: 'shop' }\n  models { name: 'm' key: 'k' }\n", "-:2:22 UNSUPPORTED_KEY `key` is not supported"},
      {"project { name: 'shop' nam: 'x' }\n",
       "-:1:24 UNKNOWN_KEY unknown key `nam` in `project` | did you mean `name`?"},
      {"project { name: 'shop' name: 'shop' }\n", "-:1:24 REPEATED_FIELD"},
      {"project { name: 'shop' ", "-:1:"},
      {"project { name: 3 }\n", "-:1:17 BAD_VALUE"},
      {"project { name: 'Shop' }\n", "-:1:11 BAD_NAME `Shop`"},
      {"project {\tname: 'Größe' version: '1'}\nproject { }\n", "-:2:1 REPEATED_FIELD"},
      {"project { name: 'shop' description: 'größe' version: '${UNSET}' }\n", "-:1:45 VARIABLE_UNSET"},
      {"project { name: 'shop'\t\tversion: '${UNSET}' }\n", "-:1:25 VARIABLE_UNSET"},
      {"project { name: 'shop' version: 'a\\u202Eb' }\n", "-:1:33 INVISIBLE_CHARACTER"},
      {"project { name: 'shop' version: 'a\\xff' }\n", "-:1:33 NOT_UTF8"},
      {"project { name: 'shop' } sources { name: 's' topic: 't' columns { name: 'a' type: 99 } }\n",
       "-:1:83 UNKNOWN_VALUE field 'type'"},
      {"project { name: 'shop' } runtime { kafka { bootstrap_servers: 'b:1' sasl_password: 'x' } }\n",
       "-:1:69 SECRET_LITERAL"},
      {"project { name: 'shop' } models { name: 'm' materialized: 'topic' topic { config { key: 'a' value: 'b' } "
       "config { key: 'a' value: 'c' } } }\n",
       "-:1:106 DUPLICATE_KEY `a` is set twice"},
      {"project { name: 'shop' } models { name: 'm' materialized: 'topic' columns { name: 'a' type: ANY member: "
       "'\\xff' } }\n",
       "-:1:97 NOT_UTF8"},
  };
  for (const auto& [text, finding] : cases) {
    const Outcome outcome = TestFolder().LoadText(text);
    EXPECT_THAT(outcome.findings, ElementsAre(StartsWith(finding))) << text;
  }
}

TEST(TextReader, RefusedSecretsAreTakenOut) {
  const Outcome outcome = TestFolder().LoadText(
      "project { name: 'shop' } runtime { kafka { bootstrap_servers: 'b:1' sasl_password: 'c4n4ry' } }\n");
  EXPECT_THAT(outcome.findings, ElementsAre(HasSubstr("SECRET_LITERAL")));
  EXPECT_EQ(outcome.project().ShortDebugString().find("c4n4ry"), std::string::npos);
}

TEST(TextReader, DataMayHoldWhatIsInvisible) {
  const Outcome outcome = TestFolder().LoadText(
      "project { name: 'shop' } runtime { runner { host: 'process' initial_offset: 'latest' } }\n"
      "models { name: 'm' executor: 'runner' sql: 'a\\342\\200\\213' }\n"
      "tests { name: 't' model: 'm' given { key: '\\xff\\x00' value: '{\\xff}' } }\n");
  EXPECT_THAT(outcome.findings, IsEmpty());
  EXPECT_EQ(outcome.project().models(0).sql(), "a\xE2\x80\x8B");
  EXPECT_EQ(outcome.project().tests(0).given(0).key(), std::string("\xFF\0", 2));
}

TEST(TextReader, NestingIsLimited) {
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "runtime { ";
  EXPECT_THAT(TestFolder().LoadText(deep).All(), HasSubstr("TOO_DEEP"));
}

}  // namespace
}  // namespace st::project
