#include "gtest/gtest.h"
#include "lib/transition/scene.h"

namespace st::transition {
namespace {

using Kind = Step::Kind;

struct CreateTopicTest : testing::Test {
  CreateTopicTest() {
    scene.action.set_resource("st://p/e/topic/m");
    v1::CreateTopic& create = *scene.action.mutable_create_topic();
    create.set_name("out");
    create.set_partitions(2);
    v1::TopicConfig& config = *create.add_configs();
    config.set_name("retention.ms");
    config.set_value("+5000");
    scene.facts.output.set_presence(v1::ABSENT);
    scene.facts.output.clear_partitions();
  }

  void Appears(int partitions) {
    scene.facts.output = Topic("out", "new-id", partitions);
    v1::TopicConfig& config = *scene.facts.output.add_configs();
    config.set_name("retention.ms");
    config.set_value("5000");
  }

  Scene scene;
};

TEST_F(CreateTopicTest, RecordsItsStartBeforeItCreatesOnce) {
  Step step = scene.Ask();
  ASSERT_EQ(step.kind, Kind::kRecord);
  EXPECT_EQ(step.record.name(), v1::Checkpoint::STARTED);
  step = scene.Settle();
  ASSERT_EQ(step.kind, Kind::kDo);
  EXPECT_EQ(step.act, Do::kCreateTopic);
  scene.progress.crossed.push_back(Do::kCreateTopic);
  step = scene.Ask();
  EXPECT_EQ(step.kind, Kind::kWait);
  scene.facts.now_ms = step.wait_until_ms;
  EXPECT_EQ(scene.Ask().kind, Kind::kBlocked);
}

// The controller knows of a late first create of ours, the broker that is asked does not yet.
TEST_F(CreateTopicTest, OneThatExistsAlreadyIsWaitedForAndThenInspected) {
  scene.Settle();
  scene.progress.met.push_back(Do::kCreateTopic);
  Step step = scene.Ask();
  EXPECT_EQ(step.kind, Kind::kWait);
  EXPECT_EQ(step.code, "TOPIC_NOT_SEEN");
  Appears(3);
  step = scene.Ask();
  EXPECT_EQ(step.kind, Kind::kBlocked);
  EXPECT_EQ(step.code, "ADOPTION_REQUIRED");
  Appears(2);
  EXPECT_EQ(scene.Settle().kind, Kind::kDone);
}

TEST_F(CreateTopicTest, RecordsIdAndWhatTheBrokerReports) {
  scene.Settle();
  scene.progress.crossed.push_back(Do::kCreateTopic);
  Appears(2);
  EXPECT_EQ(scene.Settle().kind, Kind::kDone);
  const v1::OwnedTopic& owned = scene.progress.checkpoints.back().owned().topic();
  EXPECT_EQ(owned.topic_id(), "new-id");
  EXPECT_EQ(owned.mode(), v1::MANAGED);
  EXPECT_EQ(owned.replication_factor(), 1u);
  ASSERT_EQ(owned.configs_size(), 1);
  EXPECT_EQ(owned.configs(0).declared(), "+5000");
  EXPECT_EQ(owned.configs(0).reported(), "5000");
}

// It would be recorded as a topic without configs, and called drifted ever after.
TEST_F(CreateTopicTest, ConfigsThatAreHiddenAreNotNone) {
  scene.Settle();
  scene.progress.crossed.push_back(Do::kCreateTopic);
  Appears(2);
  scene.facts.output.clear_configs();
  scene.facts.output.set_configs_hidden(true);
  const Step step = scene.Settle();
  ASSERT_EQ(step.kind, Kind::kBlocked);
  EXPECT_EQ(step.code, "NOT_VISIBLE");
}

TEST_F(CreateTopicTest, AForeignTopicThatAppearedAfterReviewIsNeverTaken) {
  Appears(2);
  Step step = scene.Ask();
  EXPECT_EQ(step.kind, Kind::kBlocked);
  EXPECT_EQ(step.code, "ADOPTION_REQUIRED");
}

TEST_F(CreateTopicTest, AfterALostAnswerOnlyTheEmptyExactTopicIsClaimed) {
  scene.Settle();
  scene.progress.resuming = true;
  Appears(2);
  EXPECT_EQ(scene.Ask().kind, Kind::kRecord);
  scene.facts.output.mutable_partitions(1)->set_end_offset(1);
  EXPECT_EQ(scene.Ask().code, "ADOPTION_REQUIRED");
  Appears(3);
  EXPECT_EQ(scene.Ask().code, "ADOPTION_REQUIRED");
  Appears(2);
  scene.facts.output.mutable_configs(0)->set_value("6000");
  EXPECT_EQ(scene.Ask().code, "ADOPTION_REQUIRED");
  Appears(2);
  scene.facts.output.mutable_configs(0)->set_name("segment.ms");
  EXPECT_EQ(scene.Ask().code, "ADOPTION_REQUIRED");
  Appears(2);
  scene.action.mutable_create_topic()->set_replication_factor(3);
  EXPECT_EQ(scene.Ask().code, "ADOPTION_REQUIRED");
}

TEST_F(CreateTopicTest, AResumeWithoutATopicCreatesIt) {
  scene.Settle();
  scene.progress.resuming = true;
  EXPECT_EQ(scene.Ask().act, Do::kCreateTopic);
}

TEST_F(CreateTopicTest, PartitionsThatDoNotShowYetAreWaitedFor) {
  scene.Settle();
  scene.progress.crossed.push_back(Do::kCreateTopic);
  Appears(1);
  EXPECT_EQ(scene.Ask().kind, Kind::kWait);
}

TEST_F(CreateTopicTest, UnreadableIsNotAbsent) {
  scene.facts.output.set_presence(v1::NOT_VISIBLE);
  EXPECT_EQ(scene.Ask().code, "NOT_VISIBLE");
  scene.facts.output.set_presence(v1::PRESENCE_UNSPECIFIED);
  EXPECT_EQ(scene.Ask().code, "NOT_VISIBLE");
}

TEST_F(CreateTopicTest, AnotherClusterBlocks) {
  scene.facts.cluster.set_cluster_id("other");
  EXPECT_EQ(scene.Ask().code, "CLUSTER_CHANGED");
}

struct UpdateTopicTest : testing::Test {
  UpdateTopicTest() {
    scene.action.set_resource("st://p/e/topic/m");
    scene.action.mutable_prior()->mutable_topic()->set_mode(v1::ADOPTED);
    v1::UpdateTopic& update = *scene.action.mutable_update_topic();
    update.set_name("out");
    update.set_topic_id("out-id");
    update.set_prior_partitions(2);
    update.set_partitions(3);
    Change("retention.ms", "1000", "2000");
    Change("segment.ms", "7", nullptr);
    v1::TopicConfig& declared = *update.add_declared();
    declared.set_name("retention.ms");
    declared.set_value("2000");
    Config("retention.ms", "1000");
    Config("segment.ms", "7");
  }

