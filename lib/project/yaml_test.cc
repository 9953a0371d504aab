// YAML: what the parser, the tree and the mapper accept and refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "lib/project/test_folder.h"
#include "lib/project/yaml_tree.h"

namespace st::project {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Refusal {
  std::string name;
  std::string yaml;
  // Beginnings of all findings.
  std::vector<std::string> findings;
};

class YamlRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(YamlRefusal, IsLocated) {
  const Outcome outcome = LoadYaml(GetParam().yaml);
  ASSERT_EQ(outcome.findings.size(), GetParam().findings.size()) << outcome.All();
  for (size_t i = 0; i < outcome.findings.size(); ++i) {
    EXPECT_THAT(outcome.findings[i], StartsWith("stream_project.yml:" + GetParam().findings[i]));
  }
}

std::string Project(std::string_view rest) { return absl::StrCat(kProjectLine, rest); }

INSTANTIATE_TEST_SUITE_P(
    All, YamlRefusal,
    ::testing::Values(
        Refusal{"Tab", "project:\n\tname: shop\n", {"2:1 YAML_TAB a tab cannot indent"}},
        Refusal{"Unclosed", "project: {name: shop\n", {"2:1 YAML_SYNTAX YAML: did not find expected ',' or '}'"}},
        Refusal{"UnclosedWithoutLineEnd", "project: {größe", {"1:16 YAML_SYNTAX"}},
        Refusal{"EmptyItemWithoutLineEnd", Project("sources:\n-"), {"3:2 WRONG_TYPE an item of `sources` is empty"}},
        Refusal{"Indent", "project:\n  name: shop\n version: 1\n", {"3:2 YAML_SYNTAX"}},
        Refusal{"Control", "project:\n  name: sh\x01op\n", {"2:11 YAML_SYNTAX a control character"}},
        Refusal{"NotUtf8", "project:\n  name: sh\xFFop\n", {"2:11 NOT_UTF8"}},
        Refusal{"Utf16", std::string("\xFF\xFEp\0", 4), {"1:1 NOT_UTF8"}},
        Refusal{"Tag",
                "project: !!map {name: !x shop}\n",
                {"1:10 YAML_TAG the YAML tag `tag:yaml.org,2002:map`", "1:23 YAML_TAG the YAML tag `!x`"}},
        Refusal{"DuplicateKey",
                "project:\n  name: shop\n  name: shop\n",
                {"3:3 DUPLICATE_KEY key `name` stands here a second time; the first is at line 2, column 3"}},
        Refusal{"DuplicateKeyOfOtherSpelling", "project: {name: shop, \"name\": shop}\n", {"1:23 DUPLICATE_KEY"}},
        Refusal{"DuplicateSection", Project("sources: []\nsources: [{name: s, topic: t}]\n"), {"3:1 DUPLICATE_KEY"}},
        Refusal{"DuplicateListIsNotAdded",
                Project("sources: [{name: s, topic: t}]\nsources: [{name: S, topic: t}]\n"),
                {"3:1 DUPLICATE_KEY"}},
        Refusal{"MergeKey",
                "x: &a {name: shop}\nproject:\n  <<: *a\n",
                {"1:1 UNKNOWN_KEY", "3:3 MISSING_FIELD", "3:3 YAML_MERGE_KEY"}},
        Refusal{"TwoDocuments",
                "project: {name: shop}\n---\nproject: {name: shop}\n",
                {"2:1 YAML_MANY_DOCUMENTS a second YAML document"}},
        Refusal{"UnknownAlias", "project: *p\n", {"1:10 YAML_ALIAS no anchor `&p`"}},
        Refusal{"AliasInItself", "project: &p [*p]\n", {"1:14 YAML_ALIAS `*p` stands inside"}},
        Refusal{"ListAsKey", "project: {name: shop, [a]: b}\n", {"1:23 YAML_KEY a key must be plain text"}},
        Refusal{"TopIsList",
                "- project\n",
                {"1:1 MISSING_FIELD", "1:1 WRONG_TYPE a project file is a mapping of keys, this is a list"}},
        Refusal{"TopIsText", "project\n", {"1:1 MISSING_FIELD", "1:1 WRONG_TYPE"}},
        Refusal{"MappingForText",
                "project: {name: {a: b}}\n",
                {"1:17 WRONG_TYPE `name` wants a single value, this is a mapping"}},
        Refusal{
            "ListForText", "project: {name: [a]}\n", {"1:17 WRONG_TYPE `name` wants a single value, this is a list"}},
        Refusal{"TextForSection",
                "project: shop\n",
                {"1:10 MISSING_FIELD", "1:10 WRONG_TYPE `project` is a mapping of keys"}},
        Refusal{"MappingForList",
                Project("sources: {name: s}\n"),
                {"2:10 WRONG_TYPE `sources` wants a list, this is a mapping"}},
        Refusal{"TextForList",
                Project("sources: [{name: s, topic: t, tags: a}]\n"),
                {"2:37 WRONG_TYPE `tags` wants a list"}},
        Refusal{"EmptyItem", Project("sources:\n  -\n"), {"3:4 WRONG_TYPE an item of `sources` is empty"}},
        Refusal{"QuotedNumber",
                Project("defaults: {topic: {partitions: \"3\"}}\n"),
                {"2:32 WRONG_TYPE `partitions` wants a whole number, not text in quotes"}},
        Refusal{"Fraction",
                Project("defaults: {topic: {partitions: 3.0}}\n"),
                {"2:32 WRONG_TYPE `partitions` wants a whole number"}},
        Refusal{"NegativeNumber",
                Project("defaults: {topic: {partitions: -3}}\n"),
                {"2:32 WRONG_TYPE `partitions` wants a whole number from 0 to 4294967295"}},
        Refusal{"HugeNumber",
                Project("defaults: {topic: {partitions: 99999999999999999999}}\n"),
                {"2:32 WRONG_TYPE `partitions` wants a whole number from 0"}},
        Refusal{"YesIsNoBoolean",
                Project("safety: {protected: yes}\n"),
                {"2:21 WRONG_TYPE `protected` wants true or false"}},
        Refusal{"TrueInCapitals", Project("safety: {protected: True}\n"), {"2:21 WRONG_TYPE"}},
        Refusal{"QuotedBoolean",
                Project("safety: {protected: 'true'}\n"),
                {"2:21 WRONG_TYPE `protected` wants true or false, not text"}},
        Refusal{"ConfigAsList",
                Project("models: [{name: m, materialized: topic, topic: {config: [{a: b}]}}]\n"),
                {"2:57 WRONG_TYPE `config` wants a mapping, this is a list"}},
        Refusal{"ConfigWithoutValue",
                Project("models: [{name: m, materialized: topic, topic: {config: {a.b: }}}]\n"),
                {"2:58 MISSING_FIELD `a.b` has no value"}},
        Refusal{"ConfigOfList",
                Project("models: [{name: m, materialized: topic, topic: {config: {a: [b]}}}]\n"),
                {"2:61 WRONG_TYPE `value` wants a single value"}}),
    [](const auto& each) { return each.param.name; });

TEST(Yaml, EmptyFilesAndSectionsAreNothing) {
  for (const std::string_view empty : {"", "\n", "# nothing\n", "---\n", "\xEF\xBB\xBF", "~\n", "null\n"}) {
    EXPECT_THAT(LoadYaml(empty).findings, ElementsAre(StartsWith("stream_project.yml:1:1 MISSING_FIELD `project`")))
        << empty;
  }
  const Outcome outcome =
      LoadYaml(Project("runtime:\nsources:\nmodels: ~\nexposures: null\ntests: []\nrules: {}\ndefaults: {topic: "
                       "}\nsafety: {protected: }\n"));
  EXPECT_THAT(outcome.findings, IsEmpty());
  EXPECT_FALSE(outcome.project().has_runtime());
  EXPECT_FALSE(outcome.project().safety().has_protected_());
}

TEST(Yaml, TextFieldsTakePlainScalarsAsWritten) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"no", "no"},       {"1.10", "1.10"},   {"0123", "0123"},  {"true", "true"},
      {"0x1F", "0x1F"},   {"NULL", "NULL"},   {"1e3", "1e3"},    {"2001-01-01", "2001-01-01"},
      {"\"\"", ""},       {"'null'", "null"}, {"\"~\"", "~"},    {"' a '", " a "},
      {"\"\\x41\"", "A"}, {"a # b", "a"},     {"größe", "größe"}};
  for (const auto& [yaml, text] : cases) {
    const Outcome outcome = LoadYaml(absl::StrCat("project:\n  name: shop\n  version: ", yaml, "\n"));
    EXPECT_THAT(outcome.findings, IsEmpty()) << yaml;
    EXPECT_TRUE(outcome.project().project().has_version()) << yaml;
    EXPECT_EQ(outcome.project().project().version(), text) << yaml;
  }
  for (const std::string_view absent : {"", "~", "null"}) {
    EXPECT_FALSE(
        LoadYaml(absl::StrCat("project:\n  name: shop\n  version: ", absent, "\n")).project().project().has_version());
  }
}

