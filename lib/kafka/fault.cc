#include "lib/kafka/fault.h"

namespace st::kafka {
namespace {

bool IsDenied(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
      return true;
    default:
      return false;
  }
}

bool IsFenced(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR__FENCED:
    case RD_KAFKA_RESP_ERR_PRODUCER_FENCED:
    case RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH:
      return true;
    default:
      return false;
  }
}

bool IsExpired(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR_INVALID_PRODUCER_ID_MAPPING || code == RD_KAFKA_RESP_ERR_UNKNOWN_PRODUCER_ID;
}

}  // namespace

ConsumeFault ClassifyConsume(rd_kafka_resp_err_t code) {
  if (IsDenied(code)) return ConsumeFault::kDenied;
  switch (code) {
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
    case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
    case RD_KAFKA_RESP_ERR__NO_OFFSET:
    case RD_KAFKA_RESP_ERR__LOG_TRUNCATION:
      return ConsumeFault::kNoPosition;
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_ID:
      return ConsumeFault::kTopicGone;
    case RD_KAFKA_RESP_ERR__PARTITION_EOF:
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR__RESOLVE:
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE:
    case RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED:  // the assignment is lost, which a rebalance says
    case RD_KAFKA_RESP_ERR__WAIT_COORD:
    case RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
    case RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION:
    case RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_COORDINATOR:
    case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION:
    case RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS:
      return ConsumeFault::kPassing;
    default:
      return ConsumeFault::kFatal;
  }
}

DeliveryFault ClassifyDelivery(rd_kafka_resp_err_t code) {
  if (IsDenied(code)) return DeliveryFault::kDenied;
  if (IsFenced(code)) return DeliveryFault::kFenced;
  if (IsExpired(code)) return DeliveryFault::kExpired;
  switch (code) {
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_INVALID_RECORD:
    case RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP:
    case RD_KAFKA_RESP_ERR_INVALID_MSG:
    case RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE:
      return DeliveryFault::kRefused;
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
      return DeliveryFault::kTopicGone;
    default:
      return DeliveryFault::kConsequence;
  }
}

TxnOutcome ClassifyTxn(rd_kafka_resp_err_t code, bool fatal, bool abort, bool retriable) {
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return TxnOutcome::kOk;
  if (IsDenied(code)) return TxnOutcome::kDenied;
  if (IsFenced(code)) return TxnOutcome::kFenced;
  if (IsExpired(code)) return TxnOutcome::kExpired;
  // A login that is refused while it runs: the password is another one, and an abort would be refused, too.
  if (code == RD_KAFKA_RESP_ERR__AUTHENTICATION && !retriable) return TxnOutcome::kDenied;
  if (fatal) return TxnOutcome::kFatal;
  if (abort) return TxnOutcome::kAbort;
  return retriable ? TxnOutcome::kRetry : TxnOutcome::kFatal;
}

std::string_view RunnerRight(rd_kafka_resp_err_t code, Denied at) {
  switch (code) {
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
      if (at == Denied::kReading) return "; the runner's principal needs the right Read on the input topic";
      if (at == Denied::kWriting) return "; the runner's principal needs the right Write on the output topic";
      return "; the runner's principal needs the right Describe on that topic (Read or Write gives it)";
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
      return "; the runner's principal needs the right Read on the group, which is named as the application id";
    case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
      return "; the runner's principal needs the right Write on the transactional id, which is the application id";
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
      return "; the runner's principal lacks a right on the cluster";
    default:
      return "";
  }
}

}  // namespace st::kafka
