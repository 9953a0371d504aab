// Why a runner stops.
#ifndef ST_RUNNER_FAILURE_H_
#define ST_RUNNER_FAILURE_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "lib/kafka/producer.h"
#include "schemas/st/v1/runner_status.pb.h"

namespace st::runner {

using Reason = v1::RunnerStatus::Reason;

// REASON_UNSPECIFIED: it was asked to.
struct Failure {
  Reason reason = v1::RunnerStatus::INTERNAL;
  std::string detail = {};  // one sentence; never a record's content or a secret
  v1::RunnerStatus::Stop stop = {};
};

// Nothing, or why it cannot go on.
using MaybeFailure = std::optional<Failure>;

// Of a transactional call that cannot be repeated or aborted. `call` is what was tried, e.g. "committing".
Failure FailureOf(const kafka::TxnResult& result, std::string_view call);

// Of a call that did not answer, or was refused.
Failure FailureOf(const absl::Status& status);

}  // namespace st::runner

#endif  // ST_RUNNER_FAILURE_H_
