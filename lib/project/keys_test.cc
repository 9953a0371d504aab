// Unknown keys, keys of other formats, and values from closed sets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "lib/project/fields.h"
#include "lib/project/test_folder.h"

namespace st::project {
namespace {

using ::testing::HasSubstr;

std::string Project(std::string_view rest) { return absl::StrCat(kProjectLine, rest); }

TEST(Keys, AreSuggested) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"modles: []\n", "2:1 UNKNOWN_KEY unknown key `modles` in a project file | did you mean `models`?"},
      {"models: [{name: m, partitions: 3}]\n",
       "UNKNOWN_KEY unknown key `partitions` in a model | `partitions` stands in `topic`"},
      {"runtime: {kafka: {bootstrap_server: x}}\n", "did you mean `bootstrap_servers`?"},
      {"rules: {xyz: 1}\n", "unknown key `xyz` in `rules` | known here: topics, models"},
      {"sources: [{name: s, topic: t, columns: [{nam: x}]}]\n",
       "unknown key `nam` in a column | did you mean `name`?"}};
  for (const auto& [yaml, finding] : cases) EXPECT_THAT(LoadYaml(Project(yaml)).All(), HasSubstr(finding)) << yaml;
}

TEST(Keys, ShowWhatIsInvisible) {
  EXPECT_THAT(LoadYaml(Project("sour\xE2\x80\x8B"
                               "ces: []\n"))
                  .All(),
              HasSubstr("unknown key `sour\\u{200B}ces`"));
}

struct Foreign {
  std::string yaml;
  std::string finding;
};

// The keys that people bring from streamt and dbt: all that their documentation lists and we lack.
TEST(Keys, OfOtherFormatsAreRefusedByName) {
  const std::vector<Foreign> cases = {
      {"runtime: {flink: {}}",
       "2:11 UNSUPPORTED_KEY `flink` is not supported: there is no Flink here | remove it; models run by "
       "`runtime.runner`"},
      {"runtime: {connect: {}}", "`connect` is not supported"},
      {"runtime: {schema_registry: {url: x}}",
       "`schema_registry` is not supported: there is no schema registry here | remove it; sources list"},
      {"runtime: {conduktor: {}}", "`conduktor` is not supported"},
      {"runtime: {gateway: {}}", "`gateway` is not supported"},
      {"defaults: {models: {}}", "`models` is not supported | write `defaults: {topic: ...}`"},
      {"defaults: {tests: {}}", "`tests` is not supported"},
      {"udfs: []", "`udfs` is not supported"},
      {"sources: [{cluster: x}]", "`cluster` is not supported"},
      {"sources: [{schema: {}}]", "list the columns in `columns`"},
      {"sources: [{freshness: {}}]", "`freshness` is not supported"},
      {"sources: [{event_time: {}}]", "`event_time` is not supported"},
      {"sources: [{columns: [{classification: x}]}]", "`classification` is not supported"},
      {"sources: [{columns: [{proctime: true}]}]", "`proctime` is not supported"},
      {"models: [{from: [{source: x}]}]", "`from` is not supported: SQL says what a model reads"},
      {"models: [{key: x}]", "`key` is not supported"},
      {"models: [{primary_key: [x]}]", "`primary_key` is not supported"},
      {"models: [{security: {}}]", "`security` is not supported"},
      {"models: [{connector: {}}]", "declare the connector as an exposure"},
      {"models: [{sink: {}}]", "declare the sink as an exposure"},
      {"models: [{gateway: {}}]", "`gateway` is not supported"},
      {"models: [{ml_outputs: {}}]", "`ml_outputs` is not supported"},
      {"models: [{advanced: {topic: {}}}]", "`advanced` is not supported | write `topic` directly in the model"},
      {"models: [{access: private}]", "`access` is not supported"},
      {"models: [{group: g}]", "`group` is not supported"},
      {"models: [{version: 2}]", "`version` is not supported"},
      {"models: [{contract: {}}]", "`contract` is not supported | list the columns"},
      {"models: [{macro: m}]", "`macro` is not supported"},
      {"models: [{params: {}}]", "`params` is not supported"},
      {"exposures: [{role: producer}]", "`role` is not supported"},
      {"exposures: [{owners: []}]", "`owners` is not supported | name one in `owner`"},
      {"exposures: [{repo: x}]", "`repo` is called `repository` here"},
      {"exposures: [{language: x}]", "`language` is not supported"},
      {"exposures: [{tool: x}]", "`tool` is not supported"},
      {"exposures: [{depends_on: []}]", "`depends_on` is not supported"},
      {"exposures: [{sla: {}}]", "`sla` is not supported"},
      {"exposures: [{contracts: {}}]", "`contracts` is not supported"},
      {"exposures: [{access: {}}]", "`access` is not supported"},
      {"exposures: [{freshness: {}}]", "`freshness` is not supported"},
      {"exposures: [{schedule: x}]", "`schedule` is not supported"},
      {"exposures: [{data_requirements: {}}]", "`data_requirements` is not supported"},
      {"tests: [{type: sample}]", "`type` is not supported"},
      {"tests: [{assertions: []}]", "`assertions` is not supported"},
      {"tests: [{sample_size: 3}]", "`sample_size` is not supported"},
      {"tests: [{flink_cluster: x}]", "`flink_cluster` is not supported"},
      {"tests: [{on_failure: {}}]", "`on_failure` is not supported"},
      {"rules: {sources: {}}", "`sources` is not supported"},
      {"rules: {security: {}}", "`security` is not supported"},
      {"rules: {topics: {max_retention_ms: 1}}", "`max_retention_ms` is not supported"},
      {"rules: {models: {valid_owners: []}}", "`valid_owners` is not supported"},
      {"rules: {models: {max_dependencies: 1}}", "`max_dependencies` is not supported"},
      {"deployment_state: {namespace: x}", "`namespace` is not supported"},
      {"deployment_state: {postgres: {}}", "write `dsn_env` and `schema` directly"},
      {"safety: {confirm_apply: true}", "`confirm_apply` is not supported"},
      {"environment: {name: dev}", "`name` is the name of the file here"},
  };
  for (const Foreign& foreign : cases) {
    const Outcome outcome = LoadYaml(Project(foreign.yaml + "\n"));
    EXPECT_THAT(outcome.All(), HasSubstr("UNSUPPORTED_KEY")) << foreign.yaml;
    EXPECT_THAT(outcome.All(), HasSubstr(foreign.finding)) << foreign.yaml;
  }
}

