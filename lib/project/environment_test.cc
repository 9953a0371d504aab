// environments/: which one, and what it overrides.
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

TEST(Environment, IsDefaultWithoutAFolder) {
  TestFolder folder;
  folder.Write("stream_project.yml", kProjectLine);
  EXPECT_EQ(folder.Load().loaded->environment, "default");
  const Outcome named = folder.Load("dev");
  EXPECT_FALSE(named.loaded.has_value());
  EXPECT_THAT(named.findings,
              ElementsAre(StartsWith(".:0:0 UNKNOWN_ENVIRONMENT `--env=dev`, but this project has no environments")));
}

TEST(Environment, TheOnlyOneIsTaken) {
  TestFolder folder;
  folder.Write("stream_project.yml", kProjectLine).Write("environments/dev.yml", "safety: {protected: true}\n");
  const Outcome outcome = folder.Load();
  EXPECT_THAT(outcome.findings, IsEmpty());
  EXPECT_EQ(outcome.loaded->environment, "dev");
  EXPECT_TRUE(outcome.project().safety().protected_());
}

TEST(Environment, OneOfSeveralMustBeChosen) {
  TestFolder folder;
  folder.Write("stream_project.yml", kProjectLine)
      .Write("environments/prod.yml", "")
      .Write("environments/dev.yaml", "");
  folder.Write("environments/eu/test.textproto", "safety { protected: true }\n").Write("environments/README.md", "x");
  const Outcome none = folder.Load();
  EXPECT_FALSE(none.loaded.has_value());
  EXPECT_THAT(none.findings,
              ElementsAre("environments:0:0 UNKNOWN_ENVIRONMENT which environment? There are dev, prod, test | "
                          "choose one, for example --env=dev"));
  EXPECT_THAT(
      folder.Load("prd").findings,
      ElementsAre(StartsWith(
          "environments:0:0 UNKNOWN_ENVIRONMENT there is no environment `prd` | choose one of dev, prod, test")));
  EXPECT_EQ(folder.Load("dev").loaded->environment, "dev");
  const Outcome test = folder.Load("test");
  EXPECT_THAT(test.findings, IsEmpty());
  EXPECT_TRUE(test.project().safety().protected_());
}

TEST(Environment, NamesAreChecked) {
  TestFolder folder;
  folder.Write("stream_project.yml", kProjectLine).Write("environments/Dev.yml", "").Write("environments/a.b.yml", "");
  EXPECT_THAT(folder.Load().findings,
              ElementsAre(StartsWith("environments/Dev.yml:0:0 BAD_NAME `Dev` is no name for an environment"),
                          StartsWith("environments/a.b.yml:0:0 BAD_NAME")));
}

TEST(Environment, TwoFilesForOneAreRefused) {
  TestFolder folder;
  folder.Write("stream_project.yml", kProjectLine).Write("environments/dev.yml", "").Write("environments/dev.yaml", "");
  EXPECT_THAT(
      folder.Load().findings,
      ElementsAre(StartsWith(
          "environments/dev.yml:0:0 DUPLICATE_FILE environment `dev` is declared by environments/dev.yaml already")));
}

TEST(Environment, AnEmptyFolderIsRefused) {
  TestFolder folder;
  folder.Write("stream_project.yml", kProjectLine).Write("environments/README.md", "x");
  EXPECT_THAT(folder.Load().findings,
              ElementsAre(StartsWith("environments:0:0 UNKNOWN_ENVIRONMENT no environment is declared")));
  EXPECT_FALSE(folder.Load().loaded.has_value());
}