TEST(Yaml, NumbersFollowTheCoreSchema) {
  for (const auto& [yaml, number] : std::vector<std::pair<std::string, uint32_t>>{
           {"3", 3}, {"+3", 3}, {"007", 7}, {"0x1F", 31}, {"0o17", 15}, {"2147483647", 2147483647}}) {
    const Outcome outcome = LoadYaml(Project(absl::StrCat("defaults: {topic: {partitions: ", yaml, "}}\n")));
    EXPECT_THAT(outcome.findings, IsEmpty()) << yaml;
    EXPECT_EQ(outcome.project().defaults().topic().partitions(), number);
  }
}

TEST(Yaml, ConfigIsAMapping) {
  const Outcome outcome =
      LoadYaml(Project("models:\n  - name: m\n    materialized: topic\n    topic:\n      config: {retention.ms: "
                       "604800000, cleanup.policy: "
                       "\"compact,delete\", x: no, empty: \"\"}\n"));
  EXPECT_THAT(outcome.findings, IsEmpty());
  std::string all;
  for (const v1::ConfigEntry& entry : outcome.project().models(0).topic().config()) {
    absl::StrAppend(&all, entry.key(), "=", entry.value(), ";");
  }
  EXPECT_EQ(all, "retention.ms=604800000;cleanup.policy=compact,delete;x=no;empty=;");
}

