// The simulated world's runners: each reads its input and moves output and offsets in one step, keeps its group, closes
// when it is told to, and leaves a member and a transaction behind when it is killed. Test-only.
#ifndef ST_LIB_EXECUTE_SIM_RUNNER_H_
#define ST_LIB_EXECUTE_SIM_RUNNER_H_

#include <string>

#include "lib/execute/sim/state.h"

namespace st::sim {

// What a broker keeps of a member and of a transaction whose process is gone.
inline constexpr int64_t kSessionMs = 45'000;
inline constexpr int64_t kTransactionMs = 60'000;

// True when a record of that value passes: every predicate of the plan is `value >= n`.
bool Passes(const v1::RecordPlan& plan, int64_t value);

// Half a step of each runner, and what has run out ends. True: something moved.
bool Step(State* state);

// The process begins; it writes its first status and joins its group at its next steps.
void Launch(State* state, const std::string& generation_id);

// As by SIGKILL. Nothing when it does not run.
void Kill(State* state, const std::string& generation_id);

// It closes cleanly, or fails and says so, here and now. Nothing when it does not run.
void Close(State* state, const std::string& generation_id);
void Fail(State* state, const std::string& generation_id);

// Time passes as in a tool that sleeps: at least `ms`, and up to ten seconds more when nothing moves meanwhile.
void SleepThrough(State* state, int64_t ms);

}  // namespace st::sim

#endif  // ST_LIB_EXECUTE_SIM_RUNNER_H_
