// Every write of the admin is sent once and never again, whatever becomes of its answer; and an answer that did not
// come is Unknown, never a failure. A read is asked again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/broker.h"
#include "e2e/proxy.h"
#include "lib/kafka/admin.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/plan.pb.h"

namespace st {
namespace {

using ::testing::HasSubstr;
using Fate = e2e::Proxy::Fate;

std::unique_ptr<kafka::ClusterAdmin> Open(const std::string& bootstrap) {
  absl::StatusOr<std::unique_ptr<kafka::ClusterAdmin>> admin =
      kafka::OpenAdmin({{"bootstrap.servers", bootstrap}, {"socket.timeout.ms", "5000"}}, "lost-answer-test");
  EXPECT_TRUE(admin.ok()) << admin.status();
  return admin.ok() ? *std::move(admin) : nullptr;
}

v1::CreateTopic NewTopic(const std::string& name) {
  v1::CreateTopic topic;
  topic.set_name(name);
  topic.set_partitions(1);
  return topic;
}

struct Write {
  int16_t key;
  std::string what;
  std::function<absl::Status(kafka::ClusterAdmin&)> write;
  std::function<bool(kafka::ClusterAdmin&)> happened;
};

v1::TopicFacts Facts(kafka::ClusterAdmin& admin, const std::string& topic) {
  absl::StatusOr<std::vector<v1::TopicFacts>> facts = admin.DescribeTopics({topic});
  EXPECT_TRUE(facts.ok()) << facts.status();
  return facts.ok() ? facts->front() : v1::TopicFacts();
}

std::vector<Write> Writes(const std::string& topic) {
  v1::PartitionOffset offset;
  offset.set_offset(3);
  return {
      {e2e::kCreateTopicsKey, "create topic",
       [=](kafka::ClusterAdmin& admin) { return admin.CreateTopic(NewTopic(topic + ".new")); },
       [=](kafka::ClusterAdmin& admin) { return Facts(admin, topic + ".new").presence() == v1::PRESENT; }},
      {e2e::kIncrementalAlterConfigsKey, "change the configs",
       [=](kafka::ClusterAdmin& admin) {
         return admin.AlterConfigs(topic, {{"retention.ms", "77777"}}, {});
       },
       [=](kafka::ClusterAdmin& admin) { return Facts(admin, topic).configs_size() == 1; }},
      {e2e::kOffsetCommitKey, "commit offsets",
       [=](kafka::ClusterAdmin& admin) { return admin.CommitOffsets(topic, topic, {offset}, "op"); },
       [=](kafka::ClusterAdmin& admin) {
         absl::StatusOr<v1::GroupFacts> facts = admin.DescribeGroup(topic, {{topic, 1}});
         EXPECT_TRUE(facts.ok()) << facts.status();
         return facts.ok() && facts->topics(0).offsets(0).offset() == 3;
       }},
      {e2e::kCreatePartitionsKey, "partitions",
       [=](kafka::ClusterAdmin& admin) { return admin.CreatePartitions(topic, 2); },
       [=](kafka::ClusterAdmin& admin) { return Facts(admin, topic).partitions_size() == 2; }},
  };
}

class LostAnswer : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(proxy_.port(), 0);
    address_ = absl::StrCat("127.0.0.1:", proxy_.port());
    absl::StatusOr<std::unique_ptr<e2e::Broker>> broker =
        e2e::Broker::Start({absl::StrCat("advertised.listeners=PLAINTEXT://", address_)});
    ASSERT_TRUE(broker.ok()) << broker.status();
    broker_ = *std::move(broker);
    int port = 0;
    const std::vector<std::string> parts = absl::StrSplit(broker_->bootstrap(), ':');
    ASSERT_TRUE(absl::SimpleAtoi(parts.back(), &port));
    proxy_.SetTarget(port);
  }

  e2e::Proxy proxy_;
  std::string address_;
  std::unique_ptr<e2e::Broker> broker_;
};

TEST_F(LostAnswer, OfAWriteIsUnknownAndTheRequestIsNotRepeated) {
  for (Fate fate : {Fate::kCutBefore, Fate::kLoseAnswer}) {
    std::string topic = fate == Fate::kCutBefore ? "cut" : "lost";
    std::unique_ptr<kafka::ClusterAdmin> admin = Open(address_);
    ASSERT_NE(admin, nullptr);
    absl::Status made = admin->CreateTopic(NewTopic(topic));
    ASSERT_TRUE(made.ok()) << made;
    // The group's coordinator is there before an offset is committed.
    ASSERT_TRUE(admin->DescribeGroup(topic, {{topic, 1}}).ok());
    for (const Write& write : Writes(topic)) {
      SCOPED_TRACE(absl::StrCat(write.what, " of ", topic));
      int before = proxy_.Count(write.key);
      proxy_.SetFate(write.key, fate);
      absl::Status status = write.write(*admin);
      proxy_.SetFate(write.key, Fate::kPass);
      EXPECT_EQ(status.code(), absl::StatusCode::kUnknown) << status;
      EXPECT_THAT(std::string(status.message()), HasSubstr(write.what));
      EXPECT_THAT(std::string(status.message()), HasSubstr("is not known"));
      // Reads go on over the same handle, so that a request which was only waiting would have gone out by now.
      bool happened = write.happened(*admin);
      // The broker shows what it did a moment later.
      absl::Time end = absl::Now() + absl::Seconds(20);
      while (fate == Fate::kLoseAnswer && !happened && absl::Now() < end) happened = write.happened(*admin);
      EXPECT_EQ(happened, fate == Fate::kLoseAnswer);
      EXPECT_EQ(proxy_.Count(write.key), before + 1);
    }
  }
}

// librdkafka forgets a search for a coordinator only with its handle: see lib/kafka/admin_client.h.
TEST_F(LostAnswer, OfASearchForACoordinatorIsWaitedForAndTheClientGoesOn) {
  std::unique_ptr<kafka::ClusterAdmin> admin = Open(address_);
  ASSERT_NE(admin, nullptr);
  ASSERT_TRUE(admin->DescribeCluster().ok());
  proxy_.SetFate(e2e::kFindCoordinatorKey, Fate::kSwallow, 1);
  absl::StatusOr<v1::GroupFacts> facts = admin->DescribeGroup("late", {});
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->state(), v1::GroupFacts::NONE);
  EXPECT_GE(proxy_.Count(e2e::kFindCoordinatorKey), 2);

  // A write whose search is lost was never sent; nobody could tell, so it is Unknown, and the client still works.
  v1::PartitionOffset offset;
  ASSERT_TRUE(admin->CreateTopic(NewTopic("topic")).ok());
  proxy_.SetFate(e2e::kFindCoordinatorKey, Fate::kSwallow, 1);
  absl::Status status = admin->CommitOffsets("never.seen", "topic", {offset}, "op");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnknown) << status;
  EXPECT_EQ(proxy_.Count(e2e::kOffsetCommitKey), 0);
  facts = admin->DescribeGroup("never.seen", {{"topic", 1}});
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->topics(0).offsets(0).offset(), -1);
  status = admin->CommitOffsets("never.seen", "topic", {offset}, "op");
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace st
