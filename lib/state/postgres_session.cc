#include "lib/state/postgres_session.h"

#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/clock.h"
#include "lib/base/id.h"
#include "lib/state/postgres_rows.h"
#include "lib/state/postgres_settings.h"

namespace st::state {
namespace {

constexpr int64_t kPatienceMs = 15'000;
constexpr int64_t kPollMs = 50;

std::string Holder() { return absl::StrCat("process ", getpid(), " of ", base::WhoAmI()); }

}  // namespace

absl::StatusOr<std::unique_ptr<PgConnection>> PostgresServer::Connect() const {
  absl::StatusOr<std::unique_ptr<PgConnection>> connection =
      PgConnection::Open(dsn_, absl::StrCat("st ", getpid(), " ", base::WhoAmI()));
  if (!connection.ok()) {
    return absl::Status(connection.status().code(), absl::StrCat(name_, ": ", connection.status().message()));
  }
  if (absl::Status fit = CheckServer(connection->get(), dsn_.plain_by_name, access_); !fit.ok()) return fit;
  return connection;
}

absl::StatusOr<std::unique_ptr<PgConnection>> PostgresServer::ConnectPatiently() const {
  const int64_t deadline = base::RealClock().MonotonicMs() + kPatienceMs;
  for (;;) {
    absl::StatusOr<std::unique_ptr<PgConnection>> connection = Connect();
    if (!absl::IsUnavailable(connection.status()) || base::RealClock().MonotonicMs() >= deadline) return connection;
    base::RealClock().SleepMs(kPollMs);
  }
}

PostgresLease::PostgresLease(const PostgresServer* server, std::unique_ptr<PgConnection> connection, std::string schema,
                             std::string address, Released released)
    : server_(server),
      connection_(std::move(connection)),
      schema_(std::move(schema)),
      address_(std::move(address)),
      released_(std::move(released)) {}

absl::StatusOr<std::unique_ptr<PostgresLease>> PostgresLease::Take(const PostgresServer* server,
                                                                   std::unique_ptr<PgConnection> connection,
                                                                   const std::string& schema,
                                                                   const std::string& address, Released released) {
  std::unique_ptr<PostgresLease> lease(
      new PostgresLease(server, std::move(connection), schema, address, std::move(released)));
  if (absl::Status taken = lease->TakeLock(); !taken.ok()) return taken;
  return lease;
}

absl::Status PostgresLease::TakeLock() {
  const PostgresRows rows(connection_.get(), schema_);
  absl::StatusOr<std::string> store_id = rows.StoreId();
  if (!store_id.ok()) return store_id.status();
  const int64_t key = LockKey(*store_id, address_);
  absl::StatusOr<Rows> taken = connection_->Run(
      "SELECT pg_try_advisory_lock($1), (SELECT backend_start::text FROM pg_stat_activity WHERE pid = "
      "pg_backend_pid())",
      {key});
  if (!taken.ok()) return taken.status();
  if (!taken->Bool(0, 0)) {
    absl::StatusOr<std::string> holder = rows.Holder(address_, key);
    return absl::AbortedError(absl::StrCat(address_, ": cannot take its lock: locked by ",
                                           holder.ok() && !holder->empty() ? *holder : "another process",
                                           "; wait until it ends and try again"));
  }
  key_ = key;
  backend_start_ = taken->Text(0, 1);
  // In a transaction of its own. An uncertain end does no harm: an epoch that was raised for nobody only fences.
  absl::StatusOr<uint64_t> epoch = rows.RaiseEpoch(address_, Holder(), base::RealClock().NowMs());
  if (!epoch.ok()) return epoch.status();
  epoch_ = *epoch;
  return absl::OkStatus();
}

// Without the first, the lock would be free only when the server has seen that the connection ended.
PostgresLease::~PostgresLease() {
  if (key_ != 0 && connection_->alive()) (void)connection_->Run("SELECT pg_advisory_unlock($1)", {key_});
  released_(this);
}

absl::Status PostgresLease::Meaning(const absl::Status& error) const {
  if (error.ok() || connection_->alive()) return error;
  absl::StatusOr<std::unique_ptr<PgConnection>> other = server_->Connect();
  if (!other.ok()) return other.status();
  return absl::AbortedError(
      absl::StrCat(address_, ": the lock was lost: its connection ended, and another process may have taken it (",
                   error.message(), ")"));
}

absl::Status PostgresLease::Check() {
  const PostgresRows rows(connection_.get(), schema_);
  absl::StatusOr<bool> held = rows.HoldsLock(key_);
  if (!held.ok()) return Meaning(held.status());
  if (!*held) return absl::AbortedError(absl::StrCat(address_, ": the lock was lost: the server gave it up"));
  absl::StatusOr<Head> head = rows.ReadHead(address_, /*for_update=*/false);
  if (!head.ok()) return Meaning(head.status());
  if (head->lock_epoch == epoch_) return absl::OkStatus();
  return absl::AbortedError(absl::StrCat(address_, ": the lock was lost: another process has taken it since"));
}

absl::Status PostgresLease::EndSession(PgConnection* other) const {
  const int64_t deadline = base::RealClock().MonotonicMs() + kPatienceMs;
  for (;;) {
    // By number and start, as a number may be another's by now.
    absl::StatusOr<Rows> left =
        other->Run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND backend_start::text = $2",
                   {int64_t{connection_->backend_pid()}, backend_start_});
    if (!left.ok()) return left.status();
    if (left->size() == 0) return absl::OkStatus();
    if (base::RealClock().MonotonicMs() >= deadline) {
      return absl::UnavailableError(
          absl::StrCat(other->where(), ": server process ", connection_->backend_pid(), " does not end"));
    }
    base::RealClock().SleepMs(kPollMs);
  }
}

}  // namespace st::state
