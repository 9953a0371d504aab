#include "runner/failure.h"

#include "absl/strings/str_cat.h"

namespace st::runner {
namespace {

Reason ReasonOf(kafka::TxnOutcome outcome) {
  switch (outcome) {
    case kafka::TxnOutcome::kFenced:
      return v1::RunnerStatus::FENCED;
    case kafka::TxnOutcome::kExpired:
      return v1::RunnerStatus::PRODUCER_EXPIRED;
    case kafka::TxnOutcome::kDenied:
      return v1::RunnerStatus::NOT_AUTHORIZED;
    case kafka::TxnOutcome::kRetry:
      return v1::RunnerStatus::BROKER_UNREACHABLE;
    case kafka::TxnOutcome::kOk:
    case kafka::TxnOutcome::kAbort:
    case kafka::TxnOutcome::kFatal:
      return v1::RunnerStatus::INTERNAL;
  }
  return v1::RunnerStatus::INTERNAL;
}

// What the error's own words do not say.
std::string_view Explanation(kafka::TxnOutcome outcome) {
  switch (outcome) {
    case kafka::TxnOutcome::kFenced:
      return "another process runs with the same application id, or this one was stopped for longer than its "
             "transaction may last and the broker ended that; ";
    case kafka::TxnOutcome::kExpired:
      return "the broker has forgotten the transactional id; ";
    case kafka::TxnOutcome::kRetry:
      return "no answer in time; ";
    default:
      return "";
  }
}

}  // namespace

Failure FailureOf(const kafka::TxnResult& result, std::string_view call) {
  return {.reason = ReasonOf(result.outcome),
          .detail = absl::StrCat(call, " failed: ", Explanation(result.outcome), result.error)};
}

Failure FailureOf(const absl::Status& status) {
  Failure failure{.detail = std::string(status.message())};
  if (absl::IsPermissionDenied(status)) failure.reason = v1::RunnerStatus::NOT_AUTHORIZED;
  if (absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status)) {
    failure.reason = v1::RunnerStatus::BROKER_UNREACHABLE;
  }
  if (absl::IsInvalidArgument(status)) failure.reason = v1::RunnerStatus::REFUSED;
  return failure;
}

}  // namespace st::runner
