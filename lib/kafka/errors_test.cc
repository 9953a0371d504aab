#include "lib/kafka/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace st::kafka {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Code = absl::StatusCode;

struct Case {
  rd_kafka_resp_err_t code;
  Code of_a_look;
  Code of_a_change;
};

class Meaning : public testing::TestWithParam<Case> {};

TEST_P(Meaning, DependsOnWhatWasAsked) {
  const Case& c = GetParam();
  EXPECT_EQ(ToStatus(c.code, "", Effect::kNone, "look").code(), c.of_a_look) << rd_kafka_err2name(c.code);
  EXPECT_EQ(ToStatus(c.code, "", Effect::kChange, "change").code(), c.of_a_change) << rd_kafka_err2name(c.code);
}

INSTANTIATE_TEST_SUITE_P(
    All, Meaning,
    testing::Values(
        Case{RD_KAFKA_RESP_ERR_NO_ERROR, Code::kOk, Code::kOk},
        // The broker said no.
        Case{RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS, Code::kAlreadyExists, Code::kAlreadyExists},
        Case{RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID, Code::kFailedPrecondition, Code::kFailedPrecondition},
        Case{RD_KAFKA_RESP_ERR_POLICY_VIOLATION, Code::kFailedPrecondition, Code::kFailedPrecondition},
        Case{RD_KAFKA_RESP_ERR_INVALID_CONFIG, Code::kInvalidArgument, Code::kInvalidArgument},
        Case{RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR, Code::kInvalidArgument, Code::kInvalidArgument},
        Case{RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, Code::kPermissionDenied, Code::kPermissionDenied},
        Case{RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, Code::kPermissionDenied, Code::kPermissionDenied},
        // Nothing was done, and nothing may be concluded.
        Case{RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS, Code::kUnavailable, Code::kUnavailable},
        Case{RD_KAFKA_RESP_ERR_THROTTLING_QUOTA_EXCEEDED, Code::kUnavailable, Code::kUnavailable},
        // The answer is none: a change may have been carried out.
        Case{RD_KAFKA_RESP_ERR__TIMED_OUT, Code::kUnavailable, Code::kUnknown},
        Case{RD_KAFKA_RESP_ERR__TRANSPORT, Code::kUnavailable, Code::kUnknown},
        Case{RD_KAFKA_RESP_ERR__BAD_MSG, Code::kUnavailable, Code::kUnknown},
        Case{RD_KAFKA_RESP_ERR_UNKNOWN, Code::kUnavailable, Code::kUnknown},
        Case{RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, Code::kUnavailable, Code::kUnknown},
        Case{RD_KAFKA_RESP_ERR_NOT_CONTROLLER, Code::kUnavailable, Code::kUnknown},
        Case{RD_KAFKA_RESP_ERR_NOT_COORDINATOR, Code::kUnavailable, Code::kUnknown},
        Case{RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE, Code::kUnavailable, Code::kUnknown}));

TEST(Meaning, OfWhatNobodyThoughtOfIsUnknown) {
  EXPECT_EQ(ToStatus(static_cast<rd_kafka_resp_err_t>(250), "", Effect::kChange, "x").code(), Code::kUnknown);
  EXPECT_EQ(ToStatus(static_cast<rd_kafka_resp_err_t>(-9), "", Effect::kChange, "x").code(), Code::kUnknown);
}

TEST(Message, HasTheBrokersWordsAndItsName) {
  absl::Status status = ToStatus(RD_KAFKA_RESP_ERR_INVALID_CONFIG, "no such key", Effect::kChange, "create topic 'a'");
  EXPECT_EQ(status.message(), "cannot create topic 'a': no such key (INVALID_CONFIG)");
  status = ToStatus(RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, "", Effect::kChange, "create topic 'a'");
  EXPECT_EQ(status.message(),
            "whether the request to create topic 'a' was carried out is not known: Broker: Request timed out "
            "(REQUEST_TIMED_OUT)");
  status = ToStatus(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, "", Effect::kNone, "describe topic 'a'");
  EXPECT_THAT(std::string(status.message()), HasSubstr("lacks a right on that topic"));
  status = ToStatus(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, "", Effect::kChange, "create topic 'a'",
                    "Create on topic 'a'");
  EXPECT_THAT(std::string(status.message()), HasSubstr("; our principal needs the right Create on topic 'a'"));
  status = ToStatus(RD_KAFKA_RESP_ERR__TRANSPORT, "", Effect::kNone, "create topic 'a'", "Create on topic 'a'");
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("right")));
}

TEST(Verdict, IsWhatTheBrokerRefusesForGood) {
  EXPECT_TRUE(IsVerdict(RD_KAFKA_RESP_ERR_INVALID_PARTITIONS));
  EXPECT_TRUE(IsVerdict(RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS));
  EXPECT_TRUE(IsVerdict(RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED));
  EXPECT_FALSE(IsVerdict(RD_KAFKA_RESP_ERR_NOT_CONTROLLER));
  EXPECT_FALSE(IsVerdict(RD_KAFKA_RESP_ERR_NO_ERROR));
}

// Looking again after a refusal would only hide it.
TEST(Passing, IsNoRefusalButWhatATopicMayStillBecome) {
  for (int number = -200; number < 200; ++number) {
    auto code = static_cast<rd_kafka_resp_err_t>(number);
    if (!IsPassing(code) || !IsVerdict(code)) continue;
    EXPECT_TRUE(code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_ID)
        << rd_kafka_err2name(code);
  }
  EXPECT_TRUE(IsPassing(RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION));
  EXPECT_FALSE(IsPassing(RD_KAFKA_RESP_ERR__TRANSPORT));
  EXPECT_FALSE(IsPassing(RD_KAFKA_RESP_ERR_NO_ERROR));
}

}  // namespace
}  // namespace st::kafka
