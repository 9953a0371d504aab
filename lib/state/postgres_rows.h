// The rows of a PostgreSQL store, read and written inside a transaction of the caller's. For this library's own files.
#ifndef ST_LIB_STATE_POSTGRES_ROWS_H_
#define ST_LIB_STATE_POSTGRES_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/state/log_rules.h"
#include "lib/state/postgres_connection.h"
#include "lib/state/whole_store.h"

namespace st::state {

// Key of an address's session lock.
int64_t LockKey(const std::string& store_id, const std::string& address);

class PostgresRows {
 public:
  // `schema` is checked. The connection must outlive this.
  PostgresRows(PgConnection* connection, const std::string& schema);

  absl::StatusOr<std::string> StoreId() const;
  // With `for_update` it waits for who is writing it, and keeps others out until the transaction ends.
  absl::StatusOr<Head> ReadHead(const std::string& address, bool for_update) const;
  // Of the entry `sequence`; of 0: the chain's start.
  absl::StatusOr<std::string> ReadChain(const std::string& address, uint64_t sequence) const;
  // Returns the new one, 1 at first.
  absl::StatusOr<uint64_t> RaiseEpoch(const std::string& address, const std::string& holder, int64_t since_ms) const;
  // AlreadyExists when the id was used before, at any address.
  absl::Status CheckNewOperation(const std::string& operation_id) const;
  // As sqlite_rows.h says.
  absl::Status AddEntry(const Head& head, const HistoryEntry& entry) const;
  absl::StatusOr<Snapshot> ReadSnapshot(const std::string& address) const;
  absl::StatusOr<std::vector<HistoryEntry>> ReadWholeHistory(const std::string& address) const;
  absl::StatusOr<std::vector<AddressSummary>> Addresses() const;
  // Who has the lock now and since when, `process 7 of user@host since 2026-11-29T17:50:21Z`; empty: nobody. By the
  // session that has it, where the server shows that to us, else by what the last holder wrote.
  absl::StatusOr<std::string> Holder(const std::string& address, int64_t key) const;
  // Whether this very session has the lock.
  absl::StatusOr<bool> HoldsLock(int64_t key) const;

 private:
  absl::StatusOr<uint64_t> BeginOf(const std::string& operation_id) const;
  absl::StatusOr<std::vector<HistoryEntry>> ReadChecked(const Head& head, uint64_t first) const;
  absl::Status Damaged(const std::string& address, std::string_view words) const;

  PgConnection* connection_;
  std::string schema_;
  std::string prefix_;  // `"schema".`
};

}  // namespace st::state

#endif  // ST_LIB_STATE_POSTGRES_ROWS_H_
