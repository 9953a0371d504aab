#include "lib/state/sqlite_rows.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/state/history_chain.h"

namespace st::state {
namespace {

absl::Status Damaged(const Connection& connection, const std::string& address, std::string_view words) {
  return absl::DataLossError(
      absl::StrCat(connection.path(), ": ", address, ": ", words, "; restore the state file from a copy"));
}

absl::StatusOr<std::vector<HistoryEntry>> ReadEntries(Connection* connection, const std::string& address,
                                                      uint64_t first) {
  Statement select(connection,
                   "SELECT sequence, at_ms, kind, operation_id, payload, serial, ownership_sha256, chain FROM history "
                   "WHERE address = ? AND sequence >= ? ORDER BY sequence");
  select.Text(address).Integer(first);
  std::vector<HistoryEntry> entries;
  for (;;) {
    absl::StatusOr<bool> there = select.Step();
    if (!there.ok()) return there.status();
    if (!*there) return entries;
    HistoryEntry& entry = entries.emplace_back();
    entry.sequence = select.IntegerAt(0);
    entry.at_ms = static_cast<int64_t>(select.IntegerAt(1));
    entry.kind = select.BytesAt(2);
    entry.operation_id = select.BytesAt(3);
    entry.payload = select.BytesAt(4);
    entry.serial = select.IntegerAt(5);
    entry.ownership_sha256 = select.BytesAt(6);
    entry.chain = select.BytesAt(7);
  }
}

// The entries from `first` on fit each other and the head.
absl::StatusOr<std::vector<HistoryEntry>> ReadChecked(Connection* connection, const Head& row, uint64_t first) {
  absl::StatusOr<std::string> previous = ReadChain(connection, row.address, first - 1);
  if (!previous.ok()) return previous.status();
  absl::StatusOr<std::vector<HistoryEntry>> entries = ReadEntries(connection, row.address, first);
  if (!entries.ok()) return entries;
  if (absl::Status fit = CheckLog(row, *previous, first, *entries); !fit.ok()) {
    return Damaged(*connection, row.address, fit.message());
  }
  return entries;
}

absl::StatusOr<uint64_t> BeginOf(Connection* connection, const std::string& operation_id) {
  Statement select(connection, "SELECT sequence FROM history WHERE operation_id = ? AND kind = 'begin'");
  absl::StatusOr<bool> there = select.Text(operation_id).Step();
  if (!there.ok()) return there.status();
  return *there ? select.IntegerAt(0) : 0;
}

}  // namespace

absl::StatusOr<std::string> ReadChain(Connection* connection, const std::string& address, uint64_t sequence) {
  if (sequence == 0) {
    absl::StatusOr<std::string> store_id = connection->QueryText("SELECT store_id FROM store");
    if (!store_id.ok()) return store_id;
    return ChainStart(*store_id, address);
  }
  Statement select(connection, "SELECT chain FROM history WHERE address = ? AND sequence = ?");
  absl::StatusOr<bool> there = select.Text(address).Integer(sequence).Step();
  if (!there.ok()) return there.status();
  if (!*there) return Damaged(*connection, address, absl::StrCat("entry ", sequence, " of the log is missing"));
  return select.BytesAt(0);
}

absl::StatusOr<Head> ReadAddress(Connection* connection, const std::string& address) {
  Statement select(
      connection, "SELECT revision, chain, lock_epoch, serial, ownership, operation_id FROM address WHERE address = ?");
  absl::StatusOr<bool> there = select.Text(address).Step();
  if (!there.ok()) return there.status();
  Head row;
  row.address = address;
  if (*there) {
    row.revision = select.IntegerAt(0);
    row.chain = select.BytesAt(1);
    row.lock_epoch = select.IntegerAt(2);
    row.serial = select.IntegerAt(3);
    row.ownership = select.BytesAt(4);
    row.operation_id = select.BytesAt(5);
    return row;
  }
  absl::StatusOr<std::string> start = ReadChain(connection, address, 0);
  if (!start.ok()) return start.status();
  row.chain = *std::move(start);
  return row;
}

absl::StatusOr<uint64_t> RaiseEpoch(Connection* connection, const std::string& address) {
  absl::StatusOr<std::string> start = ReadChain(connection, address, 0);
  if (!start.ok()) return start.status();
  Statement raise(connection,
                  "INSERT INTO address (address, revision, chain, lock_epoch, serial, ownership) "
                  "VALUES (?, 0, ?, 1, 0, x'') "
                  "ON CONFLICT (address) DO UPDATE SET lock_epoch = lock_epoch + 1 RETURNING lock_epoch");
  absl::StatusOr<bool> there = raise.Text(address).Text(*start).Step();
  if (!there.ok()) return there.status();
  if (!*there) return absl::InternalError(absl::StrCat(address, ": the lock epoch could not be read"));
  const uint64_t epoch = raise.IntegerAt(0);
  absl::Status ended = raise.Run();
  return ended.ok() ? absl::StatusOr<uint64_t>(epoch) : ended;
}

absl::Status CheckNewOperation(Connection* connection, const std::string& operation_id) {
  absl::StatusOr<uint64_t> begun = BeginOf(connection, operation_id);
  if (!begun.ok()) return begun.status();
  if (*begun == 0) return absl::OkStatus();
  return absl::AlreadyExistsError(absl::StrCat("operation ", operation_id, " was begun before"));
}

absl::Status AddEntry(Connection* connection, const Head& row, const HistoryEntry& entry) {
  absl::Status added = Statement(connection, "INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
                           .Text(row.address)
                           .Integer(entry.sequence)
                           .Integer(static_cast<uint64_t>(entry.at_ms))
                           .Text(entry.kind)
                           .Text(entry.operation_id)
                           .Blob(entry.payload)
                           .Integer(entry.serial)
                           .Text(entry.ownership_sha256)
                           .Text(entry.chain)
                           .Run();
  if (!added.ok()) return added;
  // The compare-and-swap once more, in the statement that writes.
  Statement swap(connection,
                 "UPDATE address SET revision = ?, chain = ?, serial = ?, ownership = ?, operation_id = ? "
                 "WHERE address = ? AND revision = ? AND lock_epoch = ? RETURNING revision");
  absl::StatusOr<bool> swapped = swap.Integer(entry.sequence)
                                     .Text(entry.chain)
                                     .Integer(row.serial)
                                     .Blob(row.ownership)
                                     .TextOrNull(row.operation_id)
                                     .Text(row.address)
                                     .Integer(row.revision)
                                     .Integer(row.lock_epoch)
                                     .Step();
  if (!swapped.ok()) return swapped.status();
  if (!*swapped) return absl::AbortedError(absl::StrCat(row.address, ": the state was changed since it was read"));
  return swap.Run();
}

absl::StatusOr<Snapshot> ReadSnapshot(Connection* connection, const std::string& address) {
  Snapshot snapshot;
  absl::StatusOr<std::string> store_id = connection->QueryText("SELECT store_id FROM store");
  if (!store_id.ok()) return store_id.status();
  snapshot.store_id = *std::move(store_id);
  absl::StatusOr<Head> row = ReadAddress(connection, address);
  if (!row.ok()) return row.status();
  snapshot.revision = row->revision;
  snapshot.serial = row->serial;
  snapshot.operation_id = row->operation_id;
  // From the last finished operation's receipt on: it is the entry before the open one's first.
  uint64_t first = row->revision == 0 ? 1 : row->revision;
  if (!row->operation_id.empty()) {
    absl::StatusOr<uint64_t> begun = BeginOf(connection, row->operation_id);
    if (!begun.ok()) return begun.status();
    if (*begun == 0) return Damaged(*connection, address, "the open operation's intent is missing");
    first = *begun > 1 ? *begun - 1 : 1;
  }
  absl::StatusOr<std::vector<HistoryEntry>> entries = ReadChecked(connection, *row, first);
  if (!entries.ok()) return entries.status();
  if (absl::Status fit = FillOperation(*row, *std::move(entries), &snapshot); !fit.ok()) {
    return Damaged(*connection, address, fit.message());
  }
  snapshot.ownership = std::move(row->ownership);
  return snapshot;
}

absl::StatusOr<std::vector<HistoryEntry>> ReadWholeHistory(Connection* connection, const std::string& address) {
  absl::StatusOr<Head> row = ReadAddress(connection, address);
  if (!row.ok()) return row.status();
  return ReadChecked(connection, *row, 1);
}

absl::StatusOr<std::vector<AddressSummary>> ReadAddresses(Connection* connection) {
  // An entry without its head shows, so that it is found to be damaged.
  Statement select(connection,
                   "SELECT address, revision, serial, operation_id FROM address UNION SELECT address, 0, 0, NULL FROM "
                   "history WHERE address NOT IN (SELECT address FROM address) ORDER BY address");
  std::vector<AddressSummary> addresses;
  for (;;) {
    absl::StatusOr<bool> there = select.Step();
    if (!there.ok()) return there.status();
    if (!*there) return addresses;
    AddressSummary& summary = addresses.emplace_back();
    summary.address = select.BytesAt(0);
    summary.revision = select.IntegerAt(1);
    summary.serial = select.IntegerAt(2);
    summary.operation_id = select.BytesAt(3);
  }
}

}  // namespace st::state
