// Against librdkafka's built-in broker, which answers with the errors that it is told to: what each means for a
// transaction. That real brokers behave so is shown in e2e/runner.
#include "runner/transaction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <librdkafka/rdkafka_mock.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/clock.h"

namespace st::runner {
namespace {

using testing::HasSubstr;
using Status = v1::RunnerStatus;

// Kafka's protocol: numbers of requests.
enum Request : int16_t { kProduce = 0, kAddOffsets = 25, kEndTxn = 26, kTxnOffsetCommit = 28 };

constexpr int kPollMs = 100;
constexpr int kPolls = 300;
constexpr int64_t kCommittedBefore = 2;

// With records handed over one by one, and many at once.
class TransactionTest : public testing::TestWithParam<bool> {
 protected:
  TransactionTest() {
    kafka::Settings settings;
    owner_ = *settings.Open(RD_KAFKA_PRODUCER, &events_);
    cluster_ = rd_kafka_mock_cluster_new(owner_.get(), 1);
    rd_kafka_mock_group_initial_rebalance_delay_ms(cluster_, 0);
    rd_kafka_mock_topic_create(cluster_, "in", 1, 1);
    rd_kafka_mock_topic_create(cluster_, "out", 1, 1);
    const kafka::Properties properties = {{"bootstrap.servers", rd_kafka_mock_cluster_bootstraps(cluster_)}};
    producer_ =
        *kafka::Producer::Open(properties, {.transactional_id = "app", .topic = "out", .one_by_one = GetParam()});
    consumer_ = *kafka::Consumer::Open(properties, "app", "in");
    EXPECT_EQ(Init().outcome, kafka::TxnOutcome::kOk);
    CommitPlainly(properties, kCommittedBefore);
    EXPECT_TRUE(consumer_->Subscribe().ok());
    for (int i = 0; i < kPolls && consumer_->pending() != kafka::Rebalance::kAssign; ++i) Poll();
    EXPECT_EQ(consumer_->pending_partitions(), std::vector<int32_t>{0});
    const std::vector<kafka::Position> start = {{.partition = 0, .offset = 0}};
    EXPECT_TRUE(consumer_->Assign(start).ok());
    ledger_.Assign(start);
    transaction_ = std::make_unique<Transaction>("in", consumer_.get(), producer_.get(), &ledger_, &pulse_, &log_);
  }

  ~TransactionTest() override {
    consumer_->Close(5000).IgnoreError();
    consumer_.reset();
    producer_.reset();
    rd_kafka_mock_cluster_destroy(cluster_);
  }

  kafka::TxnResult Init() {
    kafka::TxnResult result;
    for (int i = 0; i < kPolls; ++i) {
      result = producer_->Init(kPollMs);
      if (result.outcome != kafka::TxnOutcome::kRetry) break;
    }
    return result;
  }

  // Without a transaction: this broker does not keep those that come in one.
  static void CommitPlainly(const kafka::Properties& properties, int64_t offset) {
    kafka::Settings settings;
    kafka::Events events;
    auto client = *settings.SetAll(properties).Set("group.id", "app").Open(RD_KAFKA_CONSUMER, &events);
    rd_kafka_topic_partition_list_t* list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, "in", 0)->offset = offset;
    EXPECT_EQ(rd_kafka_commit(client.get(), list, 0), RD_KAFKA_RESP_ERR_NO_ERROR);
    rd_kafka_topic_partition_list_destroy(list);
  }

  void Poll() {
    rd_kafka_message_t* message = nullptr;
    if (consumer_->Poll(kPollMs, &message, 1) > 0) rd_kafka_message_destroy(message);
  }

  // As if records up to `next` had been read and given one output record.
  void Fill(int64_t next) {
    ASSERT_FALSE(transaction_->Open().has_value());
    producer_->Stage({.value = "{}", .mark = MarkOf(0, next - 1)});
    ledger_.Advance(0, next, -1);
    ++transaction_->tally().open.in;
    ++transaction_->tally().open.out;
  }

  void Answer(Request request, const std::vector<rd_kafka_resp_err_t>& errors) {
    rd_kafka_mock_push_request_errors_array(cluster_, request, errors.size(), errors.data());
  }

