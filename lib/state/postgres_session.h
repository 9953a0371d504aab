// How a PostgreSQL store is connected to, and the one session that holds an address's lock. For this library's own
// files.
#ifndef ST_LIB_STATE_POSTGRES_SESSION_H_
#define ST_LIB_STATE_POSTGRES_SESSION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/state/access.h"
#include "lib/state/postgres_connection.h"
#include "lib/state/state.h"

namespace st::state {

class PostgresServer {
 public:
  PostgresServer(Dsn dsn, std::string name, Access access)
      : dsn_(std::move(dsn)), name_(std::move(name)), access_(access) {}

  // Connected, and the server looked at.
  absl::StatusOr<std::unique_ptr<PgConnection>> Connect() const;
  // As above, again and again for some seconds while it cannot be reached: a server that restarts comes back.
  absl::StatusOr<std::unique_ptr<PgConnection>> ConnectPatiently() const;
  Access access() const { return access_; }

 private:
  Dsn dsn_;
  std::string name_;
  Access access_;
};

// One address's lock and the session that it lives in: they end together, and all writes under the lock go through it.
class PostgresLease : public Lease {
 public:
  using Released = std::function<void(const PostgresLease*)>;

  // Takes the lock in `connection`. Aborted when another session has it.
  static absl::StatusOr<std::unique_ptr<PostgresLease>> Take(const PostgresServer* server,
                                                             std::unique_ptr<PgConnection> connection,
                                                             const std::string& schema, const std::string& address,
                                                             Released released);
  ~PostgresLease() override;

  const std::string& address() const override { return address_; }
  uint64_t epoch() const override { return epoch_; }
  absl::Status Check() override;

  PgConnection* connection() const { return connection_.get(); }
  // What a session that ended means: Aborted when the server can be reached, as the lock is then free for others;
  // else Unavailable. Any other error as it is.
  absl::Status Meaning(const absl::Status& error) const;
  // Nothing of this lease's session can happen any more: its server process is ended, if it still is there. Asked on
  // another connection.
  absl::Status EndSession(PgConnection* other) const;

 private:
  PostgresLease(const PostgresServer* server, std::unique_ptr<PgConnection> connection, std::string schema,
                std::string address, Released released);
  absl::Status TakeLock();

  const PostgresServer* server_;
  std::unique_ptr<PgConnection> connection_;
  std::string schema_;
  std::string address_;
  Released released_;
  std::string backend_start_;
  int64_t key_ = 0;
  uint64_t epoch_ = 0;
};

}  // namespace st::state

#endif  // ST_LIB_STATE_POSTGRES_SESSION_H_
