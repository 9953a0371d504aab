// ${VAR}, .env files, and secrets.
#include "lib/project/variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "lib/project/test_folder.h"

namespace st::project {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// In a diagnostic this would be a leak.
constexpr std::string_view kCanary = "c4n4ry-v4lue";

std::string Version(std::string_view value) { return absl::StrCat("project:\n  name: shop\n  version: ", value, "\n"); }

TEST(Variables, AreExpanded) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"${A}", "1"},
      {"x${A}y${B}z", "x1y2z"},
      {"${UNSET:-some text}", "some text"},
      {"${EMPTY:-fallback}", "fallback"},
      {"${A:-unused}", "1"},
      {"${UNSET:-}", ""},
      {"$$", "$"},
      {"$${A}", "${A}"},
      {"$$${A}", "$1"},
      {"$A $ $1 a$", "$A $ $1 a$"},
      {"'${A}'", "1"},
      {"\"\\x24{A}\"", "1"},
  };
  for (const auto& [yaml, text] : cases) {
    TestFolder folder;
    folder.Variable("A", "1").Variable("B", "2").Variable("EMPTY", "").Write("stream_project.yml", Version(yaml));
    const Outcome outcome = folder.Load();
    EXPECT_THAT(outcome.findings, IsEmpty()) << yaml;
    EXPECT_EQ(outcome.project().project().version(), text) << yaml;
  }
}

TEST(Variables, AreRefused) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"${UNSET}",
       "3:12 VARIABLE_UNSET variable `UNSET` is not set | set it in the environment, .env, or write ${UNSET:-default}"},
      {"${EMPTY}", "3:12 VARIABLE_UNSET variable `EMPTY` is empty"},
      {"${A", "3:12 VARIABLE_SYNTAX"},
      {"${}", "3:12 VARIABLE_SYNTAX"},
      {"${1A}", "3:12 VARIABLE_SYNTAX"},
      {"${A-x}", "3:12 VARIABLE_SYNTAX"},
      {"'${A:?x}'", "3:12 VARIABLE_SYNTAX"},
      {"${A:-${B}}", "3:12 VARIABLE_SYNTAX"},
      {"${LINES}", "3:12 VARIABLE_VALUE the value of variable `LINES` holds a line break"},
      {"${CR}", "3:12 VARIABLE_VALUE"},
      {"${NUL}", "3:12 VARIABLE_VALUE"},
      {"${BIDI}", "3:12 INVISIBLE_CHARACTER `version` holds a character that a reader cannot see | remove it"},
  };
  for (const auto& [yaml, finding] : cases) {
    TestFolder folder;
    folder.Variable("A", "1").Variable("EMPTY", "").Variable("LINES", absl::StrCat(kCanary, "\n"));
    folder.Variable("CR", absl::StrCat(kCanary, "\r")).Variable("NUL", absl::StrCat(kCanary, std::string(1, '\0')));
    folder.Variable("BIDI", absl::StrCat(kCanary, "\xE2\x80\xAE")).Write("stream_project.yml", Version(yaml));
    const Outcome outcome = folder.Load();
    EXPECT_THAT(outcome.findings, ElementsAre(StartsWith("stream_project.yml:" + finding))) << yaml;
    EXPECT_THAT(outcome.All(), Not(HasSubstr(kCanary))) << yaml;
  }
}

TEST(Variables, ComeFromTheEnvironmentThenFromTheFiles) {
  TestFolder folder;
  folder.Write("stream_project.yml", "project: {name: shop, version: \"${A} ${B} ${C}\"}\n")
      .Write("environments/dev.yml", "");
  folder.Write(".env", "A=base\nB=base\nC=base\n").Write(".env.dev", "A=dev\nB=dev\n").Variable("A", "process");
  folder.Write(".env.prod", "C=prod\n");
  const Outcome outcome = folder.Load();
  EXPECT_THAT(outcome.findings, IsEmpty());
  EXPECT_EQ(outcome.project().project().version(), "process dev base");
}

TEST(Variables, AnEmptyOneHidesTheFiles) {
  TestFolder folder;
  folder.Write("stream_project.yml", Version("${A}")).Write(".env", "A=base\n").Variable("A", "");
  EXPECT_THAT(folder.Load().All(), HasSubstr("variable `A` is empty"));
}

