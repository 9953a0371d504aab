#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/base/clock.h"
#include "lib/state/log_rules.h"
#include "lib/state/postgres.h"
#include "lib/state/postgres_rows.h"
#include "lib/state/postgres_schema.h"
#include "lib/state/postgres_session.h"

namespace st::state {
namespace {

class PostgresStore : public LogStore {
 public:
  PostgresStore(PostgresServer server, std::string schema) : server_(std::move(server)), schema_(std::move(schema)) {}

  // Connects once, so that a bad place is refused at the start; makes the schema when it should be written.
  absl::Status Probe();

  absl::StatusOr<Snapshot> Read(const std::string& address) override;
  absl::StatusOr<std::unique_ptr<Lease>> Acquire(const std::string& address) override;
  absl::StatusOr<std::vector<HistoryEntry>> History(const std::string& address) override;
  absl::StatusOr<std::vector<AddressSummary>> Addresses() override;
  absl::StatusOr<uint64_t> Import(const Lease& lease, const std::vector<HistoryEntry>& log,
                                  const std::string& ownership) override;

 private:
  // Runs `body` inside a transaction that only reads. A store that is not there reads as `missing`.
  template <typename Result, typename Body>
  absl::StatusOr<Result> Reading(Result missing, Body body);
  // Runs `body`, which returns the last entry that it wrote, inside a transaction on the lease's session.
  template <typename Body>
  absl::StatusOr<uint64_t> Writing(const Lease& lease, Body body);
  absl::StatusOr<PgConnection*> Reader();
  absl::StatusOr<uint64_t> Write(const Lease& lease, uint64_t revision, Change change) override;
  absl::StatusOr<uint64_t> Settle(const PostgresLease& lease, const HistoryEntry& entry, const absl::Status& error);
  std::string Location(const PgConnection& connection) const {
    return absl::StrCat("PostgreSQL ", connection.where(), ", schema ", schema_);
  }

