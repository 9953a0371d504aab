// The state store of one host: one SQLite file, and a lock file for each address beside it. Its tables, and what a
// power loss can do to them: docs/journal.md.
#ifndef ST_LIB_STATE_SQLITE_H_
#define ST_LIB_STATE_SQLITE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "lib/state/access.h"
#include "lib/state/whole_store.h"

namespace st::state {

// Looks at the whole file first: DataLoss when it is damaged or empty, FailedPrecondition when it is no state store of
// ours, is of a newer version, lies behind a symbolic link, or has a mode that forbids to write it; Unavailable when
// its file system is mounted read-only and it should be written. With kReadOnly a half-done write of a killed process
// is undone where the file can be written (SQLite needs that before it can read).
absl::StatusOr<std::unique_ptr<WholeStore>> OpenSqlite(const std::string& path, Access access);

// $ST_STATE_DIR/state.db, else $XDG_STATE_HOME/st/state.db, else ~/.local/state/st/state.db.
std::string DefaultSqlitePath();

}  // namespace st::state

#endif  // ST_LIB_STATE_SQLITE_H_
