#include "runner/refusal_search.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace st::runner {
namespace {

using kafka::FailedDelivery;

constexpr auto kTooLarge = RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE;

std::vector<FailedDelivery> Batch(int64_t begin, int64_t end, rd_kafka_resp_err_t code = kTooLarge) {
  std::vector<FailedDelivery> failures;
  for (int64_t offset = begin; offset < end; ++offset) failures.push_back({.code = code, .mark = MarkOf(1, offset)});
  return failures;
}

TEST(RefusalSearch, MarksHoldPartitionAndOffset) {
  const uint64_t mark = MarkOf(kMaxPartition, (int64_t{1} << 48) - 1);
  EXPECT_EQ(PartitionOf(mark), kMaxPartition);
  EXPECT_EQ(OffsetOf(mark), (int64_t{1} << 48) - 1);
}

TEST(RefusalSearch, OtherFailuresAreNoRefusal) {
  RefusalSearch search;
  for (auto code : {RD_KAFKA_RESP_ERR__PURGE_QUEUE, RD_KAFKA_RESP_ERR__PURGE_INFLIGHT,
                    RD_KAFKA_RESP_ERR__INVALID_DIFFERENT_RECORD, RD_KAFKA_RESP_ERR__MSG_TIMED_OUT,
                    RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER}) {
    EXPECT_FALSE(search.Note(Batch(0, 1, code))) << rd_kafka_err2name(code);
  }
  EXPECT_TRUE(search.idle());
}

TEST(RefusalSearch, OneAloneIsConvicted) {
  RefusalSearch search;
  EXPECT_TRUE(search.Note(Batch(7, 8)));
  EXPECT_FALSE(search.idle());
  EXPECT_EQ(search.Convicted(1, 7), kTooLarge);
  EXPECT_FALSE(search.Convicted(1, 8).has_value());
  EXPECT_FALSE(search.Convicted(0, 7).has_value());
  EXPECT_FALSE(search.Note(Batch(7, 8)));  // nothing new
}

TEST(RefusalSearch, TheBrokerSinglesOneOut) {
  RefusalSearch search;
  std::vector<FailedDelivery> failures = Batch(0, 100, RD_KAFKA_RESP_ERR__INVALID_DIFFERENT_RECORD);
  failures[42].code = RD_KAFKA_RESP_ERR_INVALID_RECORD;
  EXPECT_TRUE(search.Note(failures));
  EXPECT_EQ(search.Convicted(1, 42), RD_KAFKA_RESP_ERR_INVALID_RECORD);
  EXPECT_FALSE(search.IsSuspect(1, 41));
}

TEST(RefusalSearch, CommittedSuspectsAreFree) {
  RefusalSearch search;
  search.Note(Batch(10, 20));
  search.Committed({{.partition = 0, .offset = 99}, {.partition = 1, .offset = 15}});
  EXPECT_FALSE(search.IsSuspect(1, 14));
  EXPECT_TRUE(search.IsSuspect(1, 15));
  search.Committed({{.partition = 1, .offset = 20}});
  EXPECT_TRUE(search.idle());
}

// A failure that is no refusal, as after an abort, must not end the search.
TEST(RefusalSearch, ConsequencesLeaveSuspectsAlone) {
  RefusalSearch search;
  search.Note(Batch(10, 20));
  EXPECT_FALSE(search.Note(Batch(10, 12, RD_KAFKA_RESP_ERR__PURGE_QUEUE)));
  EXPECT_TRUE(search.IsSuspect(1, 10));
}

// Replays as the runner does, against a broker that refuses each batch with a bad record in it.
TEST(RefusalSearch, FindsEachBadRecordInFewRounds) {
  constexpr int64_t kCount = 10000;
  for (int64_t bad : {int64_t{0}, int64_t{1}, int64_t{4999}, kCount - 1}) {
    RefusalSearch search;
    ASSERT_TRUE(search.Note(Batch(0, kCount)));
    int rounds = 0;
    while (!search.Convicted(1, bad).has_value()) {
      ASSERT_LT(++rounds, 6);
      const auto group = static_cast<int64_t>(search.GroupSize());
      std::vector<int64_t> suspects;
      for (int64_t offset = 0; offset < kCount; ++offset) {
        if (search.IsSuspect(1, offset)) suspects.push_back(offset);
      }
      ASSERT_FALSE(suspects.empty());
      const auto index = std::find(suspects.begin(), suspects.end(), bad) - suspects.begin();
      const int64_t first = index / group * group;
      const int64_t last = std::min<int64_t>(first + group, static_cast<int64_t>(suspects.size())) - 1;
      ASSERT_TRUE(search.Note(Batch(suspects[static_cast<size_t>(first)], suspects[static_cast<size_t>(last)] + 1)));
    }
  }
}

}  // namespace
}  // namespace st::runner
