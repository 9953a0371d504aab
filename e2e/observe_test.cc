// st-observe against a real broker, from a project as its user would write it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "e2e/broker.h"
#include "e2e/command.h"
#include "e2e/proxy.h"
#include "lib/base/digest.h"
#include "lib/docio/docio.h"
#include "lib/fs/file.h"
#include "lib/kafka/admin.h"
#include "lib/project/project.h"
#include "lib/topology/topology.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/plan.pb.h"
#include "schemas/st/v1/project.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace st {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kTool[] = "tools/st-observe/st-observe";
constexpr double kPatience = 15;

constexpr char kProject[] = R"(
project: {name: shop}
runtime:
  kafka: {bootstrap_servers: "$BROKER"}
  runner: {host: process, initial_offset: earliest}
deployment_state: {path: "$STATE"}
sources:
  - {name: orders, topic: orders.v1, columns: [{name: id, type: STRING, required: true}, {name: paid, type: BOOLEAN}]}
  - {name: unread, topic: unread.v1, columns: [{name: id, type: STRING}]}
models:
  - name: paid_orders
    executor: runner
    sql: SELECT id FROM {{ source("orders") }} WHERE paid
    topic: {name: orders.paid, partitions: 2, config: {retention.ms: 86400000}}
exposures:
  - {name: app, type: application, consumer_group: app-group, consumes: [{ref: paid_orders}]}
)";

class ObserveTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = absl::StrCat(testing::TempDir(), "/observe.XXXXXX");
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
  }

  // The document that st-compile would write.
  std::string Compile(const std::string& bootstrap, const std::string& project = kProject) {
    std::string text = absl::StrReplaceAll(project, {{"$BROKER", bootstrap}, {"$STATE", folder_ + "/state.db"}});
    std::string path = folder_ + "/stream_project.yml";
    EXPECT_TRUE(fs::WriteFileAtomically(path, text, 0644, fs::Existing::kReplace).ok());
    diag::Diagnostics diagnostics;
    auto loaded = project::Load(folder_, "", "", project::ProcessEnvironment(), &diagnostics);
    v1::Topology topology;
    bool compiled = loaded.has_value() && topology::Compile(*loaded, &topology, &diagnostics);
    EXPECT_TRUE(compiled) << diag::Render(diagnostics, diag::Format::kText);
    return docio::Write(topology);
  }

  e2e::CommandResult Observe(const std::string& input, const std::vector<std::string>& flags = {}) {
    std::vector<std::string> arguments = {kTool};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    absl::StatusOr<e2e::CommandResult> result =
        e2e::RunCommand(arguments, {.input = input, .environment = {{"ST_STATE_DIR", folder_}}});
    EXPECT_TRUE(result.ok()) << result.status();
    return result.value_or(e2e::CommandResult{});
  }

  static v1::ObservedTopology Read(const std::string& document) {
    v1::ObservedTopology observed;
    diag::Diagnostics diagnostics;
    EXPECT_TRUE(docio::Read(document, "-", docio::Trailer::kRequired, &observed, &diagnostics))
        << diag::Render(diagnostics, diag::Format::kText);
    v1::ObservedTopology bare = observed;
    bare.clear_checksum();
    EXPECT_EQ(observed.checksum(), base::Checksum(bare));
    return observed;
  }

  std::string folder_;
};

v1::CreateTopic NewTopic(const std::string& name, uint32_t partitions) {
  v1::CreateTopic topic;
  topic.set_name(name);
  topic.set_partitions(partitions);
  return topic;
}

