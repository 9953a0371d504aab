#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/base/clock.h"
#include "lib/base/digest.h"
#include "lib/fs/file.h"
#include "lib/state/history_chain.h"
#include "lib/state/sqlite.h"
#include "lib/state/sqlite_connection.h"
#include "lib/state/sqlite_place.h"
#include "lib/state/sqlite_rows.h"

namespace st::state {
namespace {

// Names become file names (escaped), and are read by people.
constexpr size_t kMaxName = 160;

absl::Status CheckName(std::string_view what, const std::string& name) {
  if (!name.empty() && name.size() <= kMaxName) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the ", what, " must have 1 to ", kMaxName, " bytes"));
}

// What one write adds; the store fills in the rest.
struct Change {
  std::string kind;
  std::string operation_id;  // set by kBegin only
  std::string payload;
  std::optional<std::string> ownership;  // the new one
};

class SqliteStore : public StateStore {
 public:
  SqliteStore(SqlitePlace place, Access access) : place_(std::move(place)), access_(access) {}

  // Reads once, so that a bad file is refused at the start.
  absl::Status Probe();

  absl::StatusOr<Snapshot> Read(const std::string& address) override;
  absl::StatusOr<std::unique_ptr<Lease>> Acquire(const std::string& address) override;
  absl::StatusOr<uint64_t> Begin(const Lease& lease, uint64_t revision, const std::string& operation_id,
                                 const std::string& intent) override;
  absl::StatusOr<uint64_t> Append(const Lease& lease, uint64_t revision, const Frame& frame) override;
  absl::StatusOr<uint64_t> Complete(const Lease& lease, uint64_t revision, const std::string& ownership,
                                    const std::string& receipt) override;
  absl::StatusOr<std::vector<HistoryEntry>> History(const std::string& address) override;

  absl::StatusOr<uint64_t> Epoch(const std::string& address);

 private:
  // Runs `body` inside a transaction that only reads. A store that is not there reads as `missing`.
  template <typename Result, typename Body>
  absl::StatusOr<Result> Reading(Result missing, Body body);
  absl::StatusOr<Connection*> Connected();
  absl::StatusOr<uint64_t> BumpEpoch(const std::string& address);
  absl::StatusOr<uint64_t> Write(const Lease& lease, uint64_t revision, Change change);
  absl::StatusOr<HistoryEntry> WriteRows(Connection* connection, const Lease& lease, uint64_t revision, Change change);
  absl::StatusOr<uint64_t> Settle(const std::string& address, const HistoryEntry& entry, const absl::Status& error);

  SqlitePlace place_;
  Access access_;
  // Kept between calls by a writer; given up after any error. A reader makes one for each call, so that it meets what
  // another process left half done with the means to undo it.
  std::unique_ptr<Connection> connection_;
};

class SqliteLease : public Lease {
 public:
  SqliteLease(SqliteStore* store, std::string address, uint64_t epoch, fs::FileLock lock)
      : store_(store), address_(std::move(address)), epoch_(epoch), lock_(std::move(lock)) {}

  const std::string& address() const override { return address_; }
  uint64_t epoch() const override { return epoch_; }

  absl::Status Check() override {
    if (!lock_.StillHeld()) {
      return absl::AbortedError(
          absl::StrCat(address_, ": the lock was lost: its file was removed or replaced while it was held"));
    }
    absl::StatusOr<uint64_t> epoch = store_->Epoch(address_);
    if (!epoch.ok()) return epoch.status();
    if (*epoch == epoch_) return absl::OkStatus();
    return absl::AbortedError(absl::StrCat(address_, ": the lock was lost: another process has taken it since"));
  }

