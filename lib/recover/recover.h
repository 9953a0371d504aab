// Settles an operation that cannot be carried on, by evidence: first a file to be reviewed, then what it says, if the
// world is still the same. Nothing outside is changed; only the journal is closed, with the ownership that the evidence
// proves.
#ifndef ST_LIB_RECOVER_RECOVER_H_
#define ST_LIB_RECOVER_RECOVER_H_

#include <string>

#include "absl/status/statusor.h"
#include "lib/execute/execute.h"
#include "schemas/st/v1/operation.pb.h"

namespace st::recover {

// `world.store` may be open for reading only. FailedPrecondition when no operation is open (NO_OPERATION) or the facts
// do not allow the settlement (NOT_PROVEN: says which target, and what was seen).
absl::StatusOr<v1::Recovery> Propose(const std::string& address, v1::Receipt::Settlement settlement,
                                     const execute::World& world);

// Carries a reviewed file out, under the address's lock: store, address, revision, operation and intent must be those
// of the file, and a fresh look must give its evidence again. FailedPrecondition (STALE, NOT_PROVEN) and Aborted
// (locked by another) change nothing; Unknown: whether it was written is not known, and the same call again finds out.
absl::StatusOr<v1::Receipt> Settle(const v1::Recovery& recovery, const execute::World& world);

// What is wrong with a file that was read; empty: nothing.
std::string Defect(const v1::Recovery& recovery);

std::string Summary(const v1::Recovery& recovery);
std::string Summary(const v1::Receipt& receipt);

}  // namespace st::recover

#endif  // ST_LIB_RECOVER_RECOVER_H_