TEST_F(ObserveTest, ABrokerAndWhatItHas) {
  absl::StatusOr<std::unique_ptr<e2e::Broker>> broker = e2e::Broker::Start();
  ASSERT_TRUE(broker.ok()) << broker.status();
  absl::StatusOr<std::unique_ptr<kafka::ClusterAdmin>> admin =
      kafka::OpenAdmin({{"bootstrap.servers", (*broker)->bootstrap()}}, "observe-test");
  ASSERT_TRUE(admin.ok()) << admin.status();
  ASSERT_TRUE((*admin)->CreateTopic(NewTopic("orders.v1", 3)).ok());
  std::string input = Compile((*broker)->bootstrap());

  e2e::CommandResult result = Observe(input);
  ASSERT_EQ(result.exit_code, 0) << result.error_text;
  EXPECT_THAT(result.error_text, HasSubstr("1 of 2 topics there, 0 changes refused"));
  v1::Observation before = Read(result.output).observation();
  EXPECT_EQ(before.cluster().cluster_id(), (*admin)->DescribeCluster()->cluster_id());
  ASSERT_EQ(before.topics_size(), 2);
  EXPECT_EQ(before.topics(0).name(), "orders.paid");
  EXPECT_EQ(before.topics(0).presence(), v1::ABSENT);
  EXPECT_EQ(before.topics(1).name(), "orders.v1");
  EXPECT_EQ(before.topics(1).presence(), v1::PRESENT);
  EXPECT_EQ(before.topics(1).partitions_size(), 3);
  ASSERT_EQ(before.verdicts_size(), 1);
  EXPECT_FALSE(before.verdicts(0).refused());
  ASSERT_EQ(before.groups_size(), 2);
  EXPECT_EQ(before.groups(0).group_id(), "app-group");
  EXPECT_EQ(before.groups(1).group_id(), "st.shop.default.paid_orders");
  EXPECT_EQ(before.groups(1).state(), v1::GroupFacts::NONE);
  EXPECT_EQ(before.groups(1).topics(0).offsets_size(), 3);
  EXPECT_EQ(before.host().kind(), v1::PROCESS);
  EXPECT_EQ(before.cluster().defaults().offsets_retention_ms(), 10'080 * 60'000LL);
  ASSERT_EQ(before.record_ages_size(), 1);
  EXPECT_EQ(before.record_ages(0).retention_ms(), 86'400'000);
  EXPECT_EQ(before.record_ages(0).young_size(), 3);
  EXPECT_EQ(before.state().reference().address(), "shop/default");
  EXPECT_EQ(before.state().reference().serial(), 0u);

  // What a stranger reads of ours shows; what we do not declare is not looked at.
  ASSERT_TRUE((*admin)->CreateTopic(NewTopic("orders.paid", 1)).ok());
  v1::PartitionOffset offset;
  ASSERT_TRUE((*admin)->DescribeTopics({"orders.paid"}).ok());
  ASSERT_TRUE((*admin)->CommitOffsets("stranger", "orders.paid", {offset}, "").ok());
  result = Observe(input, {"--externals"});
  ASSERT_EQ(result.exit_code, 0) << result.error_text;
  v1::Observation after = Read(result.output).observation();
  std::vector<std::string> topics, groups;
  for (const v1::TopicFacts& topic : after.topics()) topics.push_back(topic.name());
  for (const v1::GroupFacts& group : after.groups()) groups.push_back(group.group_id());
  EXPECT_THAT(topics, ElementsAre("orders.paid", "orders.v1", "unread.v1"));
  EXPECT_THAT(groups, ElementsAre("app-group", "st.shop.default.paid_orders", "stranger"));
  ASSERT_EQ(after.verdicts_size(), 1);
  EXPECT_EQ(after.verdicts(0).topic(), "orders.paid");
  EXPECT_FALSE(after.verdicts(0).refused()) << after.verdicts(0).DebugString();
  EXPECT_THAT(*(*admin)->ListTopics(), ElementsAre("__consumer_offsets", "orders.paid", "orders.v1"));
}

TEST_F(ObserveTest, OfflineAsksNobody) {
  e2e::CommandResult result = Observe(Compile("127.0.0.1:1"), {"--offline"});
  EXPECT_EQ(result.exit_code, 0) << result.error_text;
  EXPECT_TRUE(Read(result.output).observation().offline());
}

TEST_F(ObserveTest, NobodyThereIsOneClearSentenceInTime) {
  e2e::CommandResult result = Observe(Compile("127.0.0.1:1"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_LT(result.seconds, kPatience);
  EXPECT_THAT(result.output, IsEmpty());
  EXPECT_THAT(result.error_text, HasSubstr("Kafka at 127.0.0.1:1 did not answer"));
  EXPECT_THAT(result.error_text, HasSubstr("Connection refused"));
}

TEST_F(ObserveTest, WhatIsNoTopologyIsRefused) {
  std::string good = Compile("127.0.0.1:1");
  v1::ObservedTopology other;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "EMPTY_INPUT"},
      {good.substr(0, good.size() / 2), "NO_TRAILER"},
      {good + good, "TRAILING_TEXT"},
      {absl::StrReplaceAll(good, {{"orders.paid", "orders.pay"}}), "BAD_TRAILER"},
      {docio::Write(other), "WRONG_DOCUMENT"},
  };
  for (const auto& [input, code] : cases) {
    e2e::CommandResult result = Observe(input);
    EXPECT_EQ(result.exit_code, 1) << code;
    EXPECT_THAT(result.error_text, HasSubstr(code));
    EXPECT_THAT(result.output, IsEmpty());
  }
}

