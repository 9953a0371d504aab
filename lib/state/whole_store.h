// A state store as st-state sees it: all its addresses, not only one. Both backends are one.
#ifndef ST_LIB_STATE_WHOLE_STORE_H_
#define ST_LIB_STATE_WHOLE_STORE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/state/state.h"

namespace st::state {

// Of the head alone: nothing is checked against the log. `Read` and `History` do that.
struct AddressSummary {
  std::string address;
  uint64_t revision = 0;
  uint64_t serial = 0;
  std::string operation_id;  // empty: none is open
  std::string holder;        // who holds its lock and since when, for people; empty: nobody does
};

// The same rules and failures as for StateStore.
class WholeStore : public StateStore {
 public:
  // By address. Takes no lock. A store that does not exist yet has none.
  virtual absl::StatusOr<std::vector<AddressSummary>> Addresses() = 0;
  // Writes another store's log into an address at which nothing was ever written, in one transaction, with this store's
  // chain. Returns the new revision. FailedPrecondition when the address is not empty, AlreadyExists when an operation
  // of the log stands at another address, DataLoss when the log is not whole or an operation is open at its end.
  virtual absl::StatusOr<uint64_t> Import(const Lease& lease, const std::vector<HistoryEntry>& log,
                                          const std::string& ownership) = 0;
};

}  // namespace st::state

#endif  // ST_LIB_STATE_WHOLE_STORE_H_
