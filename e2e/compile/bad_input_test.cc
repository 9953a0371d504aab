// st-compile and everything that people feed it by mistake: the exit code, the place, the words, and nothing on
// standard output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "e2e/command.h"
#include "lib/docio/docio.h"
#include "lib/fs/file.h"
#include "schemas/st/v1/diagnostic.pb.h"
#include "schemas/st/v1/project.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace st {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kGood =
    "project: {name: shop}\n"
    "runtime:\n"
    "  kafka: {bootstrap_servers: 'localhost:9092'}\n"
    "  runner: {host: process, initial_offset: earliest}\n";

constexpr std::string_view kSource = "sources: [{name: s, topic: t, columns: [{name: a, type: STRING}]}]\n";

std::string Model(std::string_view sql) {
  return absl::StrCat(
      kSource, "models:\n  - name: m\n    executor: runner\n    topic: {partitions: 1}\n    sql: |\n      ", sql, "\n");
}

class BadInput : public ::testing::Test {
 protected:
  BadInput() : compiler_(std::filesystem::absolute("tools/st-compile/st-compile").string()) {
    folder_ = ::testing::TempDir() + "/compile.XXXXXX";
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
    Write("stream_project.yml", kGood);
  }
  ~BadInput() override { std::filesystem::remove_all(folder_); }

  void Write(std::string_view path, std::string_view text) {
    const std::string full = fs::JoinPath(folder_, path);
    ASSERT_TRUE(fs::MakeFolders(std::string(fs::Dirname(full)), 0755).ok());
    ASSERT_TRUE(fs::WriteFileAtomically(full, text, 0644, fs::Existing::kReplace).ok());
  }

  e2e::CommandResult Run(std::vector<std::string> arguments, std::string input = {}) {
    arguments.insert(arguments.begin(), compiler_);
    e2e::CommandOptions options;
    options.input = std::move(input);
    auto result = e2e::RunCommand(arguments, options);
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    result->error_text = absl::StrReplaceAll(result->error_text, {{folder_ + "/", ""}, {folder_, "."}});
    return *result;
  }

  // The whole project is refused, and the first finding begins so.
  void ExpectRefused(std::string_view beginning) {
    const e2e::CommandResult result = Run({folder_});
    EXPECT_EQ(result.exit_code, 1) << result.error_text;
    EXPECT_EQ(result.output, "");
    EXPECT_THAT(result.error_text, StartsWith(beginning));
  }

  void ExpectSourceRefused(std::string_view yaml, std::string_view beginning) {
    Write("sources/s.yml", yaml);
    ExpectRefused(absl::StrCat("sources/s.yml", beginning));
  }

  std::string compiler_;
  std::string folder_;
};

TEST_F(BadInput, GoodInputCompiles) {
  Write("models/m.yml", Model("SELECT a FROM s"));
  const e2e::CommandResult result = Run({folder_});
  EXPECT_EQ(result.exit_code, 0) << result.error_text;
  EXPECT_EQ(result.error_text, "shop/default: sources 1, models 1, exposures 0\n");
  v1::Topology topology;
  diag::Diagnostics diagnostics;
  EXPECT_TRUE(docio::Read(result.output, "-", docio::Trailer::kRequired, &topology, &diagnostics));
  EXPECT_EQ(topology.models_size(), 1);
  EXPECT_EQ(Run({"--quiet", folder_}).error_text, "");
  EXPECT_EQ(Run({folder_ + "/stream_project.yml"}).exit_code, 0);
}

TEST_F(BadInput, Files) {
  ExpectSourceRefused("sources: [{name: \xFF}]\n",
                      ":1:18: error: this byte is not UTF-8 [NOT_UTF8]\n  hint: save the file as UTF-8\n");
  ExpectSourceRefused(std::string("\xFF\xFEs\0:\0\n\0", 8), ":1:1: error: this byte is not UTF-8 [NOT_UTF8]\n");
  Write("sources/s.yml", "");
  EXPECT_EQ(Run({folder_}).exit_code, 0) << "an empty section is nothing";
  ASSERT_EQ(truncate((folder_ + "/sources/s.yml").c_str(), 100'000'000), 0);
  ExpectRefused("sources/s.yml: error: larger than the limit of 33554432 bytes");
  std::filesystem::remove(folder_ + "/sources/s.yml");
  Write("sources/s.yml/x", "");
  ExpectRefused("sources/s.yml: error: is a folder, and has the name of a declaration file [FILE_UNREADABLE]\n");
}

