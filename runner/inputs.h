// The files that a runner is given. Main thread.
#ifndef ST_RUNNER_INPUTS_H_
#define ST_RUNNER_INPUTS_H_

#include <memory>
#include <optional>
#include <string>

#include "lib/diag/diag.h"
#include "lib/kafka/properties.h"
#include "lib/record/record.h"
#include "runner/options.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::runner {

struct Inputs {
  v1::RecordPlan plan;
  std::shared_ptr<const record::Program> program;
  kafka::Properties properties;
};

// Reads and checks plan and client properties with all that they name, without a socket. Nothing after diagnostics:
// PLAN_REFUSED, PROPERTIES_REFUSED, and those of a document. No message quotes a property's value. `plan_sha256`: of
// the plan, as soon as it was read, whatever is refused after that.
std::optional<Inputs> ReadInputs(const Options& options, std::string* plan_sha256, diag::Diagnostics* diagnostics);

}  // namespace st::runner

#endif  // ST_RUNNER_INPUTS_H_
