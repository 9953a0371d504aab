#include "runner/startup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/kafka/handle.h"

namespace st::runner {
namespace {

using kafka::TopicIdentity;
using testing::HasSubstr;
using Status = v1::RunnerStatus;

Expected Right() {
  return {.cluster_id = "c",
          .input_topic = "in",
          .input_topic_id = "i-id",
          .output_topic = "out",
          .output_topic_id = "o-id",
          .initialized_partitions = 3,
          .output_partitions = 0};
}

TopicIdentity Topic(const std::string& id, int partitions) {
  return {.exists = true, .id = id, .partitions = partitions};
}

TEST(Startup, TheRightTopicsPass) {
  EXPECT_FALSE(CheckTopics(Right(), {Topic("i-id", 3), Topic("o-id", 7)}).has_value());
  EXPECT_FALSE(CheckCluster(Right(), "c").has_value());
}

TEST(Startup, TheInputMayHaveGrown) {
  EXPECT_FALSE(CheckTopics(Right(), {Topic("i-id", 4), Topic("o-id", 1)}).has_value());
}

TEST(Startup, AnythingElseIsNamed) {
  struct Case {
    TopicIdentity input, output;
    Reason reason;
    const char* text;
  };
  const Case cases[] = {
      {{}, Topic("o-id", 1), Status::IDENTITY_MISMATCH, "input topic in is not there"},
      {Topic("i-id", 3), {}, Status::IDENTITY_MISMATCH, "output topic out is not there"},
      {Topic("other", 3), Topic("o-id", 1), Status::IDENTITY_MISMATCH, "id other, not i-id"},
      {Topic("i-id", 3), Topic("other", 1), Status::IDENTITY_MISMATCH, "id other, not o-id"},
      {Topic("i-id", 2), Topic("o-id", 1), Status::PARTITIONS_CHANGED, "has 2 partitions"},
      {Topic("i-id", 3), Topic("o-id", 0), Status::IDENTITY_MISMATCH, "output topic out is not there"},
  };
  for (const Case& one : cases) {
    auto failure = CheckTopics(Right(), {one.input, one.output});
    ASSERT_TRUE(failure.has_value()) << one.text;
    EXPECT_EQ(failure->reason, one.reason) << failure->detail;
    EXPECT_THAT(failure->detail, HasSubstr(one.text));
  }
  auto failure = CheckCluster(Right(), "d");
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->reason, Status::IDENTITY_MISMATCH);
}

TEST(Startup, OutputPartitionsStayAsFound) {
  Expected expected = Right();
  expected.output_partitions = 4;
  EXPECT_FALSE(CheckTopics(expected, {Topic("i-id", 3), Topic("o-id", 4)}).has_value());
  auto failure = CheckTopics(expected, {Topic("i-id", 3), Topic("o-id", 5)});
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->reason, Status::PARTITIONS_CHANGED);
}

// Nobody answers there.
TEST(Startup, ARequestToStopEndsTheWaiting) {
  kafka::Settings settings;
  kafka::Events events;
  auto handle = settings.Set("bootstrap.servers", "127.0.0.1:1").Open(RD_KAFKA_PRODUCER, &events);
  ASSERT_TRUE(handle.ok()) << handle.status();
  kafka::TopicProbe probe(handle->get(), {"in"});
  probe.Ask(100);
  const auto silence = probe.Take(30'000);
  ASSERT_TRUE(silence.has_value());
  EXPECT_TRUE(absl::IsDeadlineExceeded(silence->status())) << silence->status();
  Pulse pulse;
  pulse.RequestStop();
  EXPECT_TRUE(absl::IsCancelled(AskTopics(handle->get(), Right(), &pulse).status()));
  EXPECT_TRUE(absl::IsCancelled(kafka::MaxMessageBytes(handle->get(), "out", 30'000, [] { return false; }).status()));
}

}  // namespace
}  // namespace st::runner