TEST(Environment, OverridesFieldByField) {
  TestFolder folder;
  folder.Write("stream_project.yml", R"(
project: {name: shop}
runtime:
  kafka: {bootstrap_servers: "base:1", security_protocol: PLAINTEXT, ssl_ca_location: /ca}
  runner: {host: process, initial_offset: earliest}
deployment_state: {backend: sqlite, path: /base}
safety: {require_reviewed_plan: true, allow_destructive: true}
)");
  folder.Write("environments/dev.yml", R"(
runtime:
  kafka: {bootstrap_servers: "dev:1"}
  runner: {commit_interval_ms: 50}
deployment_state: {path: /dev}
safety: {allow_destructive: false}
environment: {protected: true}
)");
  const Outcome outcome = folder.Load();
  EXPECT_THAT(outcome.findings, IsEmpty());
  const v1::Project& project = outcome.project();
  EXPECT_EQ(project.runtime().kafka().bootstrap_servers(), "dev:1");
  EXPECT_EQ(project.runtime().kafka().security_protocol(), "PLAINTEXT");
  EXPECT_EQ(project.runtime().kafka().ssl_ca_location(), "/ca");
  EXPECT_EQ(project.runtime().runner().host(), "process");
  EXPECT_EQ(project.runtime().runner().commit_interval_ms(), 50U);
  EXPECT_EQ(project.deployment_state().backend(), "sqlite");
  EXPECT_EQ(project.deployment_state().path(), "/dev");
  EXPECT_TRUE(project.safety().require_reviewed_plan());
  EXPECT_TRUE(project.safety().has_allow_destructive());
  EXPECT_FALSE(project.safety().allow_destructive());
  EXPECT_TRUE(project.safety().protected_());
}

TEST(Environment, MakesSectionsThatTheProjectLacks) {
  TestFolder folder;
  folder.Write("stream_project.yml", kProjectLine)
      .Write("environments/dev.yml", "runtime: {kafka: {bootstrap_servers: 'dev:1'}}\n");
  EXPECT_EQ(folder.Load().project().runtime().kafka().bootstrap_servers(), "dev:1");
}

TEST(Environment, FindingsPointAtTheOverride) {
  TestFolder folder;
  folder.Write("stream_project.yml", "project: {name: shop}\nruntime: {runner: {host: process}}\n");
  folder.Write("environments/dev.yml", "\n\nruntime: {runner: {host: podman}}\n");
  EXPECT_THAT(folder.Load().findings, ElementsAre(StartsWith("environments/dev.yml:3:26 UNKNOWN_VALUE")));
  folder.Write("environments/dev.yml", "runtime: {kafka: {security_protocol: SSL}}\n");
  EXPECT_THAT(folder.Load().findings,
              ElementsAre(StartsWith("environments/dev.yml:1:18 MISSING_FIELD `bootstrap_servers`")));
}

TEST(Environment, OverridesProtectedOfTheProject) {
  TestFolder folder;
  folder.Write("stream_project.yml", "project: {name: shop}\nsafety: {protected: true}\n");
  folder.Write("environments/dev.yml", "environment: {protected: false}\n");
  const Outcome outcome = folder.Load();
  EXPECT_THAT(outcome.findings, IsEmpty());
  EXPECT_FALSE(outcome.project().safety().protected_());
  folder.Write("stream_project.yml", "project: {name: shop}\nenvironment: {protected: true}\n");
  for (const char* spelling : {"environment: {protected: false}\n", "safety: {protected: false}\n"}) {
    folder.Write("environments/dev.yml", spelling);
    EXPECT_FALSE(folder.Load().project().safety().protected_()) << spelling;
  }
  folder.Write("environments/dev.yml", "environment: {protected: false}\nsafety: {protected: true}\n");
  EXPECT_THAT(folder.Load().findings, ElementsAre(StartsWith("environments/dev.yml:1:26 CONTRADICTION")));
}

TEST(Environment, HoldsNothingElse) {
  TestFolder folder;
  folder.Write("stream_project.yml", kProjectLine);
  folder.Write("environments/dev.yml", "models: []\nsaftey: {}\nenvironment: {name: dev, description: d}\n");
  EXPECT_THAT(
      folder.Load().findings,
      ElementsAre(StartsWith("environments/dev.yml:1:1 UNSUPPORTED_KEY `models` does not stand in an environment file"),
                  StartsWith("environments/dev.yml:2:1 UNKNOWN_KEY unknown key `saftey` in an environment file | did "
                             "you mean `safety`?"),
                  StartsWith("environments/dev.yml:3:15 UNSUPPORTED_KEY `name`"),
                  StartsWith("environments/dev.yml:3:26 UNSUPPORTED_KEY `description`")));
}

TEST(Environment, OnlyTheChosenOneIsRead) {
  TestFolder folder;
  folder.Write("stream_project.yml", kProjectLine)
      .Write("environments/dev.yml", "")
      .Write("environments/prod.yml", "${UNSET}");
  EXPECT_THAT(folder.Load("dev").findings, IsEmpty());
}

}  // namespace
}  // namespace st::project
