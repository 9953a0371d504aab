// What a session asks of the server, and the look at a server before it is believed. For this library's own files.
#ifndef ST_LIB_STATE_POSTGRES_SETTINGS_H_
#define ST_LIB_STATE_POSTGRES_SETTINGS_H_

#include <string>

#include "absl/status/status.h"
#include "lib/state/access.h"

namespace st::state {

class PgConnection;

// Settings as libpq's `options`: limits of time, so that nothing hangs, and no search path.
std::string SessionOptions();

// Encryption, version, poolers in between, and, for who writes, that an answered write cannot be lost. See
// OpenPostgres.
absl::Status CheckServer(PgConnection* connection, bool plain_by_name, Access access);

}  // namespace st::state

#endif  // ST_LIB_STATE_POSTGRES_SETTINGS_H_