TEST_F(BadInput, FilesOfOtherKinds) {
  Write("sources/x", "");
  ASSERT_EQ(mkfifo((folder_ + "/sources/s.yml").c_str(), 0644), 0);
  ExpectRefused("sources/s.yml: error: not a regular file");
}

TEST_F(BadInput, ProjectFile) {
  Write("stream_project.yml", "");
  ExpectRefused("stream_project.yml:1:1: error: how to reach the cluster is not said [CONNECTION_MISSING]\n");
  EXPECT_THAT(Run({folder_}).error_text,
              HasSubstr("stream_project.yml:1:1: error: `project` is missing [MISSING_FIELD]\n"));
  std::filesystem::remove(folder_ + "/stream_project.yml");
  ExpectRefused(".: error: no stream_project.yml stands in this folder [NO_PROJECT]\n");
  Write("stream_project.yml/x", "");
  ExpectRefused("stream_project.yml: error: ");
  const e2e::CommandResult result = Run({folder_ + "/nowhere"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.error_text, StartsWith("nowhere: error: there is no such file or folder [FILE_UNREADABLE]\n"));
}

TEST_F(BadInput, Yaml) {
  ExpectSourceRefused("sources: !!seq []\n",
                      ":1:10: error: the YAML tag `tag:yaml.org,2002:seq` is not allowed [YAML_TAG]\n");
  ExpectSourceRefused("sources:\n\t- name: s\n",
                      ":2:1: error: a tab cannot indent or separate YAML here [YAML_TAB]\n  hint: use spaces\n");
  ExpectSourceRefused(
      "sources: []\nsources: []\n",
      ":2:1: error: key `sources` stands here a second time; the first is at line 1, column 1 [DUPLICATE_KEY]\n");
  ExpectSourceRefused("sources: [\n", ":2:1: error: YAML: ");
  ExpectSourceRefused("sources: []\n---\nsources: []\n",
                      ":2:1: error: a second YAML document begins here [YAML_MANY_DOCUMENTS]\n");
  ExpectSourceRefused(std::string(100'000, '[') + "\n", ":1:65: error: YAML nested over 64 levels [YAML_TOO_DEEP]\n");
  ExpectSourceRefused("sources: {name: s}\n", ":1:10: error: `sources` wants a list, this is a mapping [WRONG_TYPE]\n");
  ExpectSourceRefused(
      "sorces: []\n",
      ":1:1: error: unknown key `sorces` in a project file [UNKNOWN_KEY]\n  hint: did you mean `sources`?\n");
  ExpectSourceRefused("sources: [{name: s, topic: t, freshness: {}}]\n", ":1:31: error: `freshness` is not supported");
}

TEST_F(BadInput, AliasBomb) {
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c <= 'j'; ++c) {
    const std::string before = absl::StrCat("*", std::string(1, static_cast<char>(c - 1)), " ");
    absl::StrAppend(&bomb, std::string(1, c), ": &", std::string(1, c), " [", before, ",", before, ",", before, ",",
                    before, ",", before, ",", before, ",", before, ",", before, ",", before, "]\n");
  }
  Write("sources/s.yml", bomb);
  const e2e::CommandResult result = Run({folder_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.error_text, HasSubstr("error: the aliases of this file add more than 100000 values"));
  EXPECT_LT(result.seconds, 10);
}

TEST_F(BadInput, Sql) {
  Write("models/m.yml", Model("SELECT a FROM s WHERE a LIKE 'x%'"));
  ExpectRefused("models/m.yml:7:31: error: ");
  Write("models/m.yml", Model("SELECT b FROM s"));
  ExpectRefused("models/m.yml:7:14: error: ");
  Write("models/m.yml", Model(absl::StrCat("SELECT a FROM s WHERE a = '", std::string(1 << 20, 'x'), "'")));
  ExpectRefused("models/m.yml:7:");
  Write("models/m.yml",
        absl::StrCat(kSource, "models: [{name: m, executor: runner, topic: {partitions: 1}, sql_file: m.sql}]\n"));
  Write("models/m.sql", absl::StrCat("SELECT a FROM s WHERE a = '", std::string(1 << 20, 'x'), "'"));
  ExpectRefused("models/m.sql:1:");
}

TEST_F(BadInput, StandardInput) {
  v1::Project project;
  project.mutable_project()->set_name("shop");
  project.mutable_runtime()->mutable_kafka()->set_bootstrap_servers("localhost:9092");
  const std::string document = docio::Write(project);
  EXPECT_EQ(Run({"-"}, document).exit_code, 0);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "-: error: standard input is empty: the tool before it failed [EMPTY_INPUT]"},
      {document.substr(0, document.size() / 2), "-:"},
      {document + document, "-:"},
      {absl::StrReplaceAll(document, {{"shop", "sh0p"}}), "-:"},
      {docio::Write(v1::Topology()), "-:"},
      {"project: {name: shop}\n", "-:"},
      {"st-observe: error: cannot reach the cluster\n", "-:"},
      {std::string("\0\1\2", 3), "-:"},
  };
  for (const auto& [input, beginning] : cases) {
    const e2e::CommandResult result = Run({"-"}, input);
    EXPECT_EQ(result.exit_code, 1) << input;
    EXPECT_EQ(result.output, "") << input;
    EXPECT_THAT(result.error_text, StartsWith(beginning)) << input;
  }
}

TEST_F(BadInput, WrongUse) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {}, {folder_, folder_}, {"--enviroment=x", folder_}, {"--env", "", folder_}}) {
    const e2e::CommandResult result = Run(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.error_text;
    EXPECT_EQ(result.output, "");
    EXPECT_THAT(result.error_text, StartsWith("st-compile: error: "));
  }
  EXPECT_EQ(Run({"--help"}).exit_code, 0);
}

