// The form of sources, models, exposures and tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "lib/project/test_folder.h"

namespace st::project {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::string_view kRunner = "runtime: {runner: {host: process, initial_offset: earliest}}\n";

struct Case {
  std::string yaml;     // the third line
  std::string finding;  // its beginning; empty: none
};

void Check(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    const Outcome outcome = LoadYaml(absl::StrCat(kProjectLine, kRunner, each.yaml, "\n"));
    if (each.finding.empty()) {
      EXPECT_THAT(outcome.findings, IsEmpty()) << each.yaml;
    } else {
      EXPECT_THAT(outcome.findings, ElementsAre(StartsWith("stream_project.yml:" + each.finding))) << each.yaml;
    }
  }
}

std::string Source(std::string_view rest) { return absl::StrCat("sources: [{name: s, topic: t, ", rest, "}]"); }
std::string Sql(std::string_view rest) {
  return absl::StrCat("models: [{name: m, executor: runner, sql: q, ", rest, "}]");
}
std::string Topic(std::string_view rest) {
  return absl::StrCat("models: [{name: m, materialized: topic, ", rest, "}]");
}

TEST(Declarations, Sources) {
  Check({{Source("owner: o, description: d, tags: [a, b], completeness: c"), ""},
         {Source("provenance: {cluster_id: c, topic_id: i, partitions: 3, imported_at: a, imported_by: b}"), ""},
         {"sources: [{topic: t}]", "3:11 MISSING_FIELD `name` is missing"},
         {"sources: [{name: s}]", "3:11 MISSING_FIELD `topic` is missing"},
         {"sources: [{name: s, topic: ''}]", "3:28 MISSING_FIELD `topic` is empty"},
         {"sources: [{name: a-b, topic: t}]", "3:18 BAD_NAME `a-b` is no name for a source"},
         {"sources: [{name: " + std::string(249, 'a') + ", topic: t}]", ""},
         {Source("extra_members: ignore"), ""},
         {Source("extra_members: drop"),
          "3:46 UNKNOWN_VALUE unknown value `drop` for `extra_members` | known are refuse, ignore"}});
}

TEST(Declarations, Columns) {
  const auto columns = [](std::string_view rest) { return Source(absl::StrCat("columns: [", rest, "]")); };
  Check({{columns("{name: a, type: STRING, required: true, description: d}, {name: b, type: ANY, member: B}"), ""},
         {columns("{type: ANY}"), "3:41 MISSING_FIELD `name` is missing"},
         {columns("{name: a}"), "3:41 MISSING_FIELD `type` is missing"},
         {columns("{name: shipTo, type: ANY}"), "3:48 BAD_NAME `shipTo` is no name for a column"},
         {columns("{name: " + std::string(64, 'a') + ", type: ANY}"), ""},
         {columns("{name: " + std::string(65, 'a') + ", type: ANY}"),
          "3:48 BAD_NAME the name of a column has more than 64 bytes"},
         {columns("{name: a, type: ANY}, {name: a, type: ANY}"),
          "3:70 DUPLICATE_NAME column `a` stands in this list already"},
         {columns("{name: a, type: ANY, member: ''}"), "3:70 BAD_VALUE `member` must have 1 to 256 bytes"},
         {columns("{name: a, type: ANY, member: " + std::string(256, 'm') + "}"), ""},
         {columns("{name: a, type: ANY, member: " + std::string(257, 'm') + "}"), "3:70 BAD_VALUE `member`"},
         {columns("{name: a, type: ANY, member: m}, {name: b, type: ANY, member: m}"),
          "3:103 DUPLICATE_NAME member `m` is the column `a` already"},
         {columns("{name: a, type: ANY, member: b}, {name: b, type: ANY}"),
          "3:81 DUPLICATE_NAME member `b` is the column `a` already"}});
}

TEST(Declarations, ModelsWithSql) {
  const std::string model = "models: [{name: m, ";
  Check({{Sql("description: d, owner: o, tags: [a], running: false, ownership: {mode: managed}, materialized: topic"),
          ""},
         {Sql("columns: [{name: a}, {name: b, type: BIGINT, required: true}]"), ""},
         {"models: [{name: m, sql: q}]",
          "3:10 MISSING_FIELD `executor` is missing: a model with SQL says what runs it | write `executor: runner`"},
         {Sql("columns: [{name: a, member: b}]"), "3:74 BAD_VALUE `member` stands only on columns of a source"},
         {Sql("extra_members: ignore"), "3:61 BAD_VALUE `extra_members` stands only on sources"},
         {Sql("running: maybe"), "3:55 WRONG_TYPE"},
         {Sql("ownership: {mode: mine}"), "3:64 UNKNOWN_VALUE unknown value `mine` for `mode`"},
         {"models: [{name: m-n, executor: runner, sql: q}]", "3:17 BAD_NAME `m-n` is no name for a model"},
         {model + "executor: runner, sql: q, sql_file: f.sql}]",
          "3:56 SQL_FILE a model has either `sql` or `sql_file`"}});
}

TEST(Declarations, ModelsWithoutSql) {
  Check({{Topic("columns: [{name: a, type: ANY, member: b}], extra_members: ignore"), ""},
         {"models: [{name: m}]", "3:10 MISSING_FIELD a model has neither `sql` nor `materialized: topic`"},
         {Topic("executor: runner"), "3:51 BAD_VALUE `executor` stands only on a model with SQL"},
         {Topic("running: true"), "3:50 BAD_VALUE `running` stands only on a model with SQL"},
         {Topic("columns: [{name: a}]"), "3:51 MISSING_FIELD `type` is missing"},
         // The wrong SQL has its finding; the model is not called one without.
         {"models: [{name: m, sql: [q]}]", "3:25 WRONG_TYPE"}});
}

