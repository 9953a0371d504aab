#include "tools/st-import/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <map>
#include <string>
#include <vector>

#include "lib/fs/file.h"
#include "lib/project/project.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/plan.pb.h"
#include "schemas/st/v1/project.pb.h"
#include "schemas/st/v1/report.pb.h"
#include "tools/st-import/source_file.h"

namespace st::import {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Entry = v1::ImportReport::Entry;

// Has some topics; everything else must not be asked.
class FakeCluster : public kafka::ClusterReader {
 public:
  absl::StatusOr<v1::ClusterFacts> DescribeCluster() override {
    v1::ClusterFacts facts;
    facts.set_cluster_id("cluster-1");
    return facts;
  }
  absl::StatusOr<v1::BrokerDefaults> DescribeDefaults() override { return absl::InternalError("asked"); }
  absl::StatusOr<std::vector<std::vector<int64_t>>> FindByTime(const std::vector<std::pair<std::string, int>>&,
                                                               int64_t) override {
    return absl::InternalError("asked");
  }
  absl::StatusOr<std::vector<std::string>> ListTopics() override {
    std::vector<std::string> names;
    for (const auto& [name, partitions] : topics) names.push_back(name);
    return names;
  }
  absl::StatusOr<std::vector<v1::TopicFacts>> DescribeTopics(const std::vector<std::string>& names) override {
    std::vector<v1::TopicFacts> all;
    for (const std::string& name : names) {
      v1::TopicFacts& facts = all.emplace_back();
      facts.set_name(name);
      // One that went away after it was listed.
      facts.set_presence(topics[name] == 0 ? v1::ABSENT : v1::PRESENT);
      facts.set_topic_id("id-of-" + name);
      for (int i = 0; i < topics[name]; ++i) facts.add_partitions()->set_partition(i);
    }
    return all;
  }
  absl::StatusOr<std::vector<std::string>> ListGroups() override { return absl::InternalError("asked"); }
  absl::StatusOr<v1::GroupFacts> DescribeGroup(const std::string&,
                                               const std::vector<std::pair<std::string, int>>&) override {
    return absl::InternalError("asked");
  }
  absl::StatusOr<std::vector<v1::TopicVerdict>> ValidateCreate(const std::vector<v1::CreateTopic>&) override {
    return absl::InternalError("asked");
  }
  absl::StatusOr<v1::TopicVerdict> ValidateUpdate(const std::string&,
                                                  const std::vector<std::pair<std::string, std::string>>&,
                                                  const std::vector<std::string>&, int) override {
    return absl::InternalError("asked");
  }

  std::map<std::string, int> topics;
};

class FakeClock : public base::Clock {
 public:
  int64_t NowMs() override { return now_ms; }
  int64_t MonotonicMs() override { return 0; }
  void SleepMs(int64_t) override {}

  int64_t now_ms = 1'700'000'000'000;
};

class ImportTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/import.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name + "/shop";
  }

  void Put(const std::string& file, const std::string& text) {
    std::string path = folder_ + "/" + file;
    ASSERT_TRUE(fs::MakeFolders(fs::Dirname(path), 0755).ok());
    absl::Status status = fs::WriteFileAtomically(path, text, 0644, fs::Existing::kReplace);
    ASSERT_TRUE(status.ok()) << status;
  }
  std::string Get(const std::string& file) const {
    return fs::ReadFile(folder_ + "/" + file, 1 << 20).value_or("(none)");
  }
  std::vector<std::string> Sources() const {
    return fs::ListFolder(folder_ + "/sources").value_or(std::vector<std::string>());
  }

  v1::ImportReport Run(const std::string& topics = ".*", const std::string& except = "", bool write = true) {
    v1::ImportReport report;
    diagnostics_ = {};
    absl::Status status = Find(cluster_, clock_, Selection(topics, except), &report);
    EXPECT_TRUE(status.ok()) << status;
    status = Write(write ? folder_ : "", &report, &diagnostics_);
    EXPECT_TRUE(status.ok()) << status;
    return report;
  }
  std::string Findings() const { return diag::Render(diagnostics_, diag::Format::kText); }

  FakeCluster cluster_;
  FakeClock clock_;
  std::string folder_;
  diag::Diagnostics diagnostics_;
};