TEST(Variables, StandInEveryKindOfScalar) {
  TestFolder folder;
  folder.Variable("N", "3").Variable("T", "BIGINT").Variable("B", "true").Variable("X", "x");
  folder.Write("stream_project.yml",
               absl::StrCat(kProjectLine,
                            "defaults: {topic: {partitions: \"${N}\"}}\nsafety: {protected: '${B}'}\n"
                            "sources:\n  - name: s\n    topic: ${X}.raw\n    tags: [\"${X}\"]\n"
                            "    columns: [{name: id, type: \"${T}\", member: \"${X}$$\"}]\n"));
  const Outcome outcome = folder.Load();
  EXPECT_THAT(outcome.findings, IsEmpty());
  EXPECT_EQ(outcome.project().defaults().topic().partitions(), 3U);
  EXPECT_TRUE(outcome.project().safety().protected_());
  EXPECT_EQ(outcome.project().sources(0).topic(), "x.raw");
  EXPECT_EQ(outcome.project().sources(0).tags(0), "x");
  EXPECT_EQ(outcome.project().sources(0).columns(0).type(), v1::BIGINT);
  EXPECT_EQ(outcome.project().sources(0).columns(0).member(), "x$");
}

TEST(Variables, AreNotQuotedWhenTheirValueIsWrong) {
  TestFolder folder;
  folder.Variable("V", std::string(kCanary));
  folder.Write(
      "stream_project.yml",
      absl::StrCat(
          kProjectLine,
          "runtime:\n  kafka:\n    bootstrap_servers: ${V}\n    security_protocol: ${V}\n    sasl_mechanism: ${V}\n"
          "  runner: {host: \"${V}\", image: \"${V}\", network: \" ${V}\", commit_interval_ms: \"${V}\"}\n"
          "deployment_state: {backend: \"${V}\", schema: \"${V}\", dsn_env: \"${V}\"}\n"
          "sources: [{name: s, topic: t, columns: [{name: a, type: \"${V}\"}]}]\n"
          "models: [{name: m, executor: \"${V}\", sql_file: \"${V}\"}]\n"));
  const Outcome outcome = folder.Load();
  EXPECT_EQ(outcome.findings.size(), 13U) << outcome.All();
  EXPECT_THAT(outcome.All(), Not(HasSubstr(kCanary)));
}

TEST(Variables, StandNotInNamesReferencesAndSql) {
  TestFolder folder;
  folder.Variable("V", "v");
  folder.Write("stream_project.yml", R"(
project: {name: "${V}"}
runtime: {kafka: {bootstrap_servers: "b:1"}, runner: {host: process, initial_offset: earliest}}
sources: [{name: "${V}", topic: t, columns: [{name: "${V}", type: ANY}]}]
models: [{name: "${V}", executor: runner, sql: "SELECT a FROM ${V} WHERE b = '$$'", topic: {name: "${V}"}}]
exposures: [{name: "${V}", type: other, consumes: [{ref: "${V}"}], produces: [{source: "${V}"}]}]
tests: [{name: "${V}", model: "${V}", given: [{}]}]
)");
  const Outcome outcome = folder.Load();
  EXPECT_EQ(outcome.findings.size(), 10U) << outcome.All();
  for (const std::string& finding : outcome.findings) EXPECT_THAT(finding, HasSubstr("VARIABLE_NOT_ALLOWED"));
  EXPECT_EQ(outcome.project().models(0).sql(), "SELECT a FROM ${V} WHERE b = '$$'");
}

std::string Kafka(std::string_view rest) {
  return absl::StrCat(kProjectLine, "runtime:\n  kafka:\n    bootstrap_servers: b:9092\n", rest);
}

TEST(Secrets, StayReferences) {
  // None of them is set: the tools that need the values resolve them.
  const Outcome outcome =
      LoadYaml(Kafka("    security_protocol: SASL_SSL\n    sasl_mechanism: PLAIN\n    sasl_username: ${USER_NAME}\n"
                     "    sasl_password: ${PASSWORD}\n    ssl_key_password: \"${KEY}\"\n    ssl_key_pem: '${PEM}'\n"));
  EXPECT_THAT(outcome.findings, IsEmpty());
  const v1::Kafka& kafka = outcome.project().runtime().kafka();
  EXPECT_EQ(kafka.sasl_username(), "${USER_NAME}");
  EXPECT_EQ(kafka.sasl_password(), "${PASSWORD}");
  EXPECT_EQ(kafka.ssl_key_password(), "${KEY}");
  EXPECT_EQ(kafka.ssl_key_pem(), "${PEM}");
}

TEST(Secrets, AreRefusedAsLiterals) {
  const std::vector<std::string> fields = {"sasl_password", "ssl_key_password", "ssl_key_pem"};
  const std::vector<std::string> values = {std::string(kCanary),
                                           absl::StrCat("${A}", kCanary),
                                           absl::StrCat(kCanary, "${A}"),
                                           absl::StrCat("${A:-", kCanary, "}"),
                                           "$A",
                                           "${}",
                                           "''",
                                           "$${A}"};
  for (const std::string& field : fields) {
    for (const std::string& value : values) {
      const Outcome outcome = LoadYaml(Kafka(absl::StrCat("    ", field, ": ", value, "\n")));
      ASSERT_THAT(outcome.findings, ElementsAre(StartsWith("stream_project.yml:5:"))) << value;
      EXPECT_THAT(outcome.All(), HasSubstr("SECRET_LITERAL")) << value;
      EXPECT_THAT(outcome.All(), Not(HasSubstr(kCanary)));
      EXPECT_EQ(outcome.project().ShortDebugString().find(kCanary), std::string::npos);
    }
  }
}

