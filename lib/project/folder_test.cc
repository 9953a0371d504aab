// Which files are read, in which order, and what cannot be read.
#include "lib/project/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "lib/project/sql_files.h"
#include "lib/project/test_folder.h"

namespace st::project {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string SourceLine(std::string_view name) { return absl::StrCat("sources: [{name: ", name, ", topic: t}]\n"); }

std::string SourceNames(const Outcome& outcome) {
  std::string names;
  for (const v1::Source& source : outcome.project().sources()) absl::StrAppend(&names, source.name(), " ");
  return names;
}

TEST(Folder, ReadsAllSpellingsAndSubFoldersInOneOrder) {
  TestFolder folder;
  folder.Write("stream_project.yml", absl::StrCat(kProjectLine, SourceLine("main")));
  folder.Write("sources/b.yml", SourceLine("b"))
      .Write("sources/a/z.yaml", SourceLine("az"))
      .Write("sources/c.textproto", "sources { name: 'c' topic: 't' }\n");
  folder.Write("models/x.yml", SourceLine("m"))
      .Write("exposures/x.yml", SourceLine("e"))
      .Write("tests/x/y/z.yml", SourceLine("t"));
  // None of these declares anything.
  folder.Write("sources/.hidden.yml", "?")
      .Write("sources/.git/x.yml", "?")
      .Write("sources/README.md", "?")
      .Write("sources/x.sql", "?");
  folder.Write("sources/x.yml~", "?").Write("other/x.yml", "?").Write("x.yml", "?").Write("sources/.yml", "?");
  const Outcome outcome = folder.Load();
  EXPECT_THAT(outcome.findings, IsEmpty());
  EXPECT_EQ(SourceNames(outcome), "main az b c m e t ");
  EXPECT_TRUE(outcome.loaded->complete);
  EXPECT_EQ(outcome.loaded->folder, folder.path());
}

TEST(Folder, TakesASingleFile) {
  TestFolder folder;
  folder.Write("one.yml", absl::StrCat(kProjectLine, SourceLine("a"))).Write("sources/b.yml", SourceLine("b"));
  folder.Write("one.textproto", "project { name: 'shop' } sources { name: 'a' topic: 't' }\n").Write("one.txt", "x");
  EXPECT_EQ(SourceNames(folder.Load("", "one.yml")), "a ");
  EXPECT_EQ(SourceNames(folder.Load("", "one.textproto")), "a ");
  EXPECT_THAT(folder.Load("", "one.txt").findings,
              ElementsAre(StartsWith("one.txt:0:0 FILE_UNREADABLE a declaration file ends in .yml")));
  EXPECT_THAT(folder.Load("", "two.yml").findings,
              ElementsAre(StartsWith("two.yml:0:0 FILE_UNREADABLE there is no such file")));
  EXPECT_THAT(folder.Load("dev", "one.yml").findings, ElementsAre(StartsWith("one.yml:0:0 UNKNOWN_ENVIRONMENT")));
}

TEST(Folder, NeedsAProjectFile) {
  TestFolder folder;
  EXPECT_THAT(folder.Load().findings,
              ElementsAre(StartsWith(".:0:0 NO_PROJECT no stream_project.yml stands in this folder")));
  folder.Write("dbt_project.yml", "");
  EXPECT_THAT(folder.Load().All(), HasSubstr("a dbt_project.yml is not read"));
  folder.Write("stream_project.textproto", "project { name: 'shop' }\n");
  EXPECT_THAT(folder.Load().findings, IsEmpty());
  folder.Write("stream_project.yaml", kProjectLine);
  EXPECT_THAT(folder.Load().findings,
              ElementsAre(StartsWith(
                  "stream_project.textproto:0:0 DUPLICATE_FILE the project has stream_project.yaml already")));
}

TEST(Folder, WhatCannotBeReadIsLocated) {
  TestFolder folder;
  folder.Write("stream_project.yml", kProjectLine)
      .Write("sources/folder.yml/x.yml", SourceLine("a"))
      .Write("models", "");
  folder.Link("sources/dangling.yml", "nowhere")
      .Link("sources/loop.yml", "loop.yml")
      .Link("sources/dangling", "nowhere");
  folder.Link("sources/device.yml", "/dev/zero");
  const Outcome outcome = folder.Load();
  EXPECT_THAT(outcome.findings,
              ElementsAre(StartsWith("models:0:0 FILE_UNREADABLE must be a folder, and is none"),
                          StartsWith("sources/dangling.yml:0:0 FILE_UNREADABLE cannot be read: it is a link"),
                          StartsWith("sources/device.yml:0:0 FILE_UNREADABLE not a regular file"),
                          StartsWith("sources/folder.yml:0:0 FILE_UNREADABLE is a folder"),
                          StartsWith("sources/loop.yml:0:0 FILE_UNREADABLE cannot be read: it is a link")));
  EXPECT_FALSE(outcome.loaded->complete);
  TestFolder other;
  other.Write("stream_project.yml", kProjectLine).Link("sources/dangling.yml", "nowhere");
  EXPECT_FALSE(other.Load().loaded->complete);
}

// The first page of a process is never mapped: reading it gives EIO.
TEST(Folder, WhatTheSystemDoesNotReadIsToldApart) {
  TestFolder folder;
  folder.Write("stream_project.yml", kProjectLine).Link("sources/broken.yml", "/proc/self/mem");
  folder.Link(".env", "/proc/self/mem");
  EXPECT_THAT(folder.Load().findings,
              ElementsAre(StartsWith(".env:0:0 READ_FAILED"), StartsWith("sources/broken.yml:0:0 READ_FAILED")));
}

TEST(Folder, LinksInCirclesEnd) {
  TestFolder folder;
  folder.Write("stream_project.yml", kProjectLine).Write("sources/a.yml", SourceLine("a"));
  folder.Link("sources/up", "..").Link("sources/self", ".").Link("models", "sources");
  const Outcome outcome = folder.Load();
  EXPECT_THAT(outcome.findings, IsEmpty());
  EXPECT_EQ(SourceNames(outcome), "a ");
}

TEST(Folder, NestingIsLimited) {
  TestFolder folder;
  std::string deep = "sources";
  for (int i = 0; i <= kMaxFolderNesting; ++i) deep += "/d";
  folder.Write("stream_project.yml", kProjectLine).Write(deep + "/a.yml", SourceLine("a"));
  EXPECT_THAT(folder.Load().All(), HasSubstr("FILE_UNREADABLE folders are nested over 32 deep"));
}

TEST(Folder, LargeFilesAreRefused) {
  TestFolder folder;
  folder.Write("stream_project.yml", kProjectLine).Write("sources/a.yml", "");
  ASSERT_EQ(truncate((folder.path() + "/sources/a.yml").c_str(), 100'000'000), 0);
  EXPECT_THAT(folder.Load().findings, ElementsAre("sources/a.yml:0:0 FILE_TOO_LARGE larger than the limit of 33554432 "
                                                  "bytes; is it the right file? | split it"));
}

TEST(Folder, SectionsStandOnce) {
  TestFolder folder;
  folder.Write("stream_project.yml", absl::StrCat(kProjectLine, "safety: {protected: true}\n"));
  folder.Write("models/a.yml", "\nsafety: {protected: false}\n")
      .Write("sources/a.yml", "rules: {topics: {min_partitions: 2}}\nproject: {name: x}\n");
  const Outcome outcome = folder.Load();
  EXPECT_THAT(
      outcome.findings,
      ElementsAre(StartsWith("models/a.yml:2:9 DUPLICATE_SECTION `safety` stands at stream_project.yml:2:9 already"),
                  StartsWith("sources/a.yml:2:10 MISPLACED_SECTION `project` stands only in stream_project.yml")));
  EXPECT_TRUE(outcome.project().safety().protected_());
  EXPECT_EQ(outcome.project().rules().topics().min_partitions(), 2U);
}

constexpr std::string_view kRunner = "runtime: {runner: {host: process, initial_offset: earliest}}\n";

Outcome WithSqlFile(TestFolder& folder, std::string_view sql_file) {
  folder.Write("stream_project.yml", absl::StrCat(kProjectLine, kRunner));
  folder.Write("models/a/m.yml", absl::StrCat("models: [{name: m, executor: runner, sql_file: '", sql_file, "'}]\n"));
  return folder.Load();
}

TEST(SqlFile, IsRead) {
  TestFolder folder;
  folder.Write("models/a/m.sql", "SELECT a\nFROM b\n").Write("sql/m.sql", "\xEF\xBB\xBFSELECT a\r\nFROM b\r\n");
  for (const std::string_view path : {"m.sql", "../../sql/m.sql"}) {
    const Outcome outcome = WithSqlFile(folder, path);
    EXPECT_THAT(outcome.findings, IsEmpty());
    EXPECT_EQ(outcome.project().models(0).sql(), "SELECT a\nFROM b\n") << path;
  }
}

TEST(SqlFile, StaysInTheProject) {
  TestFolder outside;
  outside.Write("m.sql", "SELECT a FROM b\n");
  TestFolder folder;
  folder.Link("models/a/link.sql", outside.path() + "/m.sql")
      .Write("models/a/bad.sql", "SELECT \xFF")
      .Write("models/a/d.sql/x", "");
  folder.Write("models/a/big.sql", std::string(kMaxSqlFileBytes + 1, ' ')).Link("models/a/here.sql", "d.sql/x");
  const std::string at = "models/a/m.yml:1:48 SQL_FILE ";
  const std::string to_outside = "../../.." + outside.path().substr(outside.path().rfind('/')) + "/m.sql";
  EXPECT_THAT(WithSqlFile(folder, to_outside).findings, ElementsAre(HasSubstr("is outside of the project's folder")));
  EXPECT_THAT(WithSqlFile(folder, "link.sql").findings, ElementsAre(StartsWith(at + "`")));
  EXPECT_THAT(WithSqlFile(folder, "link.sql").All(), HasSubstr("is outside of the project's folder"));
  EXPECT_THAT(WithSqlFile(folder, outside.path() + "/m.sql").All(),
              StartsWith(at + "`sql_file` is a path relative to the file"));
  EXPECT_THAT(WithSqlFile(folder, "none.sql").All(), HasSubstr("models/a/none.sql` does not exist"));
  EXPECT_THAT(WithSqlFile(folder, "").All(), StartsWith(at + "`sql_file` is a path relative"));
  EXPECT_THAT(WithSqlFile(folder, "d.sql").All(), HasSubstr("folder"));
  EXPECT_THAT(WithSqlFile(folder, "big.sql").All(), HasSubstr("larger than the limit of 4194304 bytes"));
  EXPECT_THAT(WithSqlFile(folder, "bad.sql").All(), StartsWith("models/a/bad.sql:1:8 NOT_UTF8"));
  EXPECT_THAT(WithSqlFile(folder, "here.sql").findings, IsEmpty());
  EXPECT_THAT(
      TestFolder().LoadText("project { name: 'shop' } models { name: 'm' executor: 'runner' sql_file: 'x.sql' }").All(),
      HasSubstr("SQL_FILE a project on standard input has no files beside it"));
}

TEST(Folder, AnswersAreTheSameWhateverTheOrderOfFiles) {
  std::string first;
  for (const bool reversed : {false, true}) {
    TestFolder folder;
    folder.Write("stream_project.yml", kProjectLine);
    folder.Write(reversed ? "sources/b.yml" : "sources/a.yml", "x: 1\n")
        .Write(reversed ? "sources/a.yml" : "sources/b.yml", "x: 1\n");
    if (first.empty()) first = folder.Load().All();
    EXPECT_EQ(folder.Load().All(), first);
  }
  EXPECT_THAT(first, HasSubstr("sources/b.yml"));
}

}  // namespace
}  // namespace st::project