TEST(Declarations, Topics) {
  const auto topic = [](std::string_view rest) { return Topic(absl::StrCat("topic: {", rest, "}")); };
  Check({{topic("name: Any.Name-1, partitions: 1, replication_factor: 1, config: {a.b: c}"), ""},
         {topic("name: ''"), "3:55 MISSING_FIELD `name` is empty"},
         {topic("partitions: 0"), "3:61 BAD_VALUE `partitions`"},
         {topic("replication_factor: 0"), "3:69 BAD_VALUE `replication_factor`"},
         {topic("config: {a: ' b'}"), "3:61 BAD_VALUE the value of `a` has blanks around it"},
         {topic("config: {a: \"b\\t\"}"), "3:61 INVISIBLE_CHARACTER"},
         {topic("config: {' a': b}"), "3:58 BAD_VALUE a topic setting's name is empty, or holds blanks"},
         {topic("config: {'': b}"), "3:58 BAD_VALUE"},
         {topic("config: {a: b, a: c}"), "3:64 DUPLICATE_KEY"}});
}

TEST(Declarations, ApplicationIdsAreBounded) {
  // `st.` and the two dots are 5 bytes, `shop` 4, `default` 7.
  const std::string longest(239, 'm');
  const auto model = [](const std::string& name) { return "models: [{name: " + name + ", executor: runner, sql: q}]"; };
  Check({{model(longest), ""},
         {model(longest + "m"),
          "3:17 BAD_NAME the names of project, environment and model have together more than 250 bytes"}});
}

TEST(Declarations, Exposures) {
  const auto exposure = [](std::string_view rest) {
    return absl::StrCat("exposures: [{name: e-1, type: application, ", rest, "}]");
  };
  Check({{exposure("owner: o, repository: r, url: u, tags: [a], consumer_group: g, consumes: [{ref: a}, {source: b}], "
                   "produces: [{ref: c}], columns: [{name: a, type: BIGINT}]"),
          ""},
         {"exposures: [{type: other}]", "3:13 MISSING_FIELD `name` is missing"},
         {"exposures: [{name: e}]", "3:13 MISSING_FIELD `type` is missing"},
         {"exposures: [{name: e, type: app}]", "3:29 UNKNOWN_VALUE unknown value `app` for `type`"},
         {"exposures: [{name: E, type: other}]", "3:20 BAD_NAME `E` is no name for an exposure"},
         {exposure("consumes: [{}]"), "3:55 BAD_VALUE a reference names nothing"},
         {exposure("consumes: [{ref: ''}]"), "3:55 BAD_VALUE a reference names nothing"},
         {exposure("produces: [{ref: a, source: b}]"),
          "3:55 BAD_VALUE a reference is either a `source` or a `ref`, not both"},
         {exposure("consumes: [{ref: a}], columns: [{name: a}]"), "3:76 MISSING_FIELD `type` is missing"},
         {exposure("columns: [{name: a, type: ANY}]"), "3:44 MISSING_FIELD `columns` are needed from what is consumed"},
         {exposure("consumes: [{ref: a}], columns: [{name: a, type: ANY, member: b}]"),
          "3:105 BAD_VALUE `member` stands only"}});
}

TEST(Declarations, Tests) {
  Check({{"tests: [{name: t-1, model: m, given: [{}], expect: []}]", ""},
         {"tests: [{model: m, given: [{}]}]", "3:9 MISSING_FIELD `name` is missing"},
         {"tests: [{name: t, given: [{}]}]", "3:9 MISSING_FIELD `model` is missing"},
         {"tests: [{name: t, model: m, given: []}]", "3:29 MISSING_FIELD `given` is missing"},
         {"tests: [{name: t, model: m, given: {}}]", "3:36 WRONG_TYPE `given` wants a list"},
         {"tests: [{name: t, model: m}]", "3:9 MISSING_FIELD `given` is missing: a test needs rows"},
         {"tests: [{name: T, model: m, given: [{}]}]", "3:16 BAD_NAME `T` is no name for a test"}});
}

TEST(Declarations, AllFindingsComeInOneRun) {
  const Outcome outcome = LoadYaml(R"(
project: {name: Shop}
sources:
  - {name: A, topik: t}
  - {name: b, topic: t, columns: [{name: c}]}
models:
  - {name: m, executor: kafka_streams, sql: q}
exposures:
  - {name: e}
)");
  EXPECT_THAT(outcome.findings,
              ElementsAre(HasSubstr(":1:1 MISSING_FIELD `runtime.runner.host`"),
                          HasSubstr(":1:1 MISSING_FIELD `runtime.runner.initial_offset`"),
                          HasSubstr(":2:17 BAD_NAME `Shop`"), HasSubstr(":4:5 MISSING_FIELD `topic` is missing"),
                          HasSubstr(":4:12 BAD_NAME `A`"), HasSubstr(":4:15 UNKNOWN_KEY unknown key `topik`"),
                          HasSubstr(":5:35 MISSING_FIELD `type` is missing"), HasSubstr(":7:25 UNSUPPORTED_VALUE"),
                          HasSubstr(":9:5 MISSING_FIELD `type` is missing")))
      << outcome.All();
}

}  // namespace
}  // namespace st::project