 private:
  SqliteStore* store_;
  std::string address_;
  uint64_t epoch_;
  fs::FileLock lock_;
};

absl::Status SqliteStore::Probe() {
  absl::StatusOr<Connection*> connection = Connected();
  if (access_ == Access::kReadOnly) connection_.reset();
  if (absl::IsNotFound(connection.status()) && access_ == Access::kReadOnly) return absl::OkStatus();
  return connection.status();
}

absl::StatusOr<Connection*> SqliteStore::Connected() {
  if (connection_ == nullptr) {
    absl::StatusOr<std::unique_ptr<Connection>> made = place_.Connect(access_ == Access::kReadWrite);
    if (!made.ok()) return made.status();
    connection_ = *std::move(made);
  }
  return connection_.get();
}

template <typename Result, typename Body>
absl::StatusOr<Result> SqliteStore::Reading(Result missing, Body body) {
  absl::StatusOr<Connection*> connection = Connected();
  if (absl::IsNotFound(connection.status()) && access_ == Access::kReadOnly) return missing;
  if (!connection.ok()) return connection.status();
  absl::StatusOr<Result> result = [&]() -> absl::StatusOr<Result> {
    if (absl::Status begun = (*connection)->Execute("BEGIN"); !begun.ok()) return begun;
    absl::StatusOr<Result> read = body(*connection);
    if (!read.ok()) return read;
    if (absl::Status ended = (*connection)->Execute("COMMIT"); !ended.ok()) return ended;
    return read;
  }();
  if (!result.ok() || access_ == Access::kReadOnly) connection_.reset();
  return result;
}

absl::StatusOr<Snapshot> SqliteStore::Read(const std::string& address) {
  if (absl::Status fit = CheckName("address", address); !fit.ok()) return fit;
  Snapshot missing;
  missing.location = place_.path();
  return Reading(missing, [&](Connection* connection) -> absl::StatusOr<Snapshot> {
    absl::StatusOr<Snapshot> snapshot = ReadSnapshot(connection, address);
    if (snapshot.ok()) snapshot->location = place_.path();
    return snapshot;
  });
}

absl::StatusOr<std::vector<HistoryEntry>> SqliteStore::History(const std::string& address) {
  if (absl::Status fit = CheckName("address", address); !fit.ok()) return fit;
  return Reading(std::vector<HistoryEntry>(),
                 [&](Connection* connection) { return ReadWholeHistory(connection, address); });
}

absl::StatusOr<uint64_t> SqliteStore::Epoch(const std::string& address) {
  return Reading(uint64_t{0}, [&](Connection* connection) -> absl::StatusOr<uint64_t> {
    absl::StatusOr<AddressRow> row = ReadAddress(connection, address);
    if (!row.ok()) return row.status();
    return row->lock_epoch;
  });
}

absl::StatusOr<std::unique_ptr<Lease>> SqliteStore::Acquire(const std::string& address) {
  if (absl::Status fit = CheckName("address", address); !fit.ok()) return fit;
  if (access_ == Access::kReadOnly) {
    return absl::FailedPreconditionError(absl::StrCat(place_.path(), ": opened for reading only"));
  }
  absl::StatusOr<fs::FileLock> lock = place_.Lock(address);
  if (!lock.ok()) return lock.status();
  absl::StatusOr<uint64_t> epoch = BumpEpoch(address);
  if (!epoch.ok()) {
    connection_.reset();
    return epoch.status();
  }
  return std::make_unique<SqliteLease>(this, address, *epoch, *std::move(lock));
}

absl::StatusOr<uint64_t> SqliteStore::BumpEpoch(const std::string& address) {
  absl::StatusOr<Connection*> connection = Connected();
  if (!connection.ok()) return connection.status();
  if (absl::Status begun = (*connection)->Execute("BEGIN IMMEDIATE"); !begun.ok()) return begun;
  absl::StatusOr<uint64_t> epoch = RaiseEpoch(*connection, address);
  if (!epoch.ok()) return epoch;
  // A COMMIT whose outcome is not known does no harm here: an epoch that was raised for nobody only fences.
  if (absl::Status committed = (*connection)->Execute("COMMIT"); !committed.ok()) return committed;
  return epoch;
}

absl::StatusOr<uint64_t> SqliteStore::Begin(const Lease& lease, uint64_t revision, const std::string& operation_id,
                                            const std::string& intent) {
  if (absl::Status fit = CheckName("operation id", operation_id); !fit.ok()) return fit;
  return Write(lease, revision, {"begin", operation_id, intent, std::nullopt});
}

absl::StatusOr<uint64_t> SqliteStore::Append(const Lease& lease, uint64_t revision, const Frame& frame) {
  const char* kind = frame.kind == Frame::Kind::kCheckpoint ? "checkpoint" : "authorization";
  return Write(lease, revision, {kind, "", frame.payload, std::nullopt});
}

absl::StatusOr<uint64_t> SqliteStore::Complete(const Lease& lease, uint64_t revision, const std::string& ownership,
                                               const std::string& receipt) {
  return Write(lease, revision, {"complete", "", receipt, ownership});
}

absl::StatusOr<uint64_t> SqliteStore::Write(const Lease& lease, uint64_t revision, Change change) {
  absl::StatusOr<Connection*> connection = Connected();
  if (!connection.ok()) return connection.status();
  if (absl::Status begun = (*connection)->Execute("BEGIN IMMEDIATE"); !begun.ok()) {
    connection_.reset();
    return begun;
  }
  absl::StatusOr<HistoryEntry> entry = WriteRows(*connection, lease, revision, std::move(change));
  if (!entry.ok()) {
    connection_.reset();  // rolls back; what a crash would leave behind, the next connection undoes
    return entry.status();
  }
  absl::Status committed = (*connection)->Execute("COMMIT");
  return committed.ok() ? absl::StatusOr<uint64_t>(entry->sequence) : Settle(lease.address(), *entry, committed);
}

absl::StatusOr<HistoryEntry> SqliteStore::WriteRows(Connection* connection, const Lease& lease, uint64_t revision,
                                                    Change change) {
  absl::StatusOr<AddressRow> row = ReadAddress(connection, lease.address());
  if (!row.ok()) return row.status();
  if (row->lock_epoch != lease.epoch()) {
    return absl::AbortedError(absl::StrCat(lease.address(), ": the lock was lost: another process has taken it since"));
  }
  if (row->revision != revision) {
    return absl::AbortedError(absl::StrCat(lease.address(), ": the state was changed since it was read (revision ",
                                           revision, " then, ", row->revision, " now); read it again"));
  }
  if (change.kind == "begin") {
    if (absl::Status may = CheckMayBegin(connection, *row, change.operation_id); !may.ok()) return may;
    row->operation_id = change.operation_id;
  } else if (row->operation_id.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(lease.address(), ": no operation is open"));
  }
  HistoryEntry entry;
  entry.operation_id = row->operation_id;
  if (change.ownership.has_value()) {
    if (*change.ownership != row->ownership) ++row->serial;
    row->ownership = *std::move(change.ownership);
    row->operation_id.clear();
  }
  entry.sequence = row->revision + 1;
  entry.at_ms = base::RealClock().NowMs();
  entry.kind = std::move(change.kind);
  entry.payload = std::move(change.payload);
  entry.serial = row->serial;
  entry.ownership_sha256 = base::Sha256Hex(row->ownership);
  entry.chain = ChainNext(row->chain, entry);
  if (absl::Status added = AddEntry(connection, *row, entry); !added.ok()) return added;
  return entry;
}

// After a COMMIT that failed. A new connection rolls back what the old one left, so the file says what happened: the
// entry is there, and a synced folder keeps it there; or it is not, and cannot come any more.
absl::StatusOr<uint64_t> SqliteStore::Settle(const std::string& address, const HistoryEntry& entry,
                                             const absl::Status& error) {
  connection_.reset();
  absl::StatusOr<bool> there = Reading(false, [&](Connection* connection) -> absl::StatusOr<bool> {
    absl::StatusOr<AddressRow> row = ReadAddress(connection, address);
    if (!row.ok() || row->revision < entry.sequence) return row.ok() ? absl::StatusOr<bool>(false) : row.status();
    absl::StatusOr<std::string> chain = ReadChain(connection, address, entry.sequence);
    if (!chain.ok()) return chain.status();
    return *chain == entry.chain;
  });
  if (there.ok() && !*there) return error;
  const absl::Status kept = there.ok() ? fs::SyncFolder(fs::Dirname(place_.path())) : there.status();
  if (kept.ok()) return entry.sequence;
  return absl::UnknownError(absl::StrCat(address, ": it is not known whether a write to the state took place: ",
                                         error.message(), "; then: ", kept.message()));
}

}  // namespace

std::string DefaultSqlitePath() { return fs::JoinPath(fs::StateFolder(), "state.db"); }

absl::StatusOr<std::unique_ptr<StateStore>> OpenSqlite(const std::string& path, Access access) {
  absl::StatusOr<SqlitePlace> place = SqlitePlace::Of(path);
  if (!place.ok()) return place.status();
  if (access == Access::kReadWrite) {
    if (absl::Status made = place->MakeIfMissing(); !made.ok()) return made;
  }
  auto store = std::make_unique<SqliteStore>(*std::move(place), access);
  if (absl::Status fit = store->Probe(); !fit.ok()) return fit;
  return store;
}

}  // namespace st::state