TEST(Yaml, AliasesStandForWholeValues) {
  const Outcome outcome =
      LoadYaml(Project("sources:\n  - {name: a, topic: t, columns: &c [{name: id, type: &s STRING}]}\n  - {name: b, "
                       "topic: *s, columns: *c}\n"));
  EXPECT_THAT(outcome.findings, IsEmpty());
  EXPECT_EQ(outcome.project().sources(1).topic(), "STRING");
  EXPECT_EQ(outcome.project().sources(1).columns(0).name(), "id");
}

TEST(Yaml, AliasBombIsRefused) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    absl::StrAppend(&bomb, "a", i, ": &a", i, " [");
    for (int j = 0; j < 10; ++j) absl::StrAppend(&bomb, "*a", i - 1, ", ");
    absl::StrAppend(&bomb, "x]\n");
  }
  const Outcome outcome = LoadYaml(bomb);
  ASSERT_THAT(outcome.All(),
              HasSubstr("YAML_ALIAS_LIMIT the aliases of this file add more than 100000 values or 4 MiB"));
  EXPECT_THAT(outcome.findings.size(), 1U);
  EXPECT_FALSE(outcome.loaded->complete);
}

TEST(Yaml, AliasBombOfBytesIsRefused) {
  std::string bomb = absl::StrCat("a: &a ", std::string(1 << 20, 'x'), "\nb: [*a, *a, *a, *a]\n");
  diag::Diagnostics diagnostics;
  YamlTree tree;
  EXPECT_TRUE(tree.Parse(bomb, "f", &diagnostics));
  bomb.insert(bomb.size() - 2, ", *a");
  EXPECT_FALSE(tree.Parse(bomb, "f", &diagnostics));
  ASSERT_EQ(diagnostics.errors(), 1);
  EXPECT_EQ(diagnostics.Sorted()[0].code, "YAML_ALIAS_LIMIT");
}

