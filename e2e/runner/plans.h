// The models that the runner's tests run.
#ifndef ST_E2E_RUNNER_PLANS_H_
#define ST_E2E_RUNNER_PLANS_H_

#include <cstdint>
#include <string>

#include "schemas/st/v1/record_plan.pb.h"

namespace st::e2e {

// SELECT origin, destination, date AS departed, delay AS delay_minutes ... WHERE delay >= 60
v1::RecordPlan LateFlights(const std::string& input, const std::string& output);

// {"id": BIGINT, "keep": BOOLEAN, "text": STRING}: SELECT id, text ... WHERE keep
v1::RecordPlan Kept(const std::string& input, const std::string& output);
std::string KeptValue(int64_t id, bool keep, const std::string& text = "x");
// What Kept makes of it.
std::string KeptOutput(int64_t id, const std::string& text = "x");

// {"k": STRING, "n": BIGINT}: SELECT k, n AS number ... WHERE n >= at_least
v1::RecordPlan AtLeast(const std::string& input, const std::string& output, int64_t at_least);

}  // namespace st::e2e

#endif  // ST_E2E_RUNNER_PLANS_H_