  void Change(const char* name, const char* prior, const char* desired) {
    auto& change = *scene.action.mutable_update_topic()->add_configs();
    change.set_name(name);
    change.set_had_value(prior != nullptr);
    if (prior != nullptr) change.set_prior(prior);
    change.set_has_value(desired != nullptr);
    if (desired != nullptr) change.set_desired(desired);
  }

  void Config(const char* name, const char* value) {
    v1::TopicConfig& config = *scene.facts.output.add_configs();
    config.set_name(name);
    config.set_value(value);
  }

  void Altered() {
    scene.facts.output.clear_configs();
    Config("retention.ms", "2000");
  }

  Scene scene;
};

TEST_F(UpdateTopicTest, ConfigsThatAreHiddenAreNotNone) {
  scene.facts.output.clear_configs();
  scene.facts.output.set_configs_hidden(true);
  const Step step = scene.Ask();
  ASSERT_EQ(step.kind, Kind::kBlocked);
  EXPECT_EQ(step.code, "NOT_VISIBLE");
}

TEST_F(UpdateTopicTest, SetsConfigsThenPartitionsThenRecords) {
  EXPECT_EQ(scene.Settle().act, Do::kAlterConfigs);
  scene.progress.crossed.push_back(Do::kAlterConfigs);
  EXPECT_EQ(scene.Ask().kind, Kind::kWait);
  Altered();
  EXPECT_EQ(scene.Ask().act, Do::kCreatePartitions);
  scene.progress.crossed.push_back(Do::kCreatePartitions);
  EXPECT_EQ(scene.Ask().kind, Kind::kWait);
  scene.facts.output = Topic("out", "out-id", 3);
  Altered();
  EXPECT_EQ(scene.Settle().kind, Kind::kDone);
  const v1::OwnedTopic& owned = scene.progress.checkpoints.back().owned().topic();
  EXPECT_EQ(owned.mode(), v1::ADOPTED);
  EXPECT_EQ(owned.partitions(), 3u);
  ASSERT_EQ(owned.configs_size(), 1);
  EXPECT_EQ(owned.configs(0).reported(), "2000");
}

TEST_F(UpdateTopicTest, WhatIsAsDesiredAlreadyIsNotDoneAgain) {
  scene.Settle();
  scene.progress.resuming = true;
  scene.facts.output = Topic("out", "out-id", 3);
  Altered();
  EXPECT_EQ(scene.Settle().kind, Kind::kDone);
}

TEST_F(UpdateTopicTest, AChangeByOthersSinceReviewBlocks) {
  scene.facts.output.mutable_configs(0)->set_value("999");
  EXPECT_EQ(scene.Ask().code, "PREIMAGE_CHANGED");
}

TEST_F(UpdateTopicTest, AnotherTopicUnderTheNameBlocks) {
  scene.facts.output.set_topic_id("made-again");
  EXPECT_EQ(scene.Ask().code, "TOPIC_ID_CHANGED");
  scene.facts.output.set_presence(v1::ABSENT);
  EXPECT_EQ(scene.Ask().code, "TOPIC_ID_CHANGED");
}

TEST_F(UpdateTopicTest, PartitionsAreNeverReduced) {
  scene.facts.output = Topic("out", "out-id", 4);
  EXPECT_EQ(scene.Ask().code, "PARTITIONS_REDUCED");
}

TEST(SameConfigValueTest, NormalisesAsABrokerDoes) {
  EXPECT_TRUE(SameConfigValue("5", "+5"));
  EXPECT_TRUE(SameConfigValue("05", "5"));
  EXPECT_TRUE(SameConfigValue("delete, compact", "delete,compact"));
  EXPECT_FALSE(SameConfigValue("delete,compact", "compact,delete"));
  EXPECT_FALSE(SameConfigValue("5", "6"));
  EXPECT_FALSE(SameConfigValue("producer", "Producer"));
  EXPECT_TRUE(SameConfigValue("0.10", "0.1"));
  EXPECT_TRUE(SameConfigValue("1", "1.0"));
  EXPECT_FALSE(SameConfigValue("0.10", "0.11"));
  EXPECT_TRUE(SameConfigValue("TRUE", "true"));
  EXPECT_FALSE(SameConfigValue("true", "FALSE"));
}

}  // namespace
}  // namespace st::transition