TEST_F(BadInput, Environments) {
  Write("environments/dev.yml", "");
  Write("environments/prod.yml", "safty: {}\n");
  ExpectRefused("environments: error: which environment? There are dev, prod [UNKNOWN_ENVIRONMENT]\n");
  EXPECT_EQ(Run({folder_, "--env=dev"}).exit_code, 0);
  const e2e::CommandResult prod = Run({folder_, "--env", "prod"});
  EXPECT_EQ(prod.exit_code, 1);
  EXPECT_THAT(prod.error_text,
              StartsWith("environments/prod.yml:1:1: error: unknown key `safty` in an environment file"));
  EXPECT_THAT(Run({folder_, "--env=prd"}).error_text, StartsWith("environments: error: there is no environment `prd`"));
}

TEST_F(BadInput, DiagnosticsForMachines) {
  Write("stream_project.yml", "project: {nam: shop}\n");
  const e2e::CommandResult github = Run({"--diagnostics=github", folder_});
  EXPECT_EQ(github.exit_code, 1);
  EXPECT_THAT(github.error_text, HasSubstr("::error file="));
  const e2e::CommandResult text = Run({"--diagnostics=textproto", folder_});
  v1::Diagnostics document;
  diag::Diagnostics diagnostics;
  // Paths were shortened above, which the trailer would see.
  std::string body = text.error_text.substr(0, text.error_text.rfind("# end "));
  ASSERT_TRUE(docio::Read(body, "x", docio::Trailer::kOptional, &document, &diagnostics));
  EXPECT_GE(document.diagnostics_size(), 2);
}

TEST_F(BadInput, NoSecretIsShown) {
  constexpr std::string_view kCanary = "c4n4ry";
  Write("stream_project.yml",
        absl::StrReplaceAll(
            kGood,
            {{"9092'",
              "9092', security_protocol: SASL_SSL, sasl_mechanism: PLAIN, sasl_username: u, sasl_password: c4n4ry"}}));
  const e2e::CommandResult result = Run({folder_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.error_text, HasSubstr("[SECRET_LITERAL]"));
  EXPECT_EQ(result.error_text.find(kCanary), std::string::npos);
}

}  // namespace
}  // namespace st