std::string Nested(int depth) { return std::string(depth, '[') + std::string(depth, ']') + "\n"; }

TEST(Yaml, NestingIsLimited) {
  diag::Diagnostics diagnostics;
  YamlTree tree;
  EXPECT_TRUE(tree.Parse(Nested(kMaxYamlNesting), "f", &diagnostics));
  EXPECT_FALSE(tree.Parse(Nested(kMaxYamlNesting + 1), "f", &diagnostics));
  ASSERT_EQ(diagnostics.errors(), 1);
  EXPECT_EQ(diagnostics.Sorted()[0].code, "YAML_TOO_DEEP");
  EXPECT_EQ(diagnostics.Sorted()[0].position.column, kMaxYamlNesting + 1);
}

TEST(Yaml, NestingIsLimitedThroughAliases) {
  // Each line is one level deeper than the one that it names; the file's own list adds one.
  std::string text = "- &a0 [x]\n";
  for (int i = 1; i < kMaxYamlNesting - 1; ++i) absl::StrAppend(&text, "- &a", i, " [*a", i - 1, "]\n");
  diag::Diagnostics diagnostics;
  YamlTree tree;
  EXPECT_TRUE(tree.Parse(text, "f", &diagnostics));
  absl::StrAppend(&text, "- [*a", kMaxYamlNesting - 2, "]\n");
  EXPECT_FALSE(tree.Parse(text, "f", &diagnostics));
  ASSERT_EQ(diagnostics.errors(), 1);
  EXPECT_EQ(diagnostics.Sorted()[0].code, "YAML_TOO_DEEP");
}

TEST(Yaml, ASyntaxErrorEndsItsFileOnly) {
  TestFolder folder;
  folder.Write("stream_project.yml", kProjectLine)
      .Write("sources/a.yml", "sources: [\n")
      .Write("sources/b.yml", "x: 1\n");
  const Outcome outcome = folder.Load();
  EXPECT_THAT(outcome.findings,
              ElementsAre(StartsWith("sources/a.yml:2:1 YAML_SYNTAX"),
                          StartsWith("sources/b.yml:1:1 UNKNOWN_KEY unknown key `x` in a project file")));
  EXPECT_FALSE(outcome.loaded->complete);
}

TEST(Yaml, FindingsAreBounded) {
  std::string many = "sources:\n";
  for (int i = 0; i < 20'000; ++i) many += "- {a: 1}\n";
  std::string tags = "a: [";
  for (int i = 0; i < 20'000; ++i) tags += "!t x, ";
  for (const std::string& text : {many, tags + "x]\n"}) {
    TestFolder folder;
    folder.Write("stream_project.yml", kProjectLine).Write("sources/a.yml", text).Write("sources/b.yml", "x: 1\n");
    const Outcome outcome = folder.Load();
    EXPECT_EQ(outcome.findings.size(), 1001U);
    EXPECT_THAT(outcome.findings[0], StartsWith(".:0:0 TOO_MANY there are 1000 errors or more"));
    EXPECT_FALSE(outcome.loaded.has_value());
  }
}

TEST(Yaml, ColumnsCountCharacters) {
  EXPECT_THAT(LoadYaml("project: {version: größe, nam: x}\n").All(), HasSubstr("stream_project.yml:1:27 UNKNOWN_KEY"));
  EXPECT_THAT(LoadYaml("\xEF\xBB\xBFproject: {nam: x}\n").All(), HasSubstr("stream_project.yml:1:11 UNKNOWN_KEY"));
}

}  // namespace
}  // namespace st::project