TEST_F(ImportTest, EachTopicBecomesASourceWithItsProvenance) {
  cluster_.topics = {{"orders.raw.v1", 3}, {"Payments", 1}};
  v1::ImportReport report = Run();
  EXPECT_THAT(Sources(), ElementsAre("orders_raw_v1.yml", "payments.yml"));
  ASSERT_EQ(report.entries_size(), 2);
  EXPECT_EQ(report.entries(0).topic(), "Payments");
  EXPECT_EQ(report.entries(1).outcome(), Entry::WRITTEN);
  EXPECT_EQ(report.entries(1).file(), folder_ + "/sources/orders_raw_v1.yml");

  diag::Diagnostics findings;
  auto loaded = project::Load(folder_ + "/sources/orders_raw_v1.yml", "", "", project::ProcessEnvironment(), &findings);
  ASSERT_TRUE(loaded.has_value());
  ASSERT_EQ(loaded->project->sources_size(), 1);
  const v1::Source& source = loaded->project->sources(0);
  EXPECT_EQ(source.DebugString(), report.entries(1).source().DebugString());
  EXPECT_EQ(source.name(), "orders_raw_v1");
  EXPECT_EQ(source.topic(), "orders.raw.v1");
  EXPECT_EQ(source.provenance().cluster_id(), "cluster-1");
  EXPECT_EQ(source.provenance().topic_id(), "id-of-orders.raw.v1");
  EXPECT_EQ(source.provenance().partitions(), 3u);
  EXPECT_EQ(source.provenance().imported_at(), "2023-11-14T22:13:20Z");
  EXPECT_THAT(source.provenance().imported_by(), HasSubstr("st-import "));
  EXPECT_THAT(source.completeness(), HasSubstr("no columns"));
  EXPECT_THAT(source.columns(), IsEmpty());
}

TEST_F(ImportTest, ASecondRunChangesNoByteAndSaysSo) {
  cluster_.topics = {{"a.b", 1}, {"c", 1}};
  Run();
  std::string before = Get("sources/a_b.yml");
  clock_.now_ms += 1'000'000;
  v1::ImportReport report = Run();
  EXPECT_EQ(Get("sources/a_b.yml"), before);
  for (const Entry& entry : report.entries()) {
    EXPECT_EQ(entry.outcome(), Entry::KEPT);
    EXPECT_FALSE(entry.has_source());
  }
  EXPECT_THAT(Summary(report), HasSubstr("0 sources written, 2 topics declared already"));
  EXPECT_TRUE(diagnostics_.empty()) << Findings();
}

TEST_F(ImportTest, AnEditedDeclarationIsTheUsersWhereverItStands) {
  cluster_.topics = {{"a.b", 1}, {"made.by.us", 1}, {"new", 1}};
  std::string edited = "sources:\n  - {name: bee, topic: a.b, columns: [{name: id, type: STRING}]}\n";
  Put("stream_project.yml", "project: {name: shop}\n");
  Put("sources/team/mine.yml", edited);
  Put("models/made.yml",
      "models:\n  - {name: made, materialized: topic, topic: {name: made.by.us, partitions: 1}, columns: [{name: x, "
      "type: ANY}]}\n");
  v1::ImportReport report = Run();
  EXPECT_THAT(Sources(), ElementsAre("new.yml", "team")) << Findings();
  EXPECT_EQ(Get("sources/team/mine.yml"), edited);
  ASSERT_EQ(report.entries_size(), 3);
  EXPECT_EQ(report.entries(0).outcome(), Entry::KEPT);
  EXPECT_THAT(report.entries(0).file(), HasSubstr("sources/team/mine.yml"));
  EXPECT_EQ(report.entries(1).outcome(), Entry::KEPT);
  EXPECT_THAT(report.entries(1).file(), HasSubstr("models/made.yml"));
  EXPECT_EQ(report.entries(2).outcome(), Entry::WRITTEN);
}

TEST_F(ImportTest, EveryEnvironmentIsReadAndUnsetVariablesAreNoMatter) {
  cluster_.topics = {{"a", 1}, {"prod.b", 1}};
  Put("stream_project.yml", "project: {name: shop}\nruntime: {kafka: {bootstrap_servers: '${ST_TEST_UNSET}'}}\n");
  Put("environments/dev.yml", "");
  Put("environments/prod.yml", "");
  Put(".env.prod", "PREFIX=prod\n");
  Put(".env.dev", "PREFIX=dev\n");
  Put("sources/b.yml", "sources: [{name: bee, topic: '${PREFIX}.b'}]\n");
  Put("sources/a.yml", "sources: [{name: ay, topic: a}]\n");
  v1::ImportReport report = Run();
  ASSERT_EQ(report.entries_size(), 2) << Findings();
  EXPECT_EQ(report.entries(0).outcome(), Entry::KEPT);
  EXPECT_EQ(report.entries(1).outcome(), Entry::KEPT) << report.DebugString();
}

TEST_F(ImportTest, TwoTopicsUnderOneNameAreRefusedBeforeAnythingIsWritten) {
  cluster_.topics = {{"Orders", 1}, {"aaa", 1}, {"orders", 1}};
  v1::ImportReport report = Run();
  EXPECT_THAT(Findings(), HasSubstr("topics `Orders` and `orders` would both be the source `orders`"));
  EXPECT_TRUE(diagnostics_.HasErrors());
  EXPECT_THAT(Sources(), IsEmpty());
}

TEST_F(ImportTest, ALookRefusesTheSameAndSaysWhatTakesTheTopicOut) {
  cluster_.topics = {{"Col.a", 1}, {"aaa", 1}, {"col_a", 1}};
  Run(".*", "", /*write=*/false);
  EXPECT_THAT(Findings(), HasSubstr("topics `Col.a` and `col_a` would both be the source `col_a`"));
  EXPECT_THAT(Findings(), HasSubstr("by --except 'col_a'"));
  EXPECT_TRUE(diagnostics_.HasErrors());
  EXPECT_THAT(Run(".*", "col_a", /*write=*/false).entries_size(), 2);
  EXPECT_TRUE(diagnostics_.empty()) << Findings();
  EXPECT_FALSE(fs::ListFolder(folder_).ok()) << "a look makes no folder";
  Run(".*", "col_a");
  EXPECT_THAT(Sources(), ElementsAre("aaa.yml", "col_a.yml"));
}

