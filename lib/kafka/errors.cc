#include "lib/kafka/errors.h"

#include "absl/strings/str_cat.h"

namespace st::kafka {
namespace {

// The request itself can never be accepted.
bool IsInvalid(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR_INVALID_CONFIG:
    case RD_KAFKA_RESP_ERR_INVALID_GROUP_ID:
    case RD_KAFKA_RESP_ERR_INVALID_PARTITIONS:
    case RD_KAFKA_RESP_ERR_INVALID_REPLICA_ASSIGNMENT:
    case RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR:
    case RD_KAFKA_RESP_ERR_INVALID_REQUEST:
    case RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_INVALID_COMMIT_OFFSET_SIZE:
    case RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION:
    case RD_KAFKA_RESP_ERR__CONFLICT:  // librdkafka's own checks, before anything is sent
    case RD_KAFKA_RESP_ERR__INVALID_ARG:
      return true;
    default:
      return false;
  }
}

// The cluster as it is does not allow it.
bool IsPrecondition(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID:
    case RD_KAFKA_RESP_ERR_FENCED_MEMBER_EPOCH:
    case RD_KAFKA_RESP_ERR_GROUP_ID_NOT_FOUND:
    case RD_KAFKA_RESP_ERR_GROUP_SUBSCRIBED_TO_TOPIC:
    case RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION:
    case RD_KAFKA_RESP_ERR_NON_EMPTY_GROUP:
    case RD_KAFKA_RESP_ERR_POLICY_VIOLATION:
    case RD_KAFKA_RESP_ERR_REASSIGNMENT_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR_SECURITY_DISABLED:
    case RD_KAFKA_RESP_ERR_STALE_MEMBER_EPOCH:
    case RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS:
    case RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_ID:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_VERSION:
    case RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE:  // librdkafka's own, before anything is sent
      return true;
    default:
      return false;
  }
}

// Refused for the moment, with nothing done.
bool IsLater(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS || code == RD_KAFKA_RESP_ERR_THROTTLING_QUOTA_EXCEEDED;
}

absl::StatusCode Classify(rd_kafka_resp_err_t code, Effect effect) {
  if (IsHidden(code)) return absl::StatusCode::kPermissionDenied;
  if (IsInvalid(code)) return absl::StatusCode::kInvalidArgument;
  if (code == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) return absl::StatusCode::kAlreadyExists;
  if (IsPrecondition(code)) return absl::StatusCode::kFailedPrecondition;
  if (effect == Effect::kNone || IsLater(code)) return absl::StatusCode::kUnavailable;
  return absl::StatusCode::kUnknown;
}

// When the caller does not know better.
std::string_view SomeRight(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
      return "on that topic";
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
      return "on that group";
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
      return "on the cluster";
    default:
      return "on that transactional id";
  }
}

}  // namespace

bool IsHidden(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED || code == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED ||
         code == RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED ||
         code == RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
}

bool IsPassing(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_COORDINATOR:
    case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION:
    case RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_ID:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
      return true;
    default:
      return false;
  }
}

bool IsVerdict(rd_kafka_resp_err_t code) { return IsHidden(code) || IsInvalid(code) || IsPrecondition(code); }

absl::Status NotDone(absl::StatusCode code, std::string_view what, std::string_view reason) {
  if (code != absl::StatusCode::kUnknown) return absl::Status(code, absl::StrCat("cannot ", what, ": ", reason));
  return absl::Status(code, absl::StrCat("whether the request to ", what, " was carried out is not known: ", reason));
}

std::string MissingRight(rd_kafka_resp_err_t code, std::string_view rights) {
  if (!IsHidden(code)) return {};
  if (rights.empty()) return absl::StrCat("; our principal lacks a right ", SomeRight(code));
  return absl::StrCat("; our principal needs the right ", rights);
}

absl::Status ToStatus(rd_kafka_resp_err_t code, std::string_view words, Effect effect, std::string_view what,
                      std::string_view rights) {
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return absl::OkStatus();
  if (words.empty()) words = rd_kafka_err2str(code);
  return NotDone(Classify(code, effect), what,
                 absl::StrCat(words, " (", rd_kafka_err2name(code), ")", MissingRight(code, rights)));
}

}  // namespace st::kafka