  kafka::Events events_;
  kafka::Handle owner_;
  rd_kafka_mock_cluster_t* cluster_;
  std::unique_ptr<kafka::Producer> producer_;
  std::unique_ptr<kafka::Consumer> consumer_;
  Ledger ledger_;
  Pulse pulse_;
  Log log_{"app", &base::RealClock()};
  std::unique_ptr<Transaction> transaction_;
  Failure failure_;
};

TEST_P(TransactionTest, CommitsRecordsAndOffsets) {
  Fill(3);
  ASSERT_EQ(transaction_->Commit(&failure_), Ended::kCommitted) << failure_.detail;
  EXPECT_FALSE(transaction_->open());
  EXPECT_EQ(ledger_.Committed(0), 3);
  EXPECT_EQ(transaction_->tally().committed.out, 1);
  EXPECT_EQ(transaction_->tally().transactions, 1);
  // Offsets alone are a transaction too; nothing at all is none.
  ledger_.Advance(0, 7, -1);
  ASSERT_EQ(transaction_->Commit(&failure_), Ended::kCommitted) << failure_.detail;
  EXPECT_EQ(ledger_.Committed(0), 7);
  ASSERT_EQ(transaction_->Commit(&failure_), Ended::kCommitted);
  EXPECT_EQ(transaction_->tally().transactions, 2);
  EXPECT_EQ(transaction_->tally().commit_times.count(), 2);
  EXPECT_GT(transaction_->tally().commit_times.last_us(), 0);
  EXPECT_EQ(log_.faults().count, 0);
}

TEST_P(TransactionTest, ACoordinatorThatMovesIsFoundAgain) {
  Fill(3);
  Answer(kEndTxn, {RD_KAFKA_RESP_ERR_NOT_COORDINATOR, RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS,
                   RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE});
  EXPECT_EQ(transaction_->Commit(&failure_), Ended::kCommitted) << failure_.detail;
  EXPECT_EQ(ledger_.Committed(0), 3);
}

TEST_P(TransactionTest, AGenerationThatIsOverAbortsAndRewinds) {
  Fill(3);
  ASSERT_EQ(transaction_->Commit(&failure_), Ended::kCommitted) << failure_.detail;
  Fill(9);
  Answer(kTxnOffsetCommit, {RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION});
  ASSERT_EQ(transaction_->Commit(&failure_), Ended::kAborted) << failure_.detail;
  EXPECT_EQ(ledger_.Committed(0), 3);
  EXPECT_EQ(transaction_->tally().committed.out, 1);
  EXPECT_EQ(transaction_->tally().open.out, 0);
  EXPECT_EQ(transaction_->tally().aborted, 1);
  EXPECT_EQ(transaction_->tally().commit_times.count(), 1);
  EXPECT_EQ(log_.faults().count, 1);
  EXPECT_THAT(log_.faults().last, HasSubstr("a transaction was aborted: "));
  auto failed = transaction_->Rewind();
  ASSERT_FALSE(failed.has_value()) << failed->detail;
  EXPECT_EQ(ledger_.Positions().front().offset, kCommittedBefore);
  // And it works again.
  Fill(9);
  EXPECT_EQ(transaction_->Commit(&failure_), Ended::kCommitted) << failure_.detail;
  EXPECT_EQ(ledger_.Committed(0), 9);
}

TEST_P(TransactionTest, WithoutAGenerationNothingIsCommitted) {
  Fill(3);
  ASSERT_TRUE(consumer_->Unassign().ok());
  EXPECT_EQ(transaction_->Commit(&failure_), Ended::kAborted);
  ledger_.Advance(0, 5, -1);
  EXPECT_EQ(transaction_->Commit(&failure_), Ended::kAborted);
  EXPECT_EQ(transaction_->tally().transactions, 0);
  // The second time there was none.
  EXPECT_EQ(transaction_->tally().aborted, 1);
  EXPECT_EQ(log_.faults().count, 2);
}

TEST_P(TransactionTest, FencedEndsAndSaysBothReasons) {
  Fill(3);
  Answer(kEndTxn, {RD_KAFKA_RESP_ERR_PRODUCER_FENCED});
  ASSERT_EQ(transaction_->Commit(&failure_), Ended::kFailed);
  EXPECT_EQ(failure_.reason, Status::FENCED) << failure_.detail;
  EXPECT_THAT(failure_.detail, HasSubstr("another process"));
  EXPECT_THAT(failure_.detail, HasSubstr("stopped for longer"));
  EXPECT_EQ(ledger_.Committed(0), 0);
}

TEST_P(TransactionTest, AnErrorOnceTheEndMayBeSentIsUnknown) {
  Fill(3);
  Answer(kEndTxn, {RD_KAFKA_RESP_ERR_UNKNOWN});
  ASSERT_EQ(transaction_->Commit(&failure_), Ended::kFailed);
  EXPECT_EQ(failure_.reason, Status::TRANSACTION_UNKNOWN) << failure_.detail;
  EXPECT_EQ(ledger_.Committed(0), 0);
}

TEST_P(TransactionTest, AForgottenTransactionalIdHasAReasonOfItsOwn) {
  Fill(3);
  Answer(kTxnOffsetCommit, {RD_KAFKA_RESP_ERR_INVALID_PRODUCER_ID_MAPPING});
  ASSERT_EQ(transaction_->Commit(&failure_), Ended::kFailed);
  EXPECT_EQ(failure_.reason, Status::PRODUCER_EXPIRED) << failure_.detail;
}

TEST_P(TransactionTest, AMissingRightHasAReasonOfItsOwn) {
  Fill(3);
  Answer(kAddOffsets, {RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED});
  ASSERT_EQ(transaction_->Commit(&failure_), Ended::kFailed);
  EXPECT_EQ(failure_.reason, Status::NOT_AUTHORIZED) << failure_.detail;
}

TEST_P(TransactionTest, ARecordThatMayNotBeWritten) {
  Fill(3);
  Answer(kProduce, {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED});
  ASSERT_EQ(transaction_->Commit(&failure_), Ended::kFailed);
  EXPECT_EQ(failure_.reason, Status::NOT_AUTHORIZED) << failure_.detail;
}

TEST_P(TransactionTest, ARefusedRecordIsRemembered) {
  Fill(3);
  Answer(kProduce, {RD_KAFKA_RESP_ERR_INVALID_RECORD});
  ASSERT_EQ(transaction_->Commit(&failure_), Ended::kAborted) << failure_.detail;
  EXPECT_EQ(transaction_->refusals().Convicted(0, 2), RD_KAFKA_RESP_ERR_INVALID_RECORD);
}

TEST_P(TransactionTest, ARecordThatTheClientFindsTooLargeIsRememberedAndWhatIsStagedIsDropped) {
  const std::string large(size_t{2} << 20, 'x');
  ASSERT_FALSE(transaction_->Open().has_value());
  producer_->Stage({.value = "{}", .mark = MarkOf(0, 1)});
  producer_->Stage({.value = large, .headers = rd_kafka_headers_new(1), .mark = MarkOf(0, 2)});
  producer_->Stage({.value = "{}", .headers = rd_kafka_headers_new(1), .mark = MarkOf(0, 3)});
  std::string why;
  ASSERT_FALSE(transaction_->SendStaged(&why));
  EXPECT_THAT(why, HasSubstr("MSG_SIZE_TOO_LARGE"));
  EXPECT_EQ(transaction_->refusals().Convicted(0, 2), RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
  EXPECT_EQ(producer_->Send().code, RD_KAFKA_RESP_ERR_NO_ERROR);
  EXPECT_EQ(transaction_->AbortFailed(why, &failure_), Ended::kAborted) << failure_.detail;
}

// Reads what was written to a partition, in its order: value, key, timestamp and the first header's name.
std::vector<std::string> ReadBack(const kafka::Properties& properties, int32_t partition, size_t count) {
  kafka::Settings settings;
  kafka::Events events;
  auto reader = *settings.SetAll(properties)
                     .Set("group.id", "reader")
                     .Set("isolation.level", "read_uncommitted")
                     .Open(RD_KAFKA_CONSUMER, &events);
  rd_kafka_topic_partition_list_t* list = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(list, "out", partition)->offset = 0;
  rd_kafka_assign(reader.get(), list);
  rd_kafka_topic_partition_list_destroy(list);
  std::vector<std::string> read;
  for (int i = 0; i < kPolls && read.size() < count; ++i) {
    rd_kafka_message_t* message = rd_kafka_consumer_poll(reader.get(), kPollMs);
    if (message == nullptr) continue;
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      rd_kafka_timestamp_type_t type;
      rd_kafka_headers_t* headers = nullptr;
      const char* name = "none";
      const void* value = nullptr;
      size_t size = 0;
      if (rd_kafka_message_headers(message, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR) {
        rd_kafka_header_get_all(headers, 0, &name, &value, &size);
      }
      read.push_back(absl::StrCat(
          std::string(static_cast<const char*>(message->payload), message->len), "|",
          message->key == nullptr ? "null" : std::string(static_cast<const char*>(message->key), message->key_len), "|",
          rd_kafka_message_timestamp(message, &type), "|", name));
    }
    rd_kafka_message_destroy(message);
  }
  return read;
}

TEST_P(TransactionTest, EveryPartOfARecordArrivesInOrder) {
  ASSERT_FALSE(transaction_->Open().has_value());
  rd_kafka_headers_t* headers = rd_kafka_headers_new(1);
  rd_kafka_header_add(headers, "name", -1, "v", 1);
  // The key is copied by Send; values stay.
  std::string key = "k";
  producer_->Stage({.value = "1", .timestamp_ms = 1'000'000, .mark = MarkOf(0, 0)});
  producer_->Stage({.value = "2", .key = key.data(), .key_size = 1, .timestamp_ms = 2'000'000, .mark = MarkOf(0, 1)});
  producer_->Stage({.value = "3", .key = key.data(), .key_size = 0, .timestamp_ms = 3'000'000, .headers = headers});
  std::string why;
  ASSERT_TRUE(transaction_->SendStaged(&why)) << why;
  key = "x";
  ledger_.Advance(0, 3, -1);
  ASSERT_EQ(transaction_->Commit(&failure_), Ended::kCommitted) << failure_.detail;
  EXPECT_THAT(ReadBack({{"bootstrap.servers", rd_kafka_mock_cluster_bootstraps(cluster_)}}, 0, 3),
              testing::ElementsAre("1|null|1000000|none", "2|k|2000000|none", "3||3000000|name"));
}

// The library takes no more once it knows; the report of what was refused has to come out all the same.
TEST_P(TransactionTest, ARefusedRecordIsRememberedAlsoWhenMoreAreWritten) {
  Fill(3);
  Answer(kProduce, {RD_KAFKA_RESP_ERR_INVALID_RECORD});
  std::string why;
  // Until it has answered.
  for (int i = 0; i < kPolls && transaction_->SendStaged(&why); ++i) {
    producer_->Stage({.value = "{}", .mark = MarkOf(0, 100 + i)});
    rd_kafka_flush(producer_->handle(), 0);
    Poll();
  }
  ASSERT_NE(why, "");
  ASSERT_EQ(transaction_->AbortFailed(why, &failure_), Ended::kAborted) << failure_.detail;
  EXPECT_FALSE(transaction_->refusals().idle());
}

TEST_P(TransactionTest, WithoutRoomTheRestIsHandedOverLater) {
  const kafka::Properties properties = {{"bootstrap.servers", rd_kafka_mock_cluster_bootstraps(cluster_)},
                                        {"queue.buffering.max.messages", "4"}};
  producer_ = *kafka::Producer::Open(properties, {.transactional_id = "app", .topic = "out", .one_by_one = GetParam()});
  ASSERT_EQ(Init().outcome, kafka::TxnOutcome::kOk);
  transaction_ = std::make_unique<Transaction>("in", consumer_.get(), producer_.get(), &ledger_, &pulse_, &log_);
  ASSERT_FALSE(transaction_->Open().has_value());
  std::vector<std::string> values, wanted;
  for (int i = 0; i < 30; ++i) {
    values.push_back(absl::StrCat(i));
    wanted.push_back(absl::StrCat(i, "|null|7|none"));
  }
  for (const std::string& value : values) producer_->Stage({.value = value, .timestamp_ms = 7});
  EXPECT_EQ(producer_->Send().code, RD_KAFKA_RESP_ERR__QUEUE_FULL);
  std::string why;
  ASSERT_TRUE(transaction_->SendStaged(&why)) << why;
  ledger_.Advance(0, 3, -1);
  ASSERT_EQ(transaction_->Commit(&failure_), Ended::kCommitted) << failure_.detail;
  EXPECT_EQ(ReadBack({{"bootstrap.servers", rd_kafka_mock_cluster_bootstraps(cluster_)}}, 0, wanted.size()), wanted);
}

TEST_P(TransactionTest, TwentyAbortsInARowAreTheEnd) {
  int aborts = 0;
  Ended ended = Ended::kAborted;
  while (ended == Ended::kAborted) {
    ASSERT_FALSE(transaction_->Open().has_value());
    ended = transaction_->Abort("of a test", &failure_);
    ASSERT_LE(++aborts, 20);
  }
  EXPECT_EQ(ended, Ended::kFailed);
  EXPECT_EQ(aborts, 20);
  EXPECT_THAT(failure_.detail, HasSubstr("of a test"));
}

INSTANTIATE_TEST_SUITE_P(HandedOver, TransactionTest, testing::Bool(),
                         [](const auto& one) { return one.param ? "OneByOne" : "ManyAtOnce"; });

TEST(ProducerTest, ThisBuildTakesBatches) {
  // The older library that set-up may fall back to has no patch of ours.
  if (rd_kafka_version() < 0x020e0000) GTEST_SKIP() << rd_kafka_version_str();
#ifndef RD_KAFKA_HAVE_PRODUCE_BATCH_FULL
  FAIL() << "built with a librdkafka without tools/dev/setup.d/librdkafka-batch-1.patch: run tools/dev/setup";
#endif
}

}  // namespace
}  // namespace st::runner
