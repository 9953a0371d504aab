// The log of an address, read for the audit: whole, in order, each entry understood. Test-only.
#ifndef ST_LIB_EXECUTE_SIM_AUDIT_ENTRIES_H_
#define ST_LIB_EXECUTE_SIM_AUDIT_ENTRIES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/execute/sim/state.h"
#include "lib/state/state.h"
#include "schemas/st/v1/operation.pb.h"

namespace st::sim {

struct Entry {
  uint64_t sequence = 0;
  std::string kind;
  std::string operation_id;
  v1::Checkpoint checkpoint;  // of that kind
  Vector vector;              // of the checkpoint
};

// What was written after the first `before` entries.
class Entries {
 public:
  Entries(const std::vector<state::HistoryEntry>& history, size_t before);

  // The last recorded close of that generation; null: none.
  const Entry* CloseOf(const std::string& generation_id) const;
  // The checkpoint that chose the first offsets; null: none.
  const Entry* FirstVector() const;
  // The checkpoint after which a runner is owned; null: none.
  const Entry* OwnedRunner() const;
  // The last checkpoint before or at `sequence` after which nothing may move the offsets that it holds; null: none.
  const Entry* VectorAt(uint64_t sequence) const;
  // Something is owned otherwise than before, by these entries.
  bool OwnershipChanges(const std::vector<v1::OwnedResource>& priors) const;
  // The checkpoint after which that action's resource is owned; null: none.
  const Entry* DoneOf(uint32_t action_index) const;
  bool AuthorizedBefore(uint64_t sequence) const;
  bool completed() const { return !entries_.empty() && entries_.back().kind == "complete"; }

 private:
  std::vector<Entry> entries_;
};

// Chain, order, serials and numbers; a sentence for each that is wrong.
std::vector<std::string> CheckEntries(const std::string& store_id, const std::string& address,
                                      const std::vector<state::HistoryEntry>& history, size_t before);

}  // namespace st::sim

#endif  // ST_LIB_EXECUTE_SIM_AUDIT_ENTRIES_H_
