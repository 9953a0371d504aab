#include "lib/state/sqlite_connection.h"

#include <sqlite3.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"

namespace st::state {
namespace {

// Another process's transaction takes milliseconds; one that takes longer is stopped or stuck.
constexpr int kBusyTimeoutMs = 5000;

struct Meaning {
  absl::StatusCode code;
  std::string_view words;
};

Meaning MeaningOf(int extended, int system_error) {
  using enum absl::StatusCode;
  if (system_error == ENOSPC || system_error == EDQUOT) return {kUnavailable, "the disk is full; make room"};
  if (extended == SQLITE_READONLY_ROLLBACK) {
    return {kFailedPrecondition,
            "a killed process left a write half done, and it cannot be undone without the right to write here"};
  }
  switch (extended & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {kUnavailable, "another process is using it; try again"};
    case SQLITE_FULL:
      return {kUnavailable, "the disk is full; make room"};
    case SQLITE_CORRUPT:
      return {kDataLoss, "the state file is damaged; restore it from a copy"};
    case SQLITE_NOTADB:
      return {kDataLoss, "this is not a state file, or its start is damaged"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {kFailedPrecondition, "it cannot be written; check its mode and how the file system is mounted"};
    case SQLITE_CANTOPEN:
      if (extended == SQLITE_CANTOPEN_SYMLINK) return {kFailedPrecondition, "it is a symbolic link; name the file"};
      if (system_error == EROFS) return {kUnavailable, "the file system is mounted read-only"};
      if (system_error == EACCES) {
        return {kFailedPrecondition, "it cannot be opened; check its mode and how the file system is mounted"};
      }
      return {kUnavailable, "it cannot be opened"};
    case SQLITE_IOERR:
      return {kUnavailable, "the file system failed"};
    case SQLITE_NOMEM:
      return {kResourceExhausted, "out of memory"};
    case SQLITE_TOOBIG:
      return {kInvalidArgument, "too large for the state store"};
    default:
      return {kInternal, "the store refused a step of its own"};
  }
}

absl::Status ErrorOf(sqlite3* handle, const std::string& path, std::string_view what) {
  const Meaning meaning = MeaningOf(sqlite3_extended_errcode(handle), sqlite3_system_errno(handle));
  return absl::Status(meaning.code, absl::StrCat(path, ": cannot ", what, ": ", meaning.words,
                                                 " (SQLite: ", sqlite3_errmsg(handle), ")"));
}

absl::StatusOr<sqlite3*> OpenHandle(const std::string& path, int flags) {
  sqlite3* handle = nullptr;
  if (sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_EXRESCODE, nullptr) == SQLITE_OK) return handle;
  absl::Status error = handle == nullptr ? absl::ResourceExhaustedError(absl::StrCat(path, ": out of memory"))
                                         : ErrorOf(handle, path, "open the state store");
  (void)sqlite3_close(handle);
  return error;
}

}  // namespace

Connection::Connection(sqlite3* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

// Statements end before their connection does, so this cannot be refused; an open transaction is rolled back.
Connection::~Connection() { (void)sqlite3_close(handle_); }

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const std::string& path, bool writable) {
  const int flags = writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  absl::StatusOr<sqlite3*> handle = OpenHandle(path, flags | SQLITE_OPEN_NOFOLLOW);
  if (!handle.ok()) return handle.status();
  std::unique_ptr<Connection> connection(new Connection(*handle, path));
  if (sqlite3_busy_timeout(*handle, kBusyTimeoutMs) != SQLITE_OK ||
      sqlite3_db_config(*handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr) != SQLITE_OK) {
    return connection->Error("set up the connection");
  }
  absl::Status set = connection->Execute(
      "PRAGMA trusted_schema=OFF; PRAGMA foreign_keys=ON; PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY;"
      "PRAGMA synchronous=EXTRA");
  if (!set.ok()) return set;
  return connection;
}

absl::StatusOr<std::unique_ptr<Connection>> Connection::OpenInMemory() {
  absl::StatusOr<sqlite3*> handle = OpenHandle(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY);
  if (!handle.ok()) return handle.status();
  return std::unique_ptr<Connection>(new Connection(*handle, ":memory:"));
}

absl::Status Connection::Execute(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return Error("use the state store");
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Connection::QueryInteger(const std::string& sql) {
  Statement statement(this, sql);
  absl::StatusOr<bool> row = statement.Step();
  if (!row.ok()) return row.status();
  if (!*row) return absl::DataLossError(absl::StrCat(path_, ": the state file is damaged; restore it from a copy"));
  return static_cast<int64_t>(statement.IntegerAt(0));
}

absl::StatusOr<std::string> Connection::QueryText(const std::string& sql) {
  Statement statement(this, sql);
  absl::StatusOr<bool> row = statement.Step();
  if (!row.ok()) return row.status();
  if (!*row) return absl::DataLossError(absl::StrCat(path_, ": the state file is damaged; restore it from a copy"));
  return statement.BytesAt(0);
}

bool Connection::writable() const { return sqlite3_db_readonly(handle_, "main") == 0; }

absl::StatusOr<std::string> Connection::Serialize() {
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(handle_, "main", &size, 0);
  if (bytes == nullptr) return absl::ResourceExhaustedError("out of memory for a new state store");
  std::string image(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  sqlite3_free(bytes);
  return image;
}

absl::Status Connection::Error(std::string_view what) const { return ErrorOf(handle_, path_, what); }

Statement::Statement(Connection* connection, std::string_view sql) : connection_(connection) {
  if (sqlite3_prepare_v2(connection_->handle_, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr) !=
      SQLITE_OK) {
    error_ = connection_->Error("use the state store");
  }
}

// The result repeats the last Step's error, which was seen there.
Statement::~Statement() { (void)sqlite3_finalize(statement_); }

Statement& Statement::Integer(uint64_t value) {
  if (error_.ok() && sqlite3_bind_int64(statement_, next_++, static_cast<sqlite3_int64>(value)) != SQLITE_OK) {
    error_ = connection_->Error("use the state store");
  }
  return *this;
}

Statement& Statement::Text(std::string_view value) {
  if (error_.ok() && sqlite3_bind_text64(statement_, next_++, value.empty() ? "" : value.data(), value.size(),
                                         SQLITE_TRANSIENT, SQLITE_UTF8) != SQLITE_OK) {
    error_ = connection_->Error("use the state store");
  }
  return *this;
}

Statement& Statement::TextOrNull(std::string_view value) {
  if (!value.empty()) return Text(value);
  if (error_.ok() && sqlite3_bind_null(statement_, next_++) != SQLITE_OK) {
    error_ = connection_->Error("use the state store");
  }
  return *this;
}

Statement& Statement::Blob(std::string_view value) {
  // A null pointer would bind NULL.
  if (error_.ok() && sqlite3_bind_blob64(statement_, next_++, value.empty() ? "" : value.data(), value.size(),
                                         SQLITE_TRANSIENT) != SQLITE_OK) {
    error_ = connection_->Error("use the state store");
  }
  return *this;
}

absl::StatusOr<bool> Statement::Step() {
  if (!error_.ok()) return error_;
  const int result = sqlite3_step(statement_);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  return connection_->Error("use the state store");
}

absl::Status Statement::Run() {
  for (;;) {
    absl::StatusOr<bool> row = Step();
    if (!row.ok()) return row.status();
    if (!*row) return absl::OkStatus();
  }
}

uint64_t Statement::IntegerAt(int column) const {
  return static_cast<uint64_t>(sqlite3_column_int64(statement_, column));
}

std::string Statement::BytesAt(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), static_cast<size_t>(size));
}

}  // namespace st::state