TEST_F(ObserveTest, AnUnsetSecretIsNamed) {
  std::string project = absl::StrReplaceAll(
      kProject, {{"bootstrap_servers: \"$BROKER\"",
                  "bootstrap_servers: \"$BROKER\", security_protocol: SASL_PLAINTEXT, sasl_mechanism: PLAIN, "
                  "sasl_username: u, sasl_password: \"${ST_TEST_UNSET}\""}});
  e2e::CommandResult result = Observe(Compile("127.0.0.1:1", project));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.error_text, HasSubstr("ST_TEST_UNSET"));
}

TEST_F(ObserveTest, ADamagedStateIsNoEmptyState) {
  std::string input = Compile("127.0.0.1:1");
  ASSERT_TRUE(fs::WriteFileAtomically(folder_ + "/state.db", "no database", 0600, fs::Existing::kReplace).ok());
  e2e::CommandResult result = Observe(input);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.error_text, HasSubstr("state.db"));
  EXPECT_THAT(result.output, IsEmpty());
}

// Requests by kind while a project is looked at that has so many models, all of one topic of so many partitions.
struct Cost {
  int total = 0;
  std::string kinds;
};

TEST_F(ObserveTest, RequestsGrowWithGroupsAndWithNothingElse) {
  e2e::Proxy proxy;
  const std::string address = absl::StrCat("127.0.0.1:", proxy.port());
  auto broker = e2e::Broker::Start({absl::StrCat("advertised.listeners=PLAINTEXT://", address)});
  ASSERT_TRUE(broker.ok()) << broker.status();
  int port = 0;
  ASSERT_TRUE(absl::SimpleAtoi((*broker)->bootstrap().substr((*broker)->bootstrap().rfind(':') + 1), &port));
  proxy.SetTarget(port);
  auto admin = kafka::OpenAdmin({{"bootstrap.servers", address}}, "observe-test");
  ASSERT_TRUE(admin.ok()) << admin.status();
  for (uint32_t partitions : {1, 12}) {
    ASSERT_TRUE((*admin)->CreateTopic(NewTopic(absl::StrCat("orders", partitions, ".v1"), partitions)).ok());
  }
  const auto cost = [&](int models, int partitions) {
    std::string project = absl::StrReplaceAll(kProject, {{"orders.v1", absl::StrCat("orders", partitions, ".v1")}});
    std::string more;
    for (int i = 1; i < models; ++i) {
      absl::StrAppend(&more, "  - {name: m", i, ", executor: runner, topic: {partitions: 1}, ",
                      "sql: 'SELECT id FROM {{ source(\"orders\") }}'}\n");
    }
    project = absl::StrReplaceAll(project, {{"exposures:", more + "exposures:"}});
    const std::string input = Compile(address, project);
    const std::map<int16_t, int> before = proxy.Counts();
    const e2e::CommandResult result = Observe(input);
    EXPECT_EQ(result.exit_code, 0) << result.error_text;
    Cost made_here;
    for (const auto& [kind, count] : proxy.Counts()) {
      const auto found = before.find(kind);
      const int made = count - (found == before.end() ? 0 : found->second);
      made_here.total += made;
      if (made > 0) absl::StrAppend(&made_here.kinds, " ", kind, ":", made);
    }
    return made_here;
  };
  constexpr int kModels = 100;
  // The first look makes the broker prepare its own topic of offsets, and is asked again meanwhile.
  cost(1, 1);
  const Cost one = cost(1, 1);
  const Cost wide = cost(1, 12);
  const Cost many = cost(kModels, 1);
  std::cout << "figure: broker requests (kind of the protocol:count) of st-observe\n  1 model, 1 partition: "
            << one.total << " =" << one.kinds << "\n  1 model, 12 partitions: " << wide.total << " =" << wide.kinds
            << "\n  " << kModels << " models: " << many.total << " =" << many.kinds << "\n";
  EXPECT_GT(one.total, 5);
  EXPECT_LE(wide.total, one.total + 2);
  // The client library asks about one group a request: its coordinator, its members by either protocol, its offsets.
  EXPECT_LE(many.total, one.total + 4 * (kModels - 1) + 4);
}

}  // namespace
}  // namespace st
