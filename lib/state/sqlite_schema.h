// The tables of version 1, and the look at a file before it is believed. For this library's own files.
#ifndef ST_LIB_STATE_SQLITE_SCHEMA_H_
#define ST_LIB_STATE_SQLITE_SCHEMA_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/state/sqlite_connection.h"

namespace st::state {

// The bytes of a new, empty store.
absl::StatusOr<std::string> NewStoreImage(const std::string& store_id, int64_t created_at_ms);

// Whose file it is, its version, its tables, each page, and the journal mode. See OpenSqlite for the failures.
absl::Status CheckStore(const std::string& path, Connection* connection);

}  // namespace st::state

#endif  // ST_LIB_STATE_SQLITE_SCHEMA_H_