TEST(Secrets, AUserNameIsAReferenceOrALiteral) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"bob", "bob"}, {"${USER_NAME:-bob}", "bob"}, {"x-${A}", "x-1"}, {"${A}", "${A}"}};
  for (const auto& [yaml, text] : cases) {
    TestFolder folder;
    folder.Variable("A", "1").Write("stream_project.yml", Kafka(absl::StrCat("    sasl_username: ", yaml, "\n")));
    const Outcome outcome = folder.Load();
    EXPECT_THAT(outcome.findings, IsEmpty());
    EXPECT_EQ(outcome.project().runtime().kafka().sasl_username(), text);
  }
  EXPECT_THAT(LoadYaml(Kafka("    sasl_username: $${A}\n")).All(), HasSubstr("VARIABLE_SYNTAX"));
}

std::string Parsed(std::string_view text) {
  diag::Diagnostics diagnostics;
  std::string all;
  for (const auto& [key, value] : ParseDotenv(text, ".env", &diagnostics))
    absl::StrAppend(&all, key, "=[", value, "] ");
  EXPECT_TRUE(diagnostics.empty()) << diag::Render(diagnostics, diag::Format::kText);
  return all;
}

TEST(Dotenv, IsRead) {
  EXPECT_EQ(Parsed(""), "");
  EXPECT_EQ(Parsed("A=1\nB= two words \n\n# C=3\n  D=4"), "A=[1] B=[two words] D=[4] ");
  EXPECT_EQ(Parsed("A=1\r\nB=2\r\n"), "A=[1] B=[2] ");
  EXPECT_EQ(Parsed("\xEF\xBB\xBF"
                   "A=1\n"),
            "A=[1] ");
  EXPECT_EQ(Parsed("export A=1\n"), "A=[1] ");
  EXPECT_EQ(Parsed("A=x # note\nB=x#y\nC=#note\nD=\n"), "A=[x] B=[x#y] C=[] D=[] ");
  EXPECT_EQ(Parsed("A='a \"b\" $c \\n' # note\nB=\"a 'b' \\\"c\\\" \\\\ \\n # d\"\n"),
            "A=[a \"b\" $c \\n] B=[a 'b' \"c\" \\ \\n # d] ");
  EXPECT_EQ(Parsed("A=b=c\n"), "A=[b=c] ");
}

TEST(Dotenv, IsRefusedWithItsLine) {
  const std::string canary(kCanary);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"A=1\n" + canary + "\n", ":2:1: error: this line does not begin with a variable's name"},
      {"1A=" + canary + "\n", ":1:1: error: this line does not begin"},
      {"A B=" + canary + "\n", ":1:1: error: this line does not begin"},
      {"A =" + canary + "\n", ":1:1: error: this line does not begin"},
      {"=" + canary + "\n", ":1:1: error: this line does not begin"},
      {"A='" + canary + "\n", ":1:1: error: the quoted value of `A` does not end with its line"},
      {"A=\"" + canary + "\\\"\n", ":1:1: error: the quoted value of `A`"},
      {"A='" + canary + "' more\n", ":1:1: error: the quoted value of `A`"},
      {"A=" + canary + "\nA=" + canary + "\n", ":2:1: error: `A` stands here a second time; the first is at line 1"},
      {"A=\xFF" + canary + "\n", ":1:1: error: the file is not UTF-8"},
      {std::string("A=\0", 3) + canary + "\n", ":1:1: error: the file is not UTF-8 text, or holds a NUL"},
  };
  for (const auto& [text, finding] : cases) {
    diag::Diagnostics diagnostics;
    ParseDotenv(text, ".env", &diagnostics);
    const std::string rendered = diag::Render(diagnostics, diag::Format::kText);
    EXPECT_EQ(diagnostics.errors(), 1) << text;
    EXPECT_THAT(rendered, StartsWith(".env" + finding)) << text;
    EXPECT_THAT(rendered, HasSubstr("[ENV_FILE]"));
    EXPECT_THAT(rendered, Not(HasSubstr(canary)));
  }
}

TEST(Dotenv, OneThatIsNoFileIsAFinding) {
  TestFolder folder;
  folder.Write("stream_project.yml", kProjectLine).Write(".env/x", "");
  EXPECT_THAT(folder.Load().All(), StartsWith(".env:0:0 FILE_UNREADABLE"));
}

}  // namespace
}  // namespace st::project
