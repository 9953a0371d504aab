// Where a runner is to go on whose group has no usable offsets: what a person chose with `st-plan --start-at`.
#ifndef ST_LIB_PLAN_START_AT_H_
#define ST_LIB_PLAN_START_AT_H_

#include <map>
#include <string>
#include <string_view>

#include "lib/diag/diag.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::v1 {
class Topology;
}  // namespace st::v1

namespace st::plan {

// By the model's name.
using StartAt = std::map<std::string, v1::RestoreOffsets::From>;

// `MODEL=earliest|latest|last-status`, several with commas between. BAD_START_AT for anything else, and for a model
// that the topology does not have or that is named twice.
bool ParseStartAt(std::string_view text, const v1::Topology& topology, StartAt* start_at,
                  diag::Diagnostics* diagnostics);

// As in `--start-at`.
std::string_view PlaceName(v1::RestoreOffsets::From from);

}  // namespace st::plan

#endif  // ST_LIB_PLAN_START_AT_H_