// A row of the table that names a real field, or no message, would never be met.
TEST(Keys, TableOfOtherFormatsFitsTheSchema) {
  const auto* file = v1::Project::descriptor()->file();
  int found = 0;
  for (int i = 0; i < file->message_type_count(); ++i) {
    const auto* message = file->message_type(i);
    for (int j = 0; j < message->field_count(); ++j) {
      EXPECT_EQ(FindUnsupportedKey(message->name(), message->field(j)->name()), nullptr)
          << message->field(j)->full_name();
      ++found;
    }
    EXPECT_NE(SpokenName(message), message->name()) << "has no words for messages";
  }
  EXPECT_GT(found, 100);
}

TEST(Values, OfOtherFormatsAreRefusedByName) {
  const std::string model = "models: [{name: m, sql: SELECT a FROM b, ";
  const std::string runner =
      "runtime: {kafka: {bootstrap_servers: 'b:1'}, runner: {host: process, initial_offset: earliest}}\n";
  const std::vector<Foreign> cases = {
      {model + "executor: kafka_streams}]",
       "UNSUPPORTED_VALUE `executor: kafka_streams` is not supported | write `executor: runner`"},
      {model + "executor: flink}]", "UNSUPPORTED_VALUE `executor: flink`"},
      {model + "executor: runer}]", "UNKNOWN_VALUE unknown value `runer` for `executor` | did you mean `runner`?"},
      {model + "executor: runner, materialized: virtual_topic}]", "UNSUPPORTED_VALUE `materialized: virtual_topic`"},
      {model + "executor: runner, materialized: flink}]", "UNSUPPORTED_VALUE `materialized: flink`"},
      {model + "executor: runner, materialized: sink}]", "UNSUPPORTED_VALUE `materialized: sink`"},
      {model + "executor: runner, materialized: table}]", "UNSUPPORTED_VALUE `materialized: table`"},
      {"deployment_state: {backend: local}", "UNSUPPORTED_VALUE `backend: local` is not supported | write sqlite"},
      {"exposures: [{name: e, type: api}]", "UNSUPPORTED_VALUE `type: api` is not supported | write service"},
      {"sources: [{name: s, topic: t, columns: [{name: a, type: string}]}]",
       "UNKNOWN_VALUE unknown value `string` for `type` | did you mean `STRING`?"},
      {"sources: [{name: s, topic: t, columns: [{name: a, type: DECIMAL}]}]", "known are STRING, BOOLEAN, BIGINT, ANY"},
      {"sources: [{name: s, topic: t, extra_members: EXTRA_MEMBERS_UNSPECIFIED}]", "UNKNOWN_VALUE"},
  };
  for (const Foreign& foreign : cases) {
    EXPECT_THAT(LoadYaml(Project(runner + foreign.yaml + "\n")).All(), HasSubstr(foreign.finding)) << foreign.yaml;
  }
}

}  // namespace
}  // namespace st::project
