// Whether a record plan is whole: what every later step of this library builds on.
#ifndef ST_LIB_RECORD_PLAN_CHECK_H_
#define ST_LIB_RECORD_PLAN_CHECK_H_

#include "absl/status/status.h"

namespace st::v1 {
class RecordPlan;
}

namespace st::record {

// InvalidArgument with one sentence: the first thing found.
absl::Status CheckPlan(const v1::RecordPlan& plan);

}  // namespace st::record

#endif  // ST_LIB_RECORD_PLAN_CHECK_H_
