// Where values and statements stand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "lib/project/test_folder.h"

namespace st::project {
namespace {

std::string At(const diag::Position& position) {
  const size_t slash = position.file.rfind('/');
  return absl::StrCat(position.file.substr(slash == std::string::npos ? 0 : slash + 1), ":", position.line, ":",
                      position.column);
}

TEST(Positions, OfMessagesFieldsAndItems) {
  TestFolder folder;
  folder.Write("stream_project.yml", kProjectLine).Write("sources/s.yml", R"(sources:
  - name: a
    topic: t
    tags: [x, y]
  - name: b
    topic: t
    columns:
      - {name: c, type: ANY}
)");
  folder.Write("sources/z.yml", "sources: [{name: z, topic: t}]\n");
  const Outcome outcome = folder.Load();
  const Positions& positions = outcome.loaded->positions;
  const v1::Project& project = outcome.project();
  EXPECT_EQ(At(positions.Of(project)), "stream_project.yml:1:1");
  EXPECT_EQ(At(positions.Of(project, "sources", 1)), "s.yml:5:5");
  EXPECT_EQ(At(positions.Of(project, "sources", 2)), "z.yml:1:11");
  EXPECT_EQ(At(positions.Of(project, "models")), "stream_project.yml:1:1");
  const v1::Source& a = project.sources(0);
  EXPECT_EQ(At(positions.Of(a)), "s.yml:2:5");
  EXPECT_EQ(At(positions.Of(a, "name")), "s.yml:2:11");
  EXPECT_EQ(At(positions.Of(a, "tags")), "s.yml:4:5");
  EXPECT_EQ(At(positions.Of(a, "tags", 1)), "s.yml:4:15");
  EXPECT_EQ(At(positions.Of(a, "tags", 9)), "s.yml:4:5");
  EXPECT_EQ(At(positions.Of(a, "owner")), "s.yml:2:5");
  EXPECT_EQ(At(positions.Of(project.sources(1), "columns", 0)), "s.yml:8:9");
  EXPECT_EQ(At(positions.Of(project.sources(1).columns(0), "type")), "s.yml:8:25");
  // Not there at all.
  EXPECT_EQ(At(positions.Of(project.runtime().kafka(), "bootstrap_servers")), "stream_project.yml:1:1");
  EXPECT_EQ(At(Positions().Of(project)), ":0:0");
}

TEST(Positions, KnowWhatCameFromAVariable) {
  TestFolder folder;
  folder.Variable("T", "t").Write("stream_project.yml",
                                  "project: {name: shop, version: '${T}', description: '${T:-x}'}\nsources: [{name: a, "
                                  "topic: t, tags: [b, '${T}']}]\n");
  const Outcome outcome = folder.Load();
  const Positions& positions = outcome.loaded->positions;
  EXPECT_TRUE(positions.FromVariable(outcome.project().project(), "version"));
  EXPECT_TRUE(positions.FromVariable(outcome.project().project(), "description"));
  EXPECT_FALSE(positions.FromVariable(outcome.project().project(), "name"));
  EXPECT_FALSE(positions.FromVariable(outcome.project().sources(0), "topic"));
  EXPECT_FALSE(positions.FromVariable(outcome.project().sources(0), "tags", 0));
  EXPECT_TRUE(positions.FromVariable(outcome.project().sources(0), "tags", 1));
}

struct SqlCase {
  std::string name;
  std::string yaml;  // from `sql:` on, indented by 4
  std::string at;    // of the first `X` in the statement
  std::string note;
};

class SqlPosition : public ::testing::TestWithParam<SqlCase> {};

TEST_P(SqlPosition, IsThatInTheFile) {
  const Outcome outcome = LoadYaml(absl::StrCat("models:\n  - name: m\n", GetParam().yaml));
  ASSERT_EQ(outcome.project().models_size(), 1) << outcome.All();
  const v1::Model& model = outcome.project().models(0);
  const size_t offset = model.sql().find('X');
  ASSERT_NE(offset, std::string::npos) << model.sql();
  std::string note;
  EXPECT_EQ(At(outcome.loaded->positions.InSql(model, offset, &note)), "stream_project.yml:" + GetParam().at);
  EXPECT_EQ(note, GetParam().note);
}

INSTANTIATE_TEST_SUITE_P(
    All, SqlPosition,
    ::testing::Values(
        SqlCase{"Literal", "    sql: |\n      SELECT a\n        FROM X\n", "5:14", ""},
        SqlCase{"LiteralWithBlankLines", "    sql: |\n\n      SELECT a\n\n      FROM X\n", "7:12", ""},
        SqlCase{"LiteralStripped", "    sql: |-  # note\n      SELECT X\n", "4:14", ""},
        SqlCase{"LiteralKept", "    sql: |+\n      SELECT a FROM\n      X\n\n\n    owner: o\n", "5:7", ""},
        SqlCase{"LiteralWithIndent", "    sql: |1\n       SELECT X\n", "4:15", ""},
        SqlCase{"LiteralCrLf", "    sql: |\r\n      SELECT a\r\n      FROM X\r\n", "5:12", ""},
        SqlCase{"LiteralInCharacters", "    sql: |\n      'größe' X\n", "4:15", ""},
        SqlCase{"Plain", "    sql: SELECT größe FROM X\n", "3:28", ""},
        SqlCase{"SingleQuoted", "    sql: 'SELECT X'\n", "3:18", ""},
        SqlCase{"DoubleQuoted", "    sql: \"SELECT X\"\n", "3:18", ""},
        SqlCase{"SingleQuotedEscape", "    sql: 'SELECT '''' X'\n", "3:10", "line 1, column 11 of the statement"},
        SqlCase{"DoubleQuotedEscape", "    sql: \"SELECT\\n X\"\n", "3:10", "line 2, column 2 of the statement"},
        SqlCase{"PlainFolded", "    sql: SELECT\n      X\n", "3:10", "line 1, column 8 of the statement"},
        SqlCase{"Folded", "    sql: >\n      SELECT\n      X\n", "3:10", "line 1, column 8 of the statement"}),
    [](const auto& each) { return each.param.name; });

TEST(Positions, InSqlFiles) {
  TestFolder folder;
  folder.Write("stream_project.yml", kProjectLine).Write("models/m.yml", "models: [{name: m, sql_file: m.sql}]\n");
  folder.Write("models/m.sql", "\xEF\xBB\xBFSELECT a\r\n  FROM X\r\n");
  const Outcome outcome = folder.Load();
  const v1::Model& model = outcome.project().models(0);
  std::string note;
  EXPECT_EQ(At(outcome.loaded->positions.InSql(model, model.sql().find('X'), &note)), "m.sql:2:8");
  EXPECT_EQ(note, "");
  EXPECT_EQ(At(outcome.loaded->positions.InSql(model, 0, &note)), "m.sql:1:1");
}

TEST(Positions, InSqlOfTextproto) {
  const Outcome outcome = TestFolder().LoadText("models {\n  name: 'm'\n  sql: 'SELECT a\\n'\n    'FROM X'\n}\n");
  const v1::Model& model = outcome.project().models(0);
  std::string note;
  EXPECT_EQ(At(outcome.loaded->positions.InSql(model, model.sql().find('X'), &note)), "-:3:3");
  EXPECT_EQ(note, "line 2, column 6 of the statement");
}

}  // namespace
}  // namespace st::project
