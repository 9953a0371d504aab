// What the admin sees of consumer groups that live: members of both group protocols, and offsets that a transaction
// holds back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

#include <array>
#include <string>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/broker.h"
#include "lib/kafka/admin.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/plan.pb.h"

namespace st {
namespace {

using ::testing::ElementsAre;

constexpr absl::Duration kPatience = absl::Seconds(30);

rd_kafka_t* NewClient(rd_kafka_type_t type, const std::vector<std::pair<std::string, std::string>>& properties) {
  std::array<char, 512> words{};
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  for (const auto& [name, value] : properties) {
    EXPECT_EQ(rd_kafka_conf_set(conf, name.c_str(), value.c_str(), words.data(), words.size()), RD_KAFKA_CONF_OK)
        << words.data();
  }
  rd_kafka_t* client = rd_kafka_new(type, conf, words.data(), words.size());
  EXPECT_NE(client, nullptr) << words.data();
  return client;
}

void ExpectOk(rd_kafka_error_t* error) {
  EXPECT_EQ(error, nullptr) << rd_kafka_error_string(error);
  if (error != nullptr) rd_kafka_error_destroy(error);
}

v1::PartitionOffset At(int partition, int64_t offset) {
  v1::PartitionOffset at;
  at.set_partition(partition);
  at.set_offset(offset);
  at.set_leader_epoch(-1);
  return at;
}

class GroupTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    absl::StatusOr<std::unique_ptr<e2e::Broker>> broker = e2e::Broker::Start();
    ASSERT_TRUE(broker.ok()) << broker.status();
    broker_ = *std::move(broker);
    absl::StatusOr<std::unique_ptr<kafka::ClusterAdmin>> admin =
        kafka::OpenAdmin({{"bootstrap.servers", broker_->bootstrap()}}, "group-test");
    ASSERT_TRUE(admin.ok()) << admin.status();
    admin_ = *std::move(admin);
    v1::CreateTopic topic;
    topic.set_name("in");
    topic.set_partitions(2);
    ASSERT_TRUE(admin_->CreateTopic(topic).ok());
  }

  v1::GroupFacts Look() {
    absl::StatusOr<v1::GroupFacts> facts = admin_->DescribeGroup("group", {{"in", 2}});
    EXPECT_TRUE(facts.ok()) << facts.status();
    return facts.value_or(v1::GroupFacts());
  }

  // Lets the consumer work until the group is as wanted.
  template <typename Condition>
  v1::GroupFacts Await(rd_kafka_t* consumer, Condition condition) {
    v1::GroupFacts facts;
    for (absl::Time end = absl::Now() + kPatience; absl::Now() < end;) {
      if (consumer != nullptr) {
        rd_kafka_message_t* message = rd_kafka_consumer_poll(consumer, 50);
        if (message != nullptr) rd_kafka_message_destroy(message);
      }
      facts = Look();
      if (condition(facts)) return facts;
    }
    ADD_FAILURE() << "never as wanted: " << facts.DebugString();
    return facts;
  }

  std::unique_ptr<e2e::Broker> broker_;
  std::unique_ptr<kafka::ClusterAdmin> admin_;
};

TEST_P(GroupTest, AMemberShowsAndKeepsOthersFromWritingOffsets) {
  rd_kafka_t* consumer = NewClient(RD_KAFKA_CONSUMER, {{"bootstrap.servers", broker_->bootstrap()},
                                                       {"group.id", "group"},
                                                       {"client.id", "the-consumer"},
                                                       {"group.protocol", GetParam()}});
  ASSERT_NE(consumer, nullptr);
  rd_kafka_poll_set_consumer(consumer);
  rd_kafka_topic_partition_list_t* topics = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(topics, "in", RD_KAFKA_PARTITION_UA);
  ASSERT_EQ(rd_kafka_subscribe(consumer, topics), RD_KAFKA_RESP_ERR_NO_ERROR);
  rd_kafka_topic_partition_list_destroy(topics);

  v1::GroupFacts facts = Await(consumer, [](const v1::GroupFacts& seen) {
    return seen.state() == v1::GroupFacts::STABLE && seen.members_size() == 1 &&
           seen.members(0).assignments_size() == 1;
  });
  ASSERT_EQ(facts.members_size(), 1);
  EXPECT_EQ(facts.members(0).client_id(), "the-consumer");
  EXPECT_FALSE(facts.members(0).member_id().empty());
  EXPECT_EQ(facts.members(0).assignments(0).topic(), "in");
  EXPECT_THAT(facts.members(0).assignments(0).partitions(), ElementsAre(0, 1));
  absl::StatusOr<std::vector<std::string>> groups = admin_->ListGroups();
  ASSERT_TRUE(groups.ok()) << groups.status();
  EXPECT_THAT(*groups, ElementsAre("group"));

  absl::Status status = admin_->CommitOffsets("group", "in", {At(0, 5)}, "op");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_EQ(Look().topics(0).offsets(0).offset(), -1);

  rd_kafka_consumer_close(consumer);
  rd_kafka_destroy(consumer);
  facts = Await(nullptr, [](const v1::GroupFacts& seen) { return seen.state() != v1::GroupFacts::STABLE; });
  EXPECT_EQ(facts.members_size(), 0);
}

INSTANTIATE_TEST_SUITE_P(BothProtocols, GroupTest, testing::Values("classic", "consumer"));

using PendingTest = GroupTest;

TEST_P(PendingTest, AnOffsetThatATransactionHoldsBackIsUnstable) {
  ASSERT_TRUE(admin_->DescribeGroup("group", {}).ok());
  ASSERT_TRUE(admin_->CommitOffsets("group", "in", {At(0, 1), At(1, 1)}, "").ok());
  rd_kafka_t* producer =
      NewClient(RD_KAFKA_PRODUCER, {{"bootstrap.servers", broker_->bootstrap()}, {"transactional.id", "tx"}});
  ASSERT_NE(producer, nullptr);
  ExpectOk(rd_kafka_init_transactions(producer, 20'000));
  ExpectOk(rd_kafka_begin_transaction(producer));
  rd_kafka_topic_partition_list_t* offsets = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(offsets, "in", 1)->offset = 8;
  rd_kafka_consumer_group_metadata_t* metadata = rd_kafka_consumer_group_metadata_new("group");
  ExpectOk(rd_kafka_send_offsets_to_transaction(producer, offsets, metadata, 20'000));
  rd_kafka_consumer_group_metadata_destroy(metadata);
  rd_kafka_topic_partition_list_destroy(offsets);

  v1::GroupFacts pending = Look();
  ASSERT_EQ(pending.topics_size(), 1);
  EXPECT_FALSE(pending.topics(0).offsets(0).unstable());
  EXPECT_EQ(pending.topics(0).offsets(0).offset(), 1);
  EXPECT_TRUE(pending.topics(0).offsets(1).unstable()) << pending.DebugString();
  EXPECT_EQ(pending.topics(0).offsets(1).offset(), -1);

  ExpectOk(rd_kafka_commit_transaction(producer, 20'000));
  v1::GroupFacts settled =
      Await(nullptr, [](const v1::GroupFacts& seen) { return !seen.topics(0).offsets(1).unstable(); });
  EXPECT_EQ(settled.topics(0).offsets(1).offset(), 8);
  rd_kafka_destroy(producer);
}

INSTANTIATE_TEST_SUITE_P(Once, PendingTest, testing::Values("classic"));

}  // namespace
}  // namespace st
