// The hash chain of an address's log: who changes, drops or moves an entry behind the store's back breaks it. Pure.
// It is no signature: whoever can write the file can make a whole new chain.
#ifndef ST_LIB_STATE_HISTORY_CHAIN_H_
#define ST_LIB_STATE_HISTORY_CHAIN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "lib/state/state.h"

namespace st::state {

// What stands before the first entry; binds the log to its store and address.
std::string ChainStart(std::string_view store_id, std::string_view address);

// SHA-256, hex, of these fields, each as its length in decimal, a colon and its bytes: "st.history.1", `previous`,
// sequence, at_ms, kind, operation id, serial, ownership_sha256, payload. The entry's own `chain` is not read.
std::string ChainNext(std::string_view previous, const HistoryEntry& entry);

// DataLoss, naming the first entry that does not fit, unless `entries` follow each other from `first` on and from a
// chain that ends in `previous`.
absl::Status CheckChain(std::string_view previous, uint64_t first, const std::vector<HistoryEntry>& entries);

}  // namespace st::state

#endif  // ST_LIB_STATE_HISTORY_CHAIN_H_
