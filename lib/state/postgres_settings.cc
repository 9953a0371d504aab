#include "lib/state/postgres_settings.h"

#include <string_view>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/state/postgres_connection.h"

namespace st::state {
namespace {

// The oldest version that its makers still mended when this was written; it has all that is used here.
constexpr int kOldestVersion = 140000;

absl::Status Refused(const PgConnection& connection, std::string_view words) {
  return absl::FailedPreconditionError(absl::StrCat(connection.where(), ": ", words));
}

// A pooler lends server processes to clients in turns: a session's lock would be anybody's. It shows in that it keeps a
// client's settings from the server, or tells it the number of no process there is.
absl::Status CheckNoPooler(const PgConnection& connection, const Rows& rows) {
  const bool same_process = rows.Integer(0, 0) == static_cast<uint64_t>(connection.backend_pid());
  const bool settings_arrived = rows.Text(0, 1) == "14s" && rows.Text(0, 2) == "5s";
  if (same_process && settings_arrived) return absl::OkStatus();
  return Refused(connection,
                 "there is a connection pooler between here and the server, and a lock would not hold through it; "
                 "name the server's own address");
}

absl::Status CheckDurable(const PgConnection& connection, const Rows& rows) {
  if (rows.Bool(0, 3)) {
    return Refused(connection,
                   "the server is a standby, which takes no writes; name the primary (or several hosts, "
                   "with target_session_attrs=read-write)");
  }
  // local, remote_write, on and remote_apply all have a commit on the server's own disk before it is answered.
  if (rows.Text(0, 4) == "off") {
    return Refused(connection, "synchronous_commit is off, and an answered write could be lost; set it to on");
  }
  for (const int column : {5, 6}) {
    if (rows.Text(0, column) == "on") continue;
    return Refused(connection, absl::StrCat(column == 5 ? "fsync" : "full_page_writes",
                                            " is off, and a power loss could damage the state; set it to on"));
  }
  return absl::OkStatus();
}

}  // namespace

std::string SessionOptions() {
  return "-c statement_timeout=14000 -c lock_timeout=5000 -c idle_in_transaction_session_timeout=60000 "
         "-c idle_session_timeout=0 -c search_path=pg_catalog -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=5 "
         "-c tcp_keepalives_count=3 -c tcp_user_timeout=15000";
}

absl::Status CheckServer(PgConnection* connection, bool plain_by_name, Access access) {
  if (!connection->encrypted() && !connection->local_socket() && !plain_by_name) {
    return Refused(*connection, "the connection is not encrypted");
  }
  if (connection->server_version() < kOldestVersion) {
    return Refused(*connection, absl::StrCat("the server's version is ", connection->server_version() / 10000,
                                             "; at least ", kOldestVersion / 10000, " is needed"));
  }
  absl::StatusOr<Rows> rows = connection->Run(
      "SELECT pg_backend_pid(), current_setting('statement_timeout'), current_setting('lock_timeout'), "
      "pg_is_in_recovery(), current_setting('synchronous_commit'), current_setting('fsync'), "
      "current_setting('full_page_writes')");
  if (!rows.ok()) return rows.status();
  if (absl::Status fit = CheckNoPooler(*connection, *rows); !fit.ok()) return fit;
  return access == Access::kReadWrite ? CheckDurable(*connection, *rows) : absl::OkStatus();
}

}  // namespace st::state
