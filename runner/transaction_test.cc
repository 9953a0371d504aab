// Against librdkafka's built-in broker, which answers with the errors that it is told to: what each means for a
// transaction. That real brokers behave so is shown in e2e/runner.
#include "runner/transaction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <librdkafka/rdkafka_mock.h>

#include <memory>
#include <string>
#include <vector>

namespace st::runner {
namespace {

using testing::HasSubstr;
using Status = v1::RunnerStatus;

// Kafka's protocol: numbers of requests.
enum Request : int16_t { kProduce = 0, kAddOffsets = 25, kEndTxn = 26, kTxnOffsetCommit = 28 };

constexpr int kPollMs = 100;
constexpr int kPolls = 300;
constexpr int64_t kCommittedBefore = 2;

class TransactionTest : public testing::Test {
 protected:
  TransactionTest() {
    kafka::Settings settings;
    owner_ = *settings.Open(RD_KAFKA_PRODUCER, &events_);
    cluster_ = rd_kafka_mock_cluster_new(owner_.get(), 1);
    rd_kafka_mock_group_initial_rebalance_delay_ms(cluster_, 0);
    rd_kafka_mock_topic_create(cluster_, "in", 1, 1);
    rd_kafka_mock_topic_create(cluster_, "out", 1, 1);
    const kafka::Properties properties = {{"bootstrap.servers", rd_kafka_mock_cluster_bootstraps(cluster_)}};
    producer_ = *kafka::Producer::Open(properties, {.transactional_id = "app", .topic = "out"});
    consumer_ = *kafka::Consumer::Open(properties, "app", "in");
    EXPECT_EQ(Init().outcome, kafka::TxnOutcome::kOk);
    CommitPlainly(properties, kCommittedBefore);
    EXPECT_TRUE(consumer_->Subscribe().ok());
    for (int i = 0; i < kPolls && consumer_->pending() != kafka::Rebalance::kAssign; ++i) Poll();
    EXPECT_EQ(consumer_->pending_partitions(), std::vector<int32_t>{0});
    const std::vector<kafka::Position> start = {{.partition = 0, .offset = 0}};
    EXPECT_TRUE(consumer_->Assign(start).ok());
    ledger_.Assign(start);
    transaction_ = std::make_unique<Transaction>("in", consumer_.get(), producer_.get(), &ledger_, &pulse_);
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
    ASSERT_EQ(producer_->Produce({.value = "{}", .mark = MarkOf(0, next - 1)}), RD_KAFKA_RESP_ERR_NO_ERROR);
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
  std::unique_ptr<Transaction> transaction_;
  Failure failure_;
};

TEST_F(TransactionTest, CommitsRecordsAndOffsets) {
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
}

TEST_F(TransactionTest, ACoordinatorThatMovesIsFoundAgain) {
  Fill(3);
  Answer(kEndTxn, {RD_KAFKA_RESP_ERR_NOT_COORDINATOR, RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS,
                   RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE});
  EXPECT_EQ(transaction_->Commit(&failure_), Ended::kCommitted) << failure_.detail;
  EXPECT_EQ(ledger_.Committed(0), 3);
}

TEST_F(TransactionTest, AGenerationThatIsOverAbortsAndRewinds) {
  Fill(3);
  ASSERT_EQ(transaction_->Commit(&failure_), Ended::kCommitted) << failure_.detail;
  Fill(9);
  Answer(kTxnOffsetCommit, {RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION});
  ASSERT_EQ(transaction_->Commit(&failure_), Ended::kAborted) << failure_.detail;
  EXPECT_EQ(ledger_.Committed(0), 3);
  EXPECT_EQ(transaction_->tally().committed.out, 1);
  EXPECT_EQ(transaction_->tally().open.out, 0);
  auto failed = transaction_->Rewind();
  ASSERT_FALSE(failed.has_value()) << failed->detail;
  EXPECT_EQ(ledger_.Positions().front().offset, kCommittedBefore);
  // And it works again.
  Fill(9);
  EXPECT_EQ(transaction_->Commit(&failure_), Ended::kCommitted) << failure_.detail;
  EXPECT_EQ(ledger_.Committed(0), 9);
}

TEST_F(TransactionTest, WithoutAGenerationNothingIsCommitted) {
  Fill(3);
  ASSERT_TRUE(consumer_->Unassign().ok());
  EXPECT_EQ(transaction_->Commit(&failure_), Ended::kAborted);
  ledger_.Advance(0, 5, -1);
  EXPECT_EQ(transaction_->Commit(&failure_), Ended::kAborted);
  EXPECT_EQ(transaction_->tally().transactions, 0);
}

TEST_F(TransactionTest, FencedEndsAndSaysBothReasons) {
  Fill(3);
  Answer(kEndTxn, {RD_KAFKA_RESP_ERR_PRODUCER_FENCED});
  ASSERT_EQ(transaction_->Commit(&failure_), Ended::kFailed);
  EXPECT_EQ(failure_.reason, Status::FENCED) << failure_.detail;
  EXPECT_THAT(failure_.detail, HasSubstr("another process"));
  EXPECT_THAT(failure_.detail, HasSubstr("stopped for longer"));
  EXPECT_EQ(ledger_.Committed(0), 0);
}

TEST_F(TransactionTest, AnErrorOnceTheEndMayBeSentIsUnknown) {
  Fill(3);
  Answer(kEndTxn, {RD_KAFKA_RESP_ERR_UNKNOWN});
  ASSERT_EQ(transaction_->Commit(&failure_), Ended::kFailed);
  EXPECT_EQ(failure_.reason, Status::TRANSACTION_UNKNOWN) << failure_.detail;
  EXPECT_EQ(ledger_.Committed(0), 0);
}

TEST_F(TransactionTest, AForgottenTransactionalIdHasAReasonOfItsOwn) {
  Fill(3);
  Answer(kTxnOffsetCommit, {RD_KAFKA_RESP_ERR_INVALID_PRODUCER_ID_MAPPING});
  ASSERT_EQ(transaction_->Commit(&failure_), Ended::kFailed);
  EXPECT_EQ(failure_.reason, Status::PRODUCER_EXPIRED) << failure_.detail;
}

TEST_F(TransactionTest, AMissingRightHasAReasonOfItsOwn) {
  Fill(3);
  Answer(kAddOffsets, {RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED});
  ASSERT_EQ(transaction_->Commit(&failure_), Ended::kFailed);
  EXPECT_EQ(failure_.reason, Status::NOT_AUTHORIZED) << failure_.detail;
}

TEST_F(TransactionTest, ARecordThatMayNotBeWritten) {
  Fill(3);
  Answer(kProduce, {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED});
  ASSERT_EQ(transaction_->Commit(&failure_), Ended::kFailed);
  EXPECT_EQ(failure_.reason, Status::NOT_AUTHORIZED) << failure_.detail;
}

TEST_F(TransactionTest, ARefusedRecordIsRemembered) {
  Fill(3);
  Answer(kProduce, {RD_KAFKA_RESP_ERR_INVALID_RECORD});
  ASSERT_EQ(transaction_->Commit(&failure_), Ended::kAborted) << failure_.detail;
  EXPECT_EQ(transaction_->refusals().Convicted(0, 2), RD_KAFKA_RESP_ERR_INVALID_RECORD);
}

TEST_F(TransactionTest, TwentyAbortsInARowAreTheEnd) {
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

}  // namespace
}  // namespace st::runner
