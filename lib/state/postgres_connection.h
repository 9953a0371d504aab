// One session with a PostgreSQL server, and statements on it. For this library's own files. One thread at a time.
#ifndef ST_LIB_STATE_POSTGRES_CONNECTION_H_
#define ST_LIB_STATE_POSTGRES_CONNECTION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/state/postgres_dsn.h"

struct pg_conn;
struct pg_result;

namespace st::state {

// A parameter: text, or bytes for a bytea; a NULL where a text may be missing.
class SqlValue {
 public:
  static SqlValue Bytes(std::string_view value) { return SqlValue(std::string(value), true, false); }
  static SqlValue TextOrNull(std::string_view value) { return SqlValue(std::string(value), false, value.empty()); }
  SqlValue(std::string text) : SqlValue(std::move(text), false, false) {}        // NOLINT: a list of values reads well
  SqlValue(uint64_t number) : SqlValue(std::to_string(number), false, false) {}  // NOLINT
  SqlValue(int64_t number) : SqlValue(std::to_string(number), false, false) {}   // NOLINT

  const std::string& value() const { return value_; }
  bool binary() const { return binary_; }
  bool null() const { return null_; }

 private:
  SqlValue(std::string value, bool binary, bool null) : value_(std::move(value)), binary_(binary), null_(null) {}
  std::string value_;
  bool binary_;
  bool null_;
};

// The rows of an answer. Rows and columns count from 0. NULL reads as 0 and as empty.
class Rows {
 public:
  explicit Rows(pg_result* result);
  int size() const;
  uint64_t Integer(int row, int column) const;
  std::string Text(int row, int column) const;
  std::string Bytes(int row, int column) const;  // of a bytea
  bool Bool(int row, int column) const;
  // `INSERT 0 1`, `COMMIT`, ...
  std::string_view tag() const;

 private:
  std::unique_ptr<pg_result, void (*)(pg_result*)> result_;
};

class PgConnection {
 public:
  // `application` is what the server's administrators see. Every answer has a time limit, of this one and of the
  // server's. Unavailable, or FailedPrecondition when the server says no.
  static absl::StatusOr<std::unique_ptr<PgConnection>> Open(const Dsn& dsn, const std::string& application);
  ~PgConnection();
  PgConnection(const PgConnection&) = delete;
  PgConnection& operator=(const PgConnection&) = delete;

  // One statement.
  absl::StatusOr<Rows> Run(const std::string& sql, const std::vector<SqlValue>& values = {});

  // False after an answer did not come or the session ended: nothing more can be asked.
  bool alive() const { return alive_; }
  // `host:port/database`, as connected.
  const std::string& where() const { return where_; }
  // Of the server's process, as it was told when the session began.
  int backend_pid() const;
  int server_version() const;
  bool encrypted() const;
  bool local_socket() const;

 private:
  explicit PgConnection(pg_conn* handle) : handle_(handle) {}
  absl::Status Connect(int64_t deadline);
  // Until the socket is ready. False when the time is over.
  bool Await(bool write, int64_t deadline) const;
  absl::StatusOr<pg_result*> Answer(int64_t deadline);
  absl::Status Ended(std::string_view what);

  pg_conn* handle_;
  std::string where_;
  bool alive_ = true;
};

}  // namespace st::state

#endif  // ST_LIB_STATE_POSTGRES_CONNECTION_H_
