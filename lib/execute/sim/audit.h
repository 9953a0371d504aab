// The promises of the design, checked after the fact from the world's own record and the raw store. Uses nothing of
// lib/execute and lib/transition, so that a fault of theirs cannot hide here. Test-only.
#ifndef ST_LIB_EXECUTE_SIM_AUDIT_H_
#define ST_LIB_EXECUTE_SIM_AUDIT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/execute/sim/scenario.h"
#include "lib/execute/sim/state.h"
#include "lib/state/state.h"

namespace st::sim {

// Where the audited part begins, and what it ended in.
struct Evidence {
  const Scenario* scenario = nullptr;
  const State* state = nullptr;  // at the end
  std::string store_id;
  std::vector<state::HistoryEntry> history;  // whole
  size_t entries_before = 0;                 // of it, written before the scenario began
  std::vector<int> resumes;                  // actors that were told to resume
};

// One sentence for each promise that is broken; nothing when all are kept:
//   the log's chain holds, entries follow begin .. complete, authorizations are numbered
//   the serial goes up by one, when an operation completes with another ownership, or not at all
//   the intent is stored before a driver changes anything outside, a resume's authorization before its own steps
//   after a lost answer the same run asks for nothing more
//   after the lock is lost nothing outside changes, but by a call that was under way
//   who saw a foreign generation, another volume, or offsets that were moved, makes and starts nothing beside them, nor
//   for the first time on them; who saw that a topic was made again does nothing to it and on it
//   at most one generation of drivers exists and runs at a time
//   one that ran is removed only when it ended and a close was recorded; not cleanly: only when the plan was
//   made after that end, or after an authorization
//   tools write no offsets but the chosen first ones, before anything was read, and the reviewed ones of a runner that
//   has ended and lacks them, before it runs again
//   each record was read once, in order, by the old rule up to the close and by the new one after it; restored offsets
//   of a clean close change nothing about that, chosen ones begin anew from there
//   no runner fails that nobody meddled with
//   a topic is owned only when it is as declared
//   what is owned in the end is there, and runs if it is to run
std::vector<std::string> Violations(const Evidence& evidence);

}  // namespace st::sim

#endif  // ST_LIB_EXECUTE_SIM_AUDIT_H_
