// ObservedTopology to Plan: actions, blockers, impact, warnings. A pure function: no I/O, no clock; any thread.
#ifndef ST_LIB_PLAN_PLAN_H_
#define ST_LIB_PLAN_PLAN_H_

#include <string>

#include "lib/diag/diag.h"
#include "lib/plan/start_at.h"

namespace st::v1 {
class ObservedTopology;
class Plan;
class Topology;
}  // namespace st::v1

namespace st::plan {

// `observed` must be verified (checksums). Linear in topics.
void Make(const v1::ObservedTopology& observed, const StartAt& start_at, v1::Plan* plan);

// An ObservedTopology document that came by a pipe: checksums, and its topology.
bool Verify(const v1::ObservedTopology& observed, diag::Diagnostics* diagnostics);

// A Plan document that came from outside: version, checksums, indices, bindings.
bool Verify(const v1::Plan& plan, diag::Diagnostics* diagnostics);

// For people, on standard error: what would be done and why, blockers, impact, warnings.
std::string Summary(const v1::Plan& plan);

}  // namespace st::plan

#endif  // ST_LIB_PLAN_PLAN_H_
