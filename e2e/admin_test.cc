// lib/kafka's admin against a real broker: every call of ClusterAdmin once, and what the broker really does.
#include "lib/kafka/admin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/broker.h"
#include "e2e/runner/cluster.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/plan.pb.h"

namespace st {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

v1::CreateTopic NewTopic(const std::string& name, uint32_t partitions = 1,
                         const std::vector<std::pair<std::string, std::string>>& configs = {}) {
  v1::CreateTopic topic;
  topic.set_name(name);
  topic.set_partitions(partitions);
  for (const auto& [key, value] : configs) {
    v1::TopicConfig* config = topic.add_configs();
    config->set_name(key);
    config->set_value(value);
  }
  return topic;
}

std::string ValueOf(const google::protobuf::RepeatedPtrField<v1::TopicConfig>& configs, const std::string& name) {
  for (const v1::TopicConfig& config : configs) {
    if (config.name() == name) return config.value();
  }
  return "(none)";
}

class AdminTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    absl::StatusOr<std::unique_ptr<e2e::Broker>> broker = e2e::Broker::Start();
    ASSERT_TRUE(broker.ok()) << broker.status();
    broker_ = broker->release();
  }
  static void TearDownTestSuite() {
    delete broker_;
    broker_ = nullptr;
  }

  void SetUp() override {
    ASSERT_NE(broker_, nullptr);
    absl::StatusOr<std::unique_ptr<kafka::ClusterAdmin>> admin =
        kafka::OpenAdmin({{"bootstrap.servers", broker_->bootstrap()}}, "admin-test");
    ASSERT_TRUE(admin.ok()) << admin.status();
    admin_ = *std::move(admin);
  }

  // The broker learns of its own changes a moment later; looks until the facts are as wanted.
  template <typename Condition>
  v1::TopicFacts Await(const std::string& topic, Condition condition) {
    v1::TopicFacts facts;
    for (absl::Time end = absl::Now() + absl::Seconds(20); absl::Now() < end;) {
      absl::StatusOr<std::vector<v1::TopicFacts>> all = admin_->DescribeTopics({topic});
      EXPECT_TRUE(all.ok()) << all.status();
      if (!all.ok()) return facts;
      facts = all->front();
      if (condition(facts)) return facts;
    }
    ADD_FAILURE() << "never as wanted: " << facts.DebugString();
    return facts;
  }

  v1::TopicFacts Make(const v1::CreateTopic& topic) {
    absl::Status status = admin_->CreateTopic(topic);
    EXPECT_TRUE(status.ok()) << status;
    return Await(topic.name(), [&](const v1::TopicFacts& facts) {
      return facts.partitions_size() == static_cast<int>(topic.partitions());
    });
  }

  static e2e::Broker* broker_;
  std::unique_ptr<kafka::ClusterAdmin> admin_;
};

e2e::Broker* AdminTest::broker_ = nullptr;

TEST_F(AdminTest, TheClusterHasAnIdAndOneBroker) {
  absl::StatusOr<v1::ClusterFacts> cluster = admin_->DescribeCluster();
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_EQ(cluster->cluster_id().size(), 22u);
  EXPECT_EQ(cluster->brokers(), 1u);
}

TEST_F(AdminTest, ATopicIsCreatedAsAsked) {
  v1::TopicFacts facts = Make(NewTopic("made.as-asked", 3, {{"retention.ms", "604800000"}}));
  EXPECT_EQ(facts.presence(), v1::PRESENT);
  EXPECT_EQ(facts.topic_id().size(), 22u);
  EXPECT_THAT(facts.topic_id(), Not(HasSubstr("+")));
  ASSERT_EQ(facts.partitions_size(), 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(facts.partitions(i).partition(), i);
    EXPECT_EQ(facts.partitions(i).replicas(), 1u);
    EXPECT_EQ(facts.partitions(i).begin_offset(), 0);
    EXPECT_EQ(facts.partitions(i).end_offset(), 0);
  }
  ASSERT_EQ(facts.configs_size(), 1) << facts.DebugString();
  EXPECT_EQ(ValueOf(facts.configs(), "retention.ms"), "604800000");
  EXPECT_EQ(ValueOf(facts.effective(), "cleanup.policy"), "delete");
  EXPECT_NE(ValueOf(facts.effective(), "max.message.bytes"), "(none)");
  absl::StatusOr<std::vector<std::string>> topics = admin_->ListTopics();
  ASSERT_TRUE(topics.ok()) << topics.status();
  EXPECT_THAT(*topics, Contains("made.as-asked"));
}

