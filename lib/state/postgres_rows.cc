#include "lib/state/postgres_rows.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/clock.h"
#include "lib/base/digest.h"
#include "lib/diag/diag.h"
#include "lib/state/history_chain.h"

namespace st::state {
namespace {

// Sessions' locks of this database by their whole key.
constexpr char kHeldLocks[] =
    "SELECT (classid::bigint << 32) | objid::bigint AS key, pid FROM pg_locks WHERE locktype = 'advisory' AND "
    "objsubid = 1 AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

constexpr std::string_view kApplication = "st ";

std::string HolderWords(const std::string& holder, uint64_t since_ms) {
  return absl::StrCat(holder, " since ", base::FormatRfc3339(static_cast<int64_t>(since_ms)).text);
}

}  // namespace

// The first eight bytes of a digest: another address, or another program, meets the same key once in 2^64.
int64_t LockKey(const std::string& store_id, const std::string& address) {
  base::Sha256 digest;
  for (const std::string_view field :
       {std::string_view("st.lock.1"), std::string_view(store_id), std::string_view(address)}) {
    digest.Update(absl::StrCat(field.size(), ":"));
    digest.Update(field);
  }
  return static_cast<int64_t>(std::stoull(digest.Hex().substr(0, 16), nullptr, 16));
}

PostgresRows::PostgresRows(PgConnection* connection, const std::string& schema)
    : connection_(connection), schema_(schema), prefix_(absl::StrCat("\"", schema, "\".")) {}

absl::Status PostgresRows::Damaged(const std::string& address, std::string_view words) const {
  return absl::DataLossError(absl::StrCat(connection_->where(), ", schema ", schema_, ": ", address, ": ", words,
                                          "; restore the schema from a copy"));
}

absl::StatusOr<std::string> PostgresRows::StoreId() const {
  absl::StatusOr<Rows> rows = connection_->Run(absl::StrCat("SELECT store_id FROM ", prefix_, "store"));
  if (!rows.ok()) return rows.status();
  if (rows->size() != 1) return Damaged("store", "there is no store id");
  return rows->Text(0, 0);
}

absl::StatusOr<std::string> PostgresRows::ReadChain(const std::string& address, uint64_t sequence) const {
  if (sequence == 0) {
    absl::StatusOr<std::string> store_id = StoreId();
    if (!store_id.ok()) return store_id;
    return ChainStart(*store_id, address);
  }
  absl::StatusOr<Rows> rows = connection_->Run(
      absl::StrCat("SELECT chain FROM ", prefix_, "history WHERE address = $1 AND sequence = $2"), {address, sequence});
  if (!rows.ok()) return rows.status();
  if (rows->size() != 1) return Damaged(address, absl::StrCat("entry ", sequence, " of the log is missing"));
  return rows->Text(0, 0);
}

absl::StatusOr<Head> PostgresRows::ReadHead(const std::string& address, bool for_update) const {
  absl::StatusOr<Rows> rows =
      connection_->Run(absl::StrCat("SELECT revision, chain, lock_epoch, serial, ownership, operation_id FROM ",
                                    prefix_, "address WHERE address = $1", for_update ? " FOR UPDATE" : ""),
                       {address});
  if (!rows.ok()) return rows.status();
  Head head;
  head.address = address;
  if (rows->size() == 1) {
    head.revision = rows->Integer(0, 0);
    head.chain = rows->Text(0, 1);
    head.lock_epoch = rows->Integer(0, 2);
    head.serial = rows->Integer(0, 3);
    head.ownership = rows->Bytes(0, 4);
    head.operation_id = rows->Text(0, 5);
    return head;
  }
  absl::StatusOr<std::string> start = ReadChain(address, 0);
  if (!start.ok()) return start.status();
  head.chain = *std::move(start);
  return head;
}

absl::StatusOr<uint64_t> PostgresRows::RaiseEpoch(const std::string& address, const std::string& holder,
                                                  int64_t since_ms) const {
  absl::StatusOr<std::string> start = ReadChain(address, 0);
  if (!start.ok()) return start.status();
  absl::StatusOr<Rows> rows = connection_->Run(
      absl::StrCat("INSERT INTO ", prefix_,
                   "address AS a (address, revision, chain, lock_epoch, lock_holder, lock_since_ms, serial, ownership) "
                   "VALUES ($1, 0, $2, 1, $3, $4, 0, '') ON CONFLICT (address) DO UPDATE SET "
                   "lock_epoch = a.lock_epoch + 1, lock_holder = $3, lock_since_ms = $4 RETURNING lock_epoch"),
      {address, *start, holder, since_ms});
  if (!rows.ok()) return rows.status();
  if (rows->size() != 1) return absl::InternalError(absl::StrCat(address, ": the lock epoch could not be read"));
  return rows->Integer(0, 0);
}

absl::StatusOr<uint64_t> PostgresRows::BeginOf(const std::string& operation_id) const {
  absl::StatusOr<Rows> rows = connection_->Run(
      absl::StrCat("SELECT sequence FROM ", prefix_, "history WHERE operation_id = $1 AND kind = 'begin'"),
      {operation_id});
  if (!rows.ok()) return rows.status();
  return rows->size() == 0 ? 0 : rows->Integer(0, 0);
}

absl::Status PostgresRows::CheckNewOperation(const std::string& operation_id) const {
  absl::StatusOr<uint64_t> begun = BeginOf(operation_id);
  if (!begun.ok()) return begun.status();
  if (*begun == 0) return absl::OkStatus();
  return absl::AlreadyExistsError(absl::StrCat("operation ", operation_id, " was begun before"));
}

absl::Status PostgresRows::AddEntry(const Head& head, const HistoryEntry& entry) const {
  absl::StatusOr<Rows> added =
      connection_->Run(absl::StrCat("INSERT INTO ", prefix_, "history VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)"),
                       {head.address, entry.sequence, entry.at_ms, entry.kind, entry.operation_id,
                        SqlValue::Bytes(entry.payload), entry.serial, entry.ownership_sha256, entry.chain});
  if (!added.ok()) return added.status();
  // The compare-and-swap once more, in the statement that writes.
  absl::StatusOr<Rows> swapped = connection_->Run(
      absl::StrCat("UPDATE ", prefix_,
                   "address SET revision = $1, chain = $2, serial = $3, ownership = $4, operation_id = $5 "
                   "WHERE address = $6 AND revision = $7 AND lock_epoch = $8"),
      {entry.sequence, entry.chain, head.serial, SqlValue::Bytes(head.ownership),
       SqlValue::TextOrNull(head.operation_id), head.address, head.revision, head.lock_epoch});
  if (!swapped.ok()) return swapped.status();
  if (swapped->tag() == "UPDATE 1") return absl::OkStatus();
  return absl::AbortedError(absl::StrCat(head.address, ": the state was changed since it was read"));
}

absl::StatusOr<std::vector<HistoryEntry>> PostgresRows::ReadChecked(const Head& head, uint64_t first) const {
  absl::StatusOr<std::string> previous = ReadChain(head.address, first - 1);
  if (!previous.ok()) return previous.status();
  absl::StatusOr<Rows> rows = connection_->Run(
      absl::StrCat("SELECT sequence, at_ms, kind, operation_id, payload, serial, ownership_sha256, chain FROM ",
                   prefix_, "history WHERE address = $1 AND sequence >= $2 ORDER BY sequence"),
      {head.address, first});
  if (!rows.ok()) return rows.status();
  std::vector<HistoryEntry> entries(static_cast<size_t>(rows->size()));
  for (int row = 0; row < rows->size(); ++row) {
    HistoryEntry& entry = entries[static_cast<size_t>(row)];
    entry.sequence = rows->Integer(row, 0);
    entry.at_ms = static_cast<int64_t>(rows->Integer(row, 1));
    entry.kind = rows->Text(row, 2);
    entry.operation_id = rows->Text(row, 3);
    entry.payload = rows->Bytes(row, 4);
    entry.serial = rows->Integer(row, 5);
    entry.ownership_sha256 = rows->Text(row, 6);
    entry.chain = rows->Text(row, 7);
  }
  if (absl::Status fit = CheckLog(head, *previous, first, entries); !fit.ok()) {
    return Damaged(head.address, fit.message());
  }
  return entries;
}

absl::StatusOr<Snapshot> PostgresRows::ReadSnapshot(const std::string& address) const {
  Snapshot snapshot;
  absl::StatusOr<std::string> store_id = StoreId();
  if (!store_id.ok()) return store_id.status();
  snapshot.store_id = *std::move(store_id);
  absl::StatusOr<Head> head = ReadHead(address, /*for_update=*/false);
  if (!head.ok()) return head.status();
  snapshot.revision = head->revision;
  snapshot.serial = head->serial;
  snapshot.operation_id = head->operation_id;
  // From the last finished operation's receipt on: it is the entry before the open one's first.
  uint64_t first = head->revision == 0 ? 1 : head->revision;
  if (!head->operation_id.empty()) {
    absl::StatusOr<uint64_t> begun = BeginOf(head->operation_id);
    if (!begun.ok()) return begun.status();
    if (*begun == 0) return Damaged(address, "the open operation's intent is missing");
    first = *begun > 1 ? *begun - 1 : 1;
  }
  absl::StatusOr<std::vector<HistoryEntry>> entries = ReadChecked(*head, first);
  if (!entries.ok()) return entries.status();
  if (absl::Status fit = FillOperation(*head, *std::move(entries), &snapshot); !fit.ok()) {
    return Damaged(address, fit.message());
  }
  snapshot.ownership = std::move(head->ownership);
  return snapshot;
}

absl::StatusOr<std::vector<HistoryEntry>> PostgresRows::ReadWholeHistory(const std::string& address) const {
  absl::StatusOr<Head> head = ReadHead(address, /*for_update=*/false);
  if (!head.ok()) return head.status();
  return ReadChecked(*head, 1);
}

absl::StatusOr<std::vector<AddressSummary>> PostgresRows::Addresses() const {
  absl::StatusOr<std::string> store_id = StoreId();
  if (!store_id.ok()) return store_id.status();
  // An entry without its head shows, so that it is found to be damaged.
  absl::StatusOr<Rows> rows = connection_->Run(absl::StrCat(
      "SELECT * FROM (SELECT address, revision, serial, operation_id FROM ", prefix_,
      "address UNION SELECT address, 0, 0, NULL FROM ", prefix_, "history AS h WHERE NOT EXISTS (SELECT FROM ", prefix_,
      "address AS a WHERE a.address = h.address)) AS everywhere ORDER BY address COLLATE \"C\""));
  if (!rows.ok()) return rows.status();
  std::vector<AddressSummary> addresses;
  for (int row = 0; row < rows->size(); ++row) {
    AddressSummary& summary = addresses.emplace_back();
    summary.address = rows->Text(row, 0);
    summary.revision = rows->Integer(row, 1);
    summary.serial = rows->Integer(row, 2);
    summary.operation_id = rows->Text(row, 3);
    absl::StatusOr<std::string> holder = Holder(summary.address, LockKey(*store_id, summary.address));
    if (!holder.ok()) return holder.status();
    summary.holder = *std::move(holder);
  }
  return addresses;
}

absl::StatusOr<std::string> PostgresRows::Holder(const std::string& address, int64_t key) const {
  absl::StatusOr<Rows> held = connection_->Run(
      absl::StrCat("SELECT a.application_name, (extract(epoch FROM a.backend_start) * 1000)::bigint FROM (", kHeldLocks,
                   ") AS held LEFT JOIN pg_stat_activity AS a ON a.pid = held.pid WHERE key = $1"),
      {key});
  if (!held.ok()) return held.status();
  if (held->size() == 0) return std::string();
  // As PostgresServer::Connect names its sessions. A role that may not see them gets no start.
  const std::string name = held->Text(0, 0);
  std::string_view rest = name;
  const size_t blank = name.find(' ', kApplication.size());
  if (absl::ConsumePrefix(&rest, kApplication) && blank != std::string::npos && held->Integer(0, 1) > 0) {
    return HolderWords(absl::StrCat("process ", name.substr(kApplication.size(), blank - kApplication.size()), " of ",
                                    diag::Visible(name.substr(blank + 1))),
                       held->Integer(0, 1));
  }
  absl::StatusOr<Rows> rows = connection_->Run(
      absl::StrCat("SELECT lock_holder, lock_since_ms FROM ", prefix_, "address WHERE address = $1"), {address});
  if (!rows.ok()) return rows.status();
  return rows->size() == 1 ? HolderWords(rows->Text(0, 0), rows->Integer(0, 1)) : "another process";
}

absl::StatusOr<bool> PostgresRows::HoldsLock(int64_t key) const {
  absl::StatusOr<Rows> rows = connection_->Run(
      absl::StrCat("SELECT FROM (", kHeldLocks, ") AS held WHERE key = $1 AND pid = pg_backend_pid()"), {key});
  if (!rows.ok()) return rows.status();
  return rows->size() > 0;
}

}  // namespace st::state
