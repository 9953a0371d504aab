#include "lib/kafka/fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace st::kafka {
namespace {

using ::testing::HasSubstr;

TEST(Fault, Consume) {
  EXPECT_EQ(ClassifyConsume(RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET), ConsumeFault::kNoPosition);
  EXPECT_EQ(ClassifyConsume(RD_KAFKA_RESP_ERR__LOG_TRUNCATION), ConsumeFault::kNoPosition);
  EXPECT_EQ(ClassifyConsume(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED), ConsumeFault::kDenied);
  EXPECT_EQ(ClassifyConsume(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART), ConsumeFault::kTopicGone);
  EXPECT_EQ(ClassifyConsume(RD_KAFKA_RESP_ERR__TRANSPORT), ConsumeFault::kPassing);
  EXPECT_EQ(ClassifyConsume(RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED), ConsumeFault::kPassing);
  // What nobody has thought of is never passed over.
  EXPECT_EQ(ClassifyConsume(RD_KAFKA_RESP_ERR__BAD_MSG), ConsumeFault::kFatal);
  EXPECT_EQ(ClassifyConsume(RD_KAFKA_RESP_ERR_UNKNOWN), ConsumeFault::kFatal);
}

TEST(Fault, OnlyTheBrokersWordIsARefusal) {
  for (auto code : {RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE,
                    RD_KAFKA_RESP_ERR_INVALID_RECORD, RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP}) {
    EXPECT_EQ(ClassifyDelivery(code), DeliveryFault::kRefused) << rd_kafka_err2name(code);
  }
  for (auto code : {RD_KAFKA_RESP_ERR__PURGE_QUEUE, RD_KAFKA_RESP_ERR__PURGE_INFLIGHT,
                    RD_KAFKA_RESP_ERR__INVALID_DIFFERENT_RECORD, RD_KAFKA_RESP_ERR__MSG_TIMED_OUT}) {
    EXPECT_EQ(ClassifyDelivery(code), DeliveryFault::kConsequence) << rd_kafka_err2name(code);
  }
  EXPECT_EQ(ClassifyDelivery(RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH), DeliveryFault::kFenced);
  EXPECT_EQ(ClassifyDelivery(RD_KAFKA_RESP_ERR_INVALID_PRODUCER_ID_MAPPING), DeliveryFault::kExpired);
  EXPECT_EQ(ClassifyDelivery(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED), DeliveryFault::kDenied);
}

TEST(Fault, TransactionalCalls) {
  EXPECT_EQ(ClassifyTxn(RD_KAFKA_RESP_ERR_NO_ERROR, false, false, false), TxnOutcome::kOk);
  EXPECT_EQ(ClassifyTxn(RD_KAFKA_RESP_ERR__TIMED_OUT, false, false, true), TxnOutcome::kRetry);
  EXPECT_EQ(ClassifyTxn(RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION, false, true, false), TxnOutcome::kAbort);
  // Fenced is fenced, whatever else is said of it.
  EXPECT_EQ(ClassifyTxn(RD_KAFKA_RESP_ERR__FENCED, true, false, false), TxnOutcome::kFenced);
  EXPECT_EQ(ClassifyTxn(RD_KAFKA_RESP_ERR_PRODUCER_FENCED, false, true, false), TxnOutcome::kFenced);
  EXPECT_EQ(ClassifyTxn(RD_KAFKA_RESP_ERR_INVALID_PRODUCER_ID_MAPPING, false, true, false), TxnOutcome::kExpired);
  EXPECT_EQ(ClassifyTxn(RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, false, true, false), TxnOutcome::kDenied);
  EXPECT_EQ(ClassifyTxn(RD_KAFKA_RESP_ERR__AUTHENTICATION, false, false, false), TxnOutcome::kDenied);
  EXPECT_EQ(ClassifyTxn(RD_KAFKA_RESP_ERR__AUTHENTICATION, true, false, false), TxnOutcome::kDenied);
  EXPECT_EQ(ClassifyTxn(RD_KAFKA_RESP_ERR__AUTHENTICATION, false, true, false), TxnOutcome::kDenied);
  EXPECT_EQ(ClassifyTxn(RD_KAFKA_RESP_ERR__AUTHENTICATION, false, false, true), TxnOutcome::kRetry);
  EXPECT_EQ(ClassifyTxn(RD_KAFKA_RESP_ERR__STATE, true, true, true), TxnOutcome::kFatal);
  // No flag at all is no leave to go on.
  EXPECT_EQ(ClassifyTxn(RD_KAFKA_RESP_ERR__STATE, false, false, false), TxnOutcome::kFatal);
}

TEST(Fault, ADenialNamesTheRight) {
  EXPECT_THAT(RunnerRight(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, Denied::kReading), HasSubstr("Read on the in"));
  EXPECT_THAT(RunnerRight(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, Denied::kWriting), HasSubstr("Write on the o"));
  EXPECT_THAT(RunnerRight(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, Denied::kLooking), HasSubstr("Describe on th"));
  for (Denied at : {Denied::kReading, Denied::kWriting, Denied::kLooking}) {
    EXPECT_THAT(RunnerRight(RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, at), HasSubstr("Read on the group"));
    EXPECT_THAT(RunnerRight(RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED, at),
                HasSubstr("Write on the transactional id"));
    EXPECT_EQ(RunnerRight(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, at), "");
  }
}

}  // namespace
}  // namespace st::kafka
