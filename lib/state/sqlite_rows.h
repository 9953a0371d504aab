// The rows of a SQLite store, read and written inside a transaction of the caller's. For this library's own files.
#ifndef ST_LIB_STATE_SQLITE_ROWS_H_
#define ST_LIB_STATE_SQLITE_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/state/log_rules.h"
#include "lib/state/sqlite_connection.h"
#include "lib/state/whole_store.h"

namespace st::state {

absl::StatusOr<Head> ReadAddress(Connection* connection, const std::string& address);

// Of the entry `sequence`; of 0: the chain's start.
absl::StatusOr<std::string> ReadChain(Connection* connection, const std::string& address, uint64_t sequence);

// Returns the new one, 1 at first.
absl::StatusOr<uint64_t> RaiseEpoch(Connection* connection, const std::string& address);

// AlreadyExists when the id was used before, at any address.
absl::Status CheckNewOperation(Connection* connection, const std::string& operation_id);

// Adds the entry, and moves the head to it with the serial, ownership and operation of `row` (which still has the old
// revision and chain).
absl::Status AddEntry(Connection* connection, const Head& row, const HistoryEntry& entry);

// All but the location.
absl::StatusOr<Snapshot> ReadSnapshot(Connection* connection, const std::string& address);

absl::StatusOr<std::vector<HistoryEntry>> ReadWholeHistory(Connection* connection, const std::string& address);

// All but who holds their locks.
absl::StatusOr<std::vector<AddressSummary>> ReadAddresses(Connection* connection);

}  // namespace st::state

#endif  // ST_LIB_STATE_SQLITE_ROWS_H_
