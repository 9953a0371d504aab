#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/base/clock.h"
#include "lib/fs/file.h"
#include "lib/state/log_rules.h"
#include "lib/state/sqlite.h"
#include "lib/state/sqlite_connection.h"
#include "lib/state/sqlite_place.h"
#include "lib/state/sqlite_rows.h"

namespace st::state {
namespace {

class SqliteStore : public LogStore {
 public:
  SqliteStore(SqlitePlace place, Access access) : place_(std::move(place)), access_(access) {}

  // Reads once, so that a bad file is refused at the start.
  absl::Status Probe();

  absl::StatusOr<Snapshot> Read(const std::string& address) override;
  absl::StatusOr<std::unique_ptr<Lease>> Acquire(const std::string& address) override;
  absl::StatusOr<std::vector<HistoryEntry>> History(const std::string& address) override;

  absl::StatusOr<std::vector<AddressSummary>> Addresses() override;
  absl::StatusOr<uint64_t> Import(const Lease& lease, const std::vector<HistoryEntry>& log,
                                  const std::string& ownership) override;

  absl::StatusOr<uint64_t> Epoch(const std::string& address);

 private:
  // Runs `body` inside a transaction that only reads. A store that is not there reads as `missing`.
  template <typename Result, typename Body>
  absl::StatusOr<Result> Reading(Result missing, Body body);
  absl::StatusOr<Connection*> Connected();
  absl::StatusOr<uint64_t> BumpEpoch(const std::string& address);
  absl::StatusOr<uint64_t> Write(const Lease& lease, uint64_t revision, Change change) override;
  absl::StatusOr<HistoryEntry> WriteRows(Connection* connection, const Lease& lease, uint64_t revision, Change change);
  // Runs `body`, which returns the last entry that it wrote, inside a transaction.
  template <typename Body>
  absl::StatusOr<uint64_t> Writing(const std::string& address, Body body);
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

absl::StatusOr<std::vector<AddressSummary>> SqliteStore::Addresses() {
  absl::StatusOr<std::vector<AddressSummary>> addresses = Reading(std::vector<AddressSummary>(), &ReadAddresses);
  if (!addresses.ok()) return addresses;
  for (AddressSummary& summary : *addresses) {
    absl::StatusOr<std::string> holder = place_.Holder(summary.address);
    if (!holder.ok()) return holder.status();
    summary.holder = *std::move(holder);
  }
  return addresses;
}

absl::StatusOr<uint64_t> SqliteStore::Epoch(const std::string& address) {
  return Reading(uint64_t{0}, [&](Connection* connection) -> absl::StatusOr<uint64_t> {
    absl::StatusOr<Head> row = ReadAddress(connection, address);
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

template <typename Body>
absl::StatusOr<uint64_t> SqliteStore::Writing(const std::string& address, Body body) {
  absl::StatusOr<Connection*> connection = Connected();
  if (!connection.ok()) return connection.status();
  if (absl::Status begun = (*connection)->Execute("BEGIN IMMEDIATE"); !begun.ok()) {
    connection_.reset();
    return begun;
  }
  absl::StatusOr<HistoryEntry> entry = body(*connection);
  if (!entry.ok()) {
    connection_.reset();  // rolls back; what a crash would leave behind, the next connection undoes
    return entry.status();
  }
  absl::Status committed = (*connection)->Execute("COMMIT");
  return committed.ok() ? absl::StatusOr<uint64_t>(entry->sequence) : Settle(address, *entry, committed);
}

absl::StatusOr<uint64_t> SqliteStore::Write(const Lease& lease, uint64_t revision, Change change) {
  return Writing(lease.address(),
                 [&](Connection* connection) { return WriteRows(connection, lease, revision, std::move(change)); });
}

absl::StatusOr<uint64_t> SqliteStore::Import(const Lease& lease, const std::vector<HistoryEntry>& log,
                                             const std::string& ownership) {
  return Writing(lease.address(), [&](Connection* connection) -> absl::StatusOr<HistoryEntry> {
    absl::StatusOr<std::string> store_id = connection->QueryText("SELECT store_id FROM store");
    if (!store_id.ok()) return store_id.status();
    absl::StatusOr<Head> head = ReadAddress(connection, lease.address());
    if (!head.ok()) return head.status();
    absl::StatusOr<std::vector<HistoryEntry>> entries = Rechained(*store_id, lease.address(), log, ownership);
    if (!entries.ok()) return entries.status();
    for (const HistoryEntry& entry : *entries) {
      absl::Status fit = ImportEntry(lease.epoch(), entry, ownership, entry.sequence == entries->size(), &*head);
      if (!fit.ok()) return fit;
      if (entry.kind == "begin") {
        if (absl::Status fresh = CheckNewOperation(connection, entry.operation_id); !fresh.ok()) return fresh;
      }
      if (absl::Status added = AddEntry(connection, *head, entry); !added.ok()) return added;
      head->revision = entry.sequence;
      head->chain = entry.chain;
    }
    return entries->back();
  });
}

absl::StatusOr<HistoryEntry> SqliteStore::WriteRows(Connection* connection, const Lease& lease, uint64_t revision,
                                                    Change change) {
  absl::StatusOr<Head> row = ReadAddress(connection, lease.address());
  if (!row.ok()) return row.status();
  const std::string begun = change.kind == "begin" ? change.operation_id : "";
  absl::StatusOr<HistoryEntry> entry =
      NextEntry(std::move(change), lease.epoch(), revision, base::RealClock().NowMs(), &*row);
  if (!entry.ok()) return entry;
  if (!begun.empty()) {
    if (absl::Status fresh = CheckNewOperation(connection, begun); !fresh.ok()) return fresh;
  }
  if (absl::Status added = AddEntry(connection, *row, *entry); !added.ok()) return added;
  return entry;
}

// After a COMMIT that failed. A new connection rolls back what the old one left, so the file says what happened: the
// entry is there, and a synced folder keeps it there; or it is not, and cannot come any more.
absl::StatusOr<uint64_t> SqliteStore::Settle(const std::string& address, const HistoryEntry& entry,
                                             const absl::Status& error) {
  connection_.reset();
  absl::StatusOr<bool> there = Reading(false, [&](Connection* connection) -> absl::StatusOr<bool> {
    absl::StatusOr<Head> row = ReadAddress(connection, address);
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

absl::StatusOr<std::unique_ptr<WholeStore>> OpenSqlite(const std::string& path, Access access) {
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
