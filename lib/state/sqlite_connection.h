// One connection to a SQLite file, and statements on it. For this library's own files. One thread at a time.
#ifndef ST_LIB_STATE_SQLITE_CONNECTION_H_
#define ST_LIB_STATE_SQLITE_CONNECTION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

struct sqlite3;
struct sqlite3_stmt;

namespace st::state {

// Rolls back and closes when it goes out of scope. After any error it should not be used again: a new connection
// finds out what is in the file.
class Connection {
 public:
  // The file must exist. Never through a symbolic link, in no part of `path`. Waits up to five seconds for others'
  // transactions. Sets what a store relies on: synchronous=EXTRA, foreign keys, no trust in the file's own schema.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const std::string& path, bool writable);
  // An empty database in memory.
  static absl::StatusOr<std::unique_ptr<Connection>> OpenInMemory();
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // One or more statements without parameters; rows are dropped.
  absl::Status Execute(const std::string& sql);
  // The first column of the first row. DataLoss when there is no row.
  absl::StatusOr<int64_t> QueryInteger(const std::string& sql);
  absl::StatusOr<std::string> QueryText(const std::string& sql);

  const std::string& path() const { return path_; }
  // False also when a connection was opened for writing and the file or its file system does not allow it.
  bool writable() const;

  // The database's bytes, as they would stand in a file.
  absl::StatusOr<std::string> Serialize();

  // `<path>: <what it means>: <SQLite's words>`. Busy, a full disk, I/O errors and a file that cannot be made on a
  // read-only mount: Unavailable; damage: DataLoss; opened to read: FailedPrecondition; anything else is a fault of
  // ours: Internal.
  absl::Status Error(std::string_view what) const;

 private:
  friend class Statement;
  Connection(sqlite3* handle, std::string path);

  sqlite3* handle_;
  std::string path_;
};

// Bind in order, then Step; an error of a bind shows in Step.
class Statement {
 public:
  Statement(Connection* connection, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& Integer(uint64_t value);
  Statement& Text(std::string_view value);
  // Empty binds NULL.
  Statement& TextOrNull(std::string_view value);
  Statement& Blob(std::string_view value);

  // True: there is a row to read.
  absl::StatusOr<bool> Step();
  // Steps to the end.
  absl::Status Run();

  // Columns count from 0. NULL reads as 0 and as empty.
  uint64_t IntegerAt(int column) const;
  std::string BytesAt(int column) const;

 private:
  Connection* connection_;
  sqlite3_stmt* statement_ = nullptr;
  int next_ = 1;
  absl::Status error_;
};

}  // namespace st::state

#endif  // ST_LIB_STATE_SQLITE_CONNECTION_H_