TEST_F(AdminTest, LookingAtATopicDoesNotCreateIt) {
  absl::StatusOr<std::vector<v1::TopicFacts>> facts =
      admin_->DescribeTopics({"not.there", "not.there.too", "not.there"});
  ASSERT_TRUE(facts.ok()) << facts.status();
  ASSERT_THAT(*facts, SizeIs(3));
  EXPECT_EQ((*facts)[0].name(), "not.there");
  EXPECT_EQ((*facts)[1].name(), "not.there.too");
  EXPECT_EQ((*facts)[2].name(), "not.there");
  for (const v1::TopicFacts& one : *facts) EXPECT_EQ(one.presence(), v1::ABSENT);
  EXPECT_THAT(*admin_->ListTopics(), Not(Contains("not.there")));
}

TEST_F(AdminTest, TheBrokersWordsStandInRefusals) {
  Make(NewTopic("taken.name"));
  absl::Status status = admin_->CreateTopic(NewTopic("taken.name"));
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("TOPIC_ALREADY_EXISTS"));
  status = admin_->CreateTopic(NewTopic("bad.value", 1, {{"retention.ms", "soon"}}));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("soon"));
}

TEST_F(AdminTest, ValidatingACreateChangesNothing) {
  Make(NewTopic("clash.of.names"));
  v1::CreateTopic factor = NewTopic("too.many.copies");
  factor.set_replication_factor(3);
  absl::StatusOr<std::vector<v1::TopicVerdict>> verdicts = admin_->ValidateCreate(
      {NewTopic("would.be.fine"), factor, NewTopic("bad.config", 1, {{"retention.ms", "soon"}}),
       NewTopic("no.such.key", 1, {{"retention.sm", "5"}}), NewTopic("clash_of.names"), NewTopic("clash.of.names")});
  ASSERT_TRUE(verdicts.ok()) << verdicts.status();
  std::vector<std::string> codes;
  for (const v1::TopicVerdict& verdict : *verdicts) codes.push_back(verdict.code());
  EXPECT_THAT(codes, ElementsAre("", "INVALID_REPLICATION_FACTOR", "INVALID_CONFIG", "INVALID_CONFIG",
                                 "TOPIC_EXCEPTION", "TOPIC_ALREADY_EXISTS"));
  EXPECT_FALSE((*verdicts)[0].refused());
  EXPECT_TRUE((*verdicts)[1].refused());
  EXPECT_THAT((*verdicts)[2].words(), HasSubstr("soon"));
  EXPECT_THAT(*admin_->ListTopics(), Not(Contains("would.be.fine")));
}