TEST_F(ImportTest, ANameThatAnotherDeclarationHasIsRefused) {
  cluster_.topics = {{"a-b", 1}};
  Put("sources/other.yml", "sources: [{name: a_b, topic: a.b}]\n");
  Run();
  EXPECT_THAT(Findings(), HasSubstr("topics `a.b` and `a-b` would both be the source `a_b`"));
  EXPECT_THAT(Sources(), ElementsAre("other.yml"));
}

TEST_F(ImportTest, AFileInTheWayIsRefusedBeforeAnythingIsWritten) {
  cluster_.topics = {{"a", 1}, {"free", 1}};
  Put("sources/a.yml", "# nothing yet\n");
  Run();
  EXPECT_EQ(Get("sources/a.yml"), "# nothing yet\n");
  EXPECT_THAT(Findings(), HasSubstr("sources/a.yml: error: this file exists, and does not declare topic `a`"));
  EXPECT_THAT(Sources(), ElementsAre("a.yml"));
  Run(".*", "a");
  EXPECT_TRUE(diagnostics_.empty()) << Findings();
  EXPECT_THAT(Sources(), ElementsAre("a.yml", "free.yml"));
}

TEST_F(ImportTest, AProjectThatCannotBeReadIsNotWrittenTo) {
  cluster_.topics = {{"a", 1}};
  Put("stream_project.yml", "project: {name: shop}\n");
  Put("sources/broken.yml", "sources:\n\t- {\n");
  Run();
  EXPECT_TRUE(diagnostics_.HasErrors());
  EXPECT_THAT(Findings(), HasSubstr("broken.yml:2"));
  EXPECT_THAT(Sources(), ElementsAre("broken.yml"));
}

TEST_F(ImportTest, TheBrokersOwnTopicsAreLeftOutAndCounted) {
  cluster_.topics = {{"__cluster_metadata", 1},
                     {"__consumer_offsets", 4},
                     {"__mine", 1},
                     {"__share_group_state", 1},
                     {"__transaction_state", 4}};
  v1::ImportReport report = Run();
  EXPECT_EQ(report.internal_topics_left_out(), 4u);
  EXPECT_THAT(Sources(), ElementsAre("__mine.yml"));
}

TEST_F(ImportTest, TheWholeNameMustMatch) {
  cluster_.topics = {{"orders", 1}, {"orders.v1", 1}, {"my.orders", 1}};
  v1::ImportReport report = Run("orders");
  ASSERT_EQ(report.entries_size(), 1);
  EXPECT_EQ(report.entries(0).topic(), "orders");
  report = Run(".*orders.*", "orders");
  ASSERT_EQ(report.entries_size(), 2);
  EXPECT_EQ(report.entries(1).topic(), "orders.v1");
}

TEST(Selection, SaysWhichExpressionIsNone) {
  EXPECT_EQ(Selection(".*").Error(), "");
  EXPECT_THAT(Selection("(").Error(), HasSubstr("--topics is no regular expression: "));
  EXPECT_THAT(Selection(".*", "[").Error(), HasSubstr("--except is no regular expression: "));
  EXPECT_TRUE(Selection(".*").Has("a"));
}

TEST_F(ImportTest, NothingThatMatchesIsSaid) {
  cluster_.topics = {{"__consumer_offsets", 1}, {"gone", 0}};
  v1::ImportReport report;
  absl::Status status = Find(cluster_, clock_, Selection(".*"), &report);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cluster-1"));
}

TEST(SourceName, IsLowerCaseWithUnderscores) {
  const std::map<std::string, std::string> names = {{"orders.raw-V1", "orders_raw_v1"},
                                                    {"2024.x", "_2024_x"},
                                                    {"_a", "_a"},
                                                    {"A.B", "a_b"},
                                                    {"...", "___"},
                                                    {"", "_"}};
  for (const auto& [topic, name] : names) EXPECT_EQ(SourceName(topic), name) << topic;
}

TEST_F(ImportTest, WhateverATextHoldsIsReadBackAsItWas) {
  v1::Source source;
  source.set_name("odd");
  source.set_topic("t");
  source.mutable_provenance()->set_cluster_id("a\"b\\c: # $x ${HOME} é {}[]");
  source.mutable_provenance()->set_partitions(1);
  Put("odd.yml", SourceFile(source));
  diag::Diagnostics findings;
  auto loaded = project::Load(folder_ + "/odd.yml", "", "", project::ProcessEnvironment(), &findings);
  ASSERT_TRUE(loaded.has_value());
  ASSERT_EQ(loaded->project->sources_size(), 1);
  EXPECT_EQ(loaded->project->sources(0).provenance().cluster_id(), source.provenance().cluster_id());
}

}  // namespace
}  // namespace st::import
