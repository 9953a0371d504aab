// One address's journal as messages: what the store keeps as frames, read and written. Internal to lib/execute.
#ifndef ST_LIB_EXECUTE_JOURNAL_H_
#define ST_LIB_EXECUTE_JOURNAL_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/state/state.h"
#include "schemas/st/v1/operation.pb.h"
#include "schemas/st/v1/state.pb.h"

namespace st::execute {

// Durations of an operation's authorizations: more resumes than this need a person to look, not another try.
inline constexpr int kMaxAuthorizations = 32;

// What the store said, understood. DataLoss when a payload does not parse.
struct Journal {
  state::Snapshot snapshot;
  v1::OwnedResources ownership;
  v1::StateReference reference;
  bool open = false;
  v1::Intent intent;  // of the open operation
  std::vector<v1::Checkpoint> checkpoints;
  std::vector<v1::Authorization> authorizations;
  bool has_receipt = false;
  v1::Receipt receipt;  // of the last finished operation
};

absl::StatusOr<Journal> ReadJournal(state::StateStore& store, const std::string& address);

// The last checkpoint in words: `intent`, or `<checkpoint> of <resource>`.
std::string LastCheckpointWords(const Journal& journal);

// Where the state went, and what to do; empty unless it was copied to another store.
std::string CopiedWords(const Journal& journal);

// The address's lease and the revision that the next write builds on. Every write checks the lease first.
class Writer {
 public:
  Writer(state::StateStore* store, std::unique_ptr<state::Lease> lease, uint64_t revision)
      : store_(store), lease_(std::move(lease)), revision_(revision) {}

  absl::Status CheckLease() { return lease_->Check(); }
  absl::Status Begin(const v1::Intent& intent);
  absl::Status Append(const v1::Checkpoint& checkpoint);
  absl::Status Append(const v1::Authorization& authorization);
  absl::Status Complete(const v1::OwnedResources& ownership, const v1::Receipt& receipt);

 private:
  absl::Status Took(absl::StatusOr<uint64_t> revision);

  state::StateStore* store_;
  std::unique_ptr<state::Lease> lease_;
  uint64_t revision_;
};

// `before` with every resource that a checkpoint says is owned from now on; sorted.
v1::OwnedResources NewOwnership(const v1::OwnedResources& before, const std::vector<v1::Checkpoint>& checkpoints);

}  // namespace st::execute

#endif  // ST_LIB_EXECUTE_JOURNAL_H_