TEST_F(AdminTest, ConfigsAreSetAndUnset) {
  Make(NewTopic("to.be.changed", 1, {{"retention.ms", "1000000"}, {"max.message.bytes", "2000"}}));
  EXPECT_FALSE(
      admin_->ValidateUpdate("to.be.changed", {{"retention.ms", "2000000"}}, {"max.message.bytes"}, 4)->refused());
  absl::StatusOr<v1::TopicVerdict> verdict = admin_->ValidateUpdate("to.be.changed", {{"retention.ms", "soon"}}, {}, 0);
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->code(), "INVALID_CONFIG");
  EXPECT_THAT(verdict->words(), HasSubstr("soon"));
  verdict = admin_->ValidateUpdate("to.be.changed", {}, {}, 1);
  ASSERT_TRUE(verdict.ok()) << verdict.status();
  EXPECT_EQ(verdict->code(), "INVALID_PARTITIONS") << verdict->DebugString();
  v1::TopicFacts before = admin_->DescribeTopics({"to.be.changed"})->front();
  EXPECT_EQ(ValueOf(before.configs(), "retention.ms"), "1000000");
  EXPECT_EQ(before.partitions_size(), 1);

  absl::Status status = admin_->AlterConfigs("to.be.changed", {{"retention.ms", "2000000"}}, {"max.message.bytes"});
  EXPECT_TRUE(status.ok()) << status;
  v1::TopicFacts after = Await("to.be.changed", [](const v1::TopicFacts& facts) {
    return ValueOf(facts.configs(), "retention.ms") == "2000000";
  });
  EXPECT_EQ(ValueOf(after.configs(), "max.message.bytes"), "(none)");
  EXPECT_NE(ValueOf(after.effective(), "max.message.bytes"), "2000");
  EXPECT_EQ(after.topic_id(), before.topic_id());
  status = admin_->CreatePartitions("to.be.changed", 4);
  EXPECT_TRUE(status.ok()) << status;
  Await("to.be.changed", [](const v1::TopicFacts& facts) { return facts.partitions_size() == 4; });
  EXPECT_EQ(admin_->CreatePartitions("to.be.changed", 2).code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(AdminTest, CommittedOffsetsCarryTheOperationsId) {
  Make(NewTopic("to.be.read", 2));
  v1::PartitionOffset zero, one;
  zero.set_partition(0);
  zero.set_offset(0);
  zero.set_leader_epoch(-1);
  one.set_partition(1);
  one.set_offset(5);
  one.set_leader_epoch(0);
  absl::StatusOr<v1::GroupFacts> before = admin_->DescribeGroup("st.a.b.c", {{"to.be.read", 2}});
  ASSERT_TRUE(before.ok()) << before.status();
  EXPECT_EQ(before->state(), v1::GroupFacts::NONE);
  ASSERT_EQ(before->topics_size(), 1);
  EXPECT_EQ(before->topics(0).offsets(0).offset(), -1);

  absl::Status status = admin_->CommitOffsets("st.a.b.c", "to.be.read", {zero, one}, "operation-1");
  ASSERT_TRUE(status.ok()) << status;
  absl::StatusOr<v1::GroupFacts> after = admin_->DescribeGroup("st.a.b.c", {{"to.be.read", 2}});
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ(after->state(), v1::GroupFacts::EMPTY);
  EXPECT_THAT(after->members(), IsEmpty());
  ASSERT_EQ(after->topics_size(), 1);
  ASSERT_EQ(after->topics(0).offsets_size(), 2);
  EXPECT_EQ(after->topics(0).offsets(0).offset(), 0);
  EXPECT_EQ(after->topics(0).offsets(0).leader_epoch(), -1);
  EXPECT_EQ(after->topics(0).offsets(0).metadata(), "operation-1");
  EXPECT_EQ(after->topics(0).offsets(1).offset(), 5);
  EXPECT_EQ(after->topics(0).offsets(1).leader_epoch(), 0);
  EXPECT_EQ(after->topics(0).offsets(1).metadata(), "operation-1");
  absl::StatusOr<std::vector<std::string>> groups = admin_->ListGroups();
  ASSERT_TRUE(groups.ok()) << groups.status();
  EXPECT_THAT(*groups, Contains("st.a.b.c"));
}

TEST_F(AdminTest, WhateverIsCommittedIsAskedForAtOnce) {
  Make(NewTopic("read.by.some", 2));
  Make(NewTopic("read.by.others"));
  v1::PartitionOffset one;
  one.set_partition(1);
  one.set_offset(7);
  one.set_leader_epoch(-1);
  ASSERT_TRUE(admin_->DescribeGroup("some", {{"read.by.some", 2}}).ok());
  absl::Status status = admin_->CommitOffsets("some", "read.by.some", {one}, "");
  ASSERT_TRUE(status.ok()) << status;
  status = admin_->CommitOffsets("some", "read.by.others", {[] {
                                   v1::PartitionOffset offset;
                                   offset.set_offset(3);
                                   return offset;
                                 }()},
                                 "");
  ASSERT_TRUE(status.ok()) << status;
  constexpr int kAny = kafka::ClusterReader::kWhatIsCommitted;
  absl::StatusOr<v1::GroupFacts> facts = admin_->DescribeGroup("some", {{"read.by.some", kAny}, {"unread", kAny}});
  ASSERT_TRUE(facts.ok()) << facts.status();
  ASSERT_EQ(facts->topics_size(), 1) << facts->DebugString();
  EXPECT_EQ(facts->topics(0).topic(), "read.by.some");
  ASSERT_EQ(facts->topics(0).offsets_size(), 1);
  EXPECT_EQ(facts->topics(0).offsets(0).partition(), 1);
  EXPECT_EQ(facts->topics(0).offsets(0).offset(), 7);
}

TEST_F(AdminTest, RecordsAreFoundByTheirTime) {
  Make(NewTopic("aged", 2, {{"retention.ms", "-1"}}));
  e2e::Cluster(broker_->bootstrap())
      .Produce("aged", {{.partition = 0, .value = "a", .timestamp_ms = 1'000'000},
                        {.partition = 0, .value = "b", .timestamp_ms = 2'000'000},
                        {.partition = 0, .value = "c", .timestamp_ms = 3'000'000}});
  const auto find = [&](int64_t since_ms) {
    absl::StatusOr<std::vector<std::vector<int64_t>>> found = admin_->FindByTime({{"aged", 2}}, since_ms);
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() ? *std::move(found) : std::vector<std::vector<int64_t>>();
  };
  EXPECT_THAT(find(0), ElementsAre(ElementsAre(0, -1)));
  EXPECT_THAT(find(2'000'000), ElementsAre(ElementsAre(1, -1)));
  EXPECT_THAT(find(2'000'001), ElementsAre(ElementsAre(2, -1)));
  EXPECT_THAT(find(3'000'001), ElementsAre(ElementsAre(-1, -1)));
}

TEST_F(AdminTest, TheBrokersDefaultsAreThoseOfItsConfigs) {
  absl::StatusOr<v1::BrokerDefaults> defaults = admin_->DescribeDefaults();
  ASSERT_TRUE(defaults.ok()) << defaults.status();
  EXPECT_EQ(ValueOf(defaults->topic_configs(), "cleanup.policy"), "delete");
  EXPECT_EQ(ValueOf(defaults->topic_configs(), "message.timestamp.type"), "CreateTime");
  EXPECT_EQ(ValueOf(defaults->topic_configs(), "retention.ms"), "604800000");
  EXPECT_EQ(defaults->offsets_retention_ms(), 10'080 * 60'000LL);
  // What the broker itself says of a topic that sets nothing.
  const v1::TopicFacts plain = Make(NewTopic("plain"));
  for (const v1::TopicConfig& config : defaults->topic_configs()) {
    EXPECT_EQ(ValueOf(plain.effective(), config.name()), config.value());
  }
}

TEST_F(AdminTest, ManyTopicsAreDescribedInPieces) {
  std::vector<std::string> names;
  for (int i = 0; i < 1234; ++i) names.push_back("absent." + std::to_string(i));
  Make(NewTopic("among.many"));
  names[777] = "among.many";
  absl::StatusOr<std::vector<v1::TopicFacts>> facts = admin_->DescribeTopics(names);
  ASSERT_TRUE(facts.ok()) << facts.status();
  ASSERT_THAT(*facts, SizeIs(names.size()));
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ((*facts)[i].name(), names[i]);
    EXPECT_EQ((*facts)[i].presence(), i == 777 ? v1::PRESENT : v1::ABSENT);
  }
}

}  // namespace
}  // namespace st