  PostgresServer server_;
  std::string schema_;
  // For what needs no lease; given up after any error.
  std::unique_ptr<PgConnection> reader_;
  bool exists_ = false;  // seen through reader_
  // Not owned: those that are held.
  std::vector<const PostgresLease*> leases_;
};

absl::Status PostgresStore::Probe() {
  absl::StatusOr<PgConnection*> connection = Reader();
  if (!connection.ok()) return connection.status();
  if (exists_ || server_.access() == Access::kReadOnly) return absl::OkStatus();
  absl::Status made = MakeSchema(*connection, schema_);
  if (!made.ok()) {
    reader_.reset();
    return made;
  }
  return Reader().status();
}

absl::StatusOr<PgConnection*> PostgresStore::Reader() {
  if (reader_ == nullptr) {
    exists_ = false;
    absl::StatusOr<std::unique_ptr<PgConnection>> made = server_.Connect();
    if (!made.ok()) return made.status();
    reader_ = *std::move(made);
  }
  if (!exists_) {
    absl::StatusOr<bool> exists = CheckSchema(reader_.get(), schema_);
    if (!exists.ok()) {
      reader_.reset();
      return exists.status();
    }
    exists_ = *exists;
  }
  return reader_.get();
}

template <typename Result, typename Body>
absl::StatusOr<Result> PostgresStore::Reading(Result missing, Body body) {
  // A session that ended while it was idle says nothing about the store.
  if (reader_ != nullptr && !reader_->Run("SELECT").ok()) reader_.reset();
  absl::StatusOr<PgConnection*> connection = Reader();
  if (!connection.ok()) return connection.status();
  if (!exists_) {
    if (server_.access() == Access::kReadOnly) return missing;
    return absl::DataLossError(absl::StrCat(Location(**connection), ": the store was taken away"));
  }
  absl::StatusOr<Result> result = [&]() -> absl::StatusOr<Result> {
    if (auto begun = (*connection)->Run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"); !begun.ok()) {
      return begun.status();
    }
    absl::StatusOr<Result> read = body(PostgresRows(*connection, schema_));
    if (!read.ok()) return read;
    if (auto ended = (*connection)->Run("COMMIT"); !ended.ok()) return ended.status();
    return read;
  }();
  if (!result.ok()) reader_.reset();
  return result;
}

absl::StatusOr<Snapshot> PostgresStore::Read(const std::string& address) {
  if (absl::Status fit = CheckName("address", address); !fit.ok()) return fit;
  absl::StatusOr<Snapshot> snapshot =
      Reading(Snapshot(), [&](const PostgresRows& rows) { return rows.ReadSnapshot(address); });
  if (snapshot.ok()) snapshot->location = Location(*reader_);
  return snapshot;
}

absl::StatusOr<std::vector<HistoryEntry>> PostgresStore::History(const std::string& address) {
  if (absl::Status fit = CheckName("address", address); !fit.ok()) return fit;
  return Reading(std::vector<HistoryEntry>(), [&](const PostgresRows& rows) { return rows.ReadWholeHistory(address); });
}

absl::StatusOr<std::vector<AddressSummary>> PostgresStore::Addresses() {
  return Reading(std::vector<AddressSummary>(), [&](const PostgresRows& rows) { return rows.Addresses(); });
}

absl::StatusOr<std::unique_ptr<Lease>> PostgresStore::Acquire(const std::string& address) {
  if (absl::Status fit = CheckName("address", address); !fit.ok()) return fit;
  if (server_.access() == Access::kReadOnly) {
    return absl::FailedPreconditionError(absl::StrCat("schema ", schema_, ": opened for reading only"));
  }
  // A session of its own for each: a session can take the same lock twice.
  absl::StatusOr<std::unique_ptr<PgConnection>> connection = server_.Connect();
  if (!connection.ok()) return connection.status();
  absl::StatusOr<std::unique_ptr<PostgresLease>> lease =
      PostgresLease::Take(&server_, *std::move(connection), schema_, address, [this](const PostgresLease* over) {
        leases_.erase(std::remove(leases_.begin(), leases_.end(), over), leases_.end());
      });
  if (!lease.ok()) return lease.status();
  leases_.push_back(lease->get());
  return lease;
}

template <typename Body>
absl::StatusOr<uint64_t> PostgresStore::Writing(const Lease& lease, Body body) {
  const auto held = std::find(leases_.begin(), leases_.end(), &lease);
  if (held == leases_.end()) return absl::InvalidArgumentError("the lease is not one of this store");
  PgConnection* connection = (*held)->connection();
  if (auto begun = connection->Run("BEGIN ISOLATION LEVEL READ COMMITTED"); !begun.ok()) {
    return (*held)->Meaning(begun.status());
  }
  absl::StatusOr<HistoryEntry> entry = body(PostgresRows(connection, schema_));
  if (!entry.ok()) {
    // When this fails, too, the session is over, and the server rolls back.
    if (connection->alive()) (void)connection->Run("ROLLBACK");
    return (*held)->Meaning(entry.status());
  }
  absl::StatusOr<Rows> committed = connection->Run("COMMIT");
  // A COMMIT of what cannot be committed is answered well, and rolls back.
  if (committed.ok() && committed->tag() == "COMMIT") return entry->sequence;
  if (committed.ok()) return absl::InternalError("the server rolled back what it should have committed");
  return connection->alive() ? committed.status() : Settle(**held, *entry, committed.status());
}

absl::StatusOr<uint64_t> PostgresStore::Write(const Lease& lease, uint64_t revision, Change change) {
  return Writing(lease, [&](const PostgresRows& rows) -> absl::StatusOr<HistoryEntry> {
    absl::StatusOr<Head> head = rows.ReadHead(lease.address(), /*for_update=*/true);
    if (!head.ok()) return head.status();
    const std::string begun = change.kind == "begin" ? change.operation_id : "";
    absl::StatusOr<HistoryEntry> entry =
        NextEntry(std::move(change), lease.epoch(), revision, base::RealClock().NowMs(), &*head);
    if (!entry.ok()) return entry;
    if (!begun.empty()) {
      if (absl::Status fresh = rows.CheckNewOperation(begun); !fresh.ok()) return fresh;
    }
    if (absl::Status added = rows.AddEntry(*head, *entry); !added.ok()) return added;
    return entry;
  });
}

absl::StatusOr<uint64_t> PostgresStore::Import(const Lease& lease, const std::vector<HistoryEntry>& log,
                                               const std::string& ownership) {
  return Writing(lease, [&](const PostgresRows& rows) -> absl::StatusOr<HistoryEntry> {
    absl::StatusOr<std::string> store_id = rows.StoreId();
    if (!store_id.ok()) return store_id.status();
    absl::StatusOr<Head> head = rows.ReadHead(lease.address(), /*for_update=*/true);
    if (!head.ok()) return head.status();
    absl::StatusOr<std::vector<HistoryEntry>> entries = Rechained(*store_id, lease.address(), log, ownership);
    if (!entries.ok()) return entries.status();
    for (const HistoryEntry& entry : *entries) {
      absl::Status fit = ImportEntry(lease.epoch(), entry, ownership, entry.sequence == entries->size(), &*head);
      if (!fit.ok()) return fit;
      if (entry.kind == "begin") {
        if (absl::Status fresh = rows.CheckNewOperation(entry.operation_id); !fresh.ok()) return fresh;
      }
      if (absl::Status added = rows.AddEntry(*head, entry); !added.ok()) return added;
      head->revision = entry.sequence;
      head->chain = entry.chain;
    }
    return entries->back();
  });
}

// After a COMMIT without an answer. On a new connection: the old session is ended, so that its COMMIT has happened or
// cannot any more; then the entry is there or it is not.
absl::StatusOr<uint64_t> PostgresStore::Settle(const PostgresLease& lease, const HistoryEntry& entry,
                                               const absl::Status& error) {
  const absl::StatusOr<bool> there = [&]() -> absl::StatusOr<bool> {
    absl::StatusOr<std::unique_ptr<PgConnection>> other = server_.ConnectPatiently();
    if (!other.ok()) return other.status();
    if (absl::Status ended = lease.EndSession(other->get()); !ended.ok()) return ended;
    const PostgresRows rows(other->get(), schema_);
    // Waits for a transaction that still has the row.
    absl::StatusOr<Head> head = rows.ReadHead(lease.address(), /*for_update=*/true);
    if (!head.ok()) return head.status();
    if (head->revision < entry.sequence) return false;
    absl::StatusOr<std::string> chain = rows.ReadChain(lease.address(), entry.sequence);
    if (!chain.ok()) return chain.status();
    return *chain == entry.chain;
  }();
  if (there.ok()) return *there ? absl::StatusOr<uint64_t>(entry.sequence) : lease.Meaning(error);
  return absl::UnknownError(absl::StrCat(lease.address(), ": it is not known whether a write to the state took place: ",
                                         error.message(), "; then: ", there.status().message()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<WholeStore>> OpenPostgres(const PostgresPlace& place, Access access) {
  if (absl::Status fit = CheckSchemaName(place.schema); !fit.ok()) return fit;
  absl::StatusOr<Dsn> dsn = ReadDsn(place.dsn, place.dsn_name);
  if (!dsn.ok()) return dsn.status();
  auto store = std::make_unique<PostgresStore>(PostgresServer(*std::move(dsn), place.dsn_name, access), place.schema);
  if (absl::Status fit = store->Probe(); !fit.ok()) return fit;
  return store;
}

}  // namespace st::state
