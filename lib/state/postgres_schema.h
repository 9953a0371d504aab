// The tables of version 1 in a schema of a database: made, and looked at before they are believed. For this library's
// own files.
#ifndef ST_LIB_STATE_POSTGRES_SCHEMA_H_
#define ST_LIB_STATE_POSTGRES_SCHEMA_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/state/postgres_connection.h"

namespace st::state {

// InvalidArgument unless it is [a-z_][a-z0-9_]*, up to 63 bytes.
absl::Status CheckSchemaName(const std::string& schema);

// False: there is no store in it. Else its version, tables, triggers and functions. See OpenPostgres for the failures.
absl::StatusOr<bool> CheckSchema(PgConnection* connection, const std::string& schema);

// In one transaction, unless another process was first. A schema that is there must be empty.
absl::Status MakeSchema(PgConnection* connection, const std::string& schema);

}  // namespace st::state

#endif  // ST_LIB_STATE_POSTGRES_SCHEMA_H_
