// The state store that several hosts share: one schema in a PostgreSQL database. Its tables, its lock and what a lost
// answer means: docs/journal.md.
#ifndef ST_LIB_STATE_POSTGRES_H_
#define ST_LIB_STATE_POSTGRES_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "lib/state/access.h"
#include "lib/state/whole_store.h"

namespace st::state {

struct PostgresPlace {
  std::string dsn;       // secret: a URI or key=value pairs, as libpq takes them
  std::string dsn_name;  // what messages call it, e.g. the name of its environment variable
  std::string schema;    // a plain name
};

// Connects, with a time limit for each answer, and looks at the server before it is believed: FailedPrecondition when
// the connection is not encrypted, a pooler shows in between, a write could be lost (synchronous_commit, fsync or
// full_page_writes off), the server is a standby and should be written, it is too old, rights are missing, the schema
// holds something else or is of a newer version; InvalidArgument when the DSN cannot be read; DataLoss when tables or
// triggers are not ours; Unavailable when it cannot be reached. With kReadWrite the schema is made when it is missing.
// No message holds the DSN or its password; server, user and database may be named.
absl::StatusOr<std::unique_ptr<WholeStore>> OpenPostgres(const PostgresPlace& place, Access access);

}  // namespace st::state

#endif  // ST_LIB_STATE_POSTGRES_H_
