// Where a SQLite store and its locks are, how its file is made, and how it is opened and checked. For this library's
// own files.
#ifndef ST_LIB_STATE_SQLITE_PLACE_H_
#define ST_LIB_STATE_SQLITE_PLACE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/fs/file.h"
#include "lib/state/sqlite_connection.h"

namespace st::state {

class SqlitePlace {
 public:
  // Absolute, with the links of the folders in it followed as far as they exist. The file itself is not followed.
  static absl::StatusOr<SqlitePlace> Of(const std::string& path);

  const std::string& path() const { return path_; }

  // Folder and file, when the file is missing. Another process may do the same at the same time: one file wins.
  absl::Status MakeIfMissing() const;

  // Checked (sqlite_schema.h). NotFound when there is no file.
  absl::StatusOr<std::unique_ptr<Connection>> Connect(bool writable) const;

  // The lock of one address: <path>.locks/<address>, what is not [A-Za-z0-9_.-] written as %XX.
  absl::StatusOr<fs::FileLock> Lock(const std::string& address) const;
  // Who has it now and since when; empty: nobody. Does not touch it.
  absl::StatusOr<std::string> Holder(const std::string& address) const;

 private:
  explicit SqlitePlace(std::string path);
  absl::Status CheckFile() const;
  void RollBackLeftovers() const;

  std::string path_;
};

}  // namespace st::state

#endif  // ST_LIB_STATE_SQLITE_PLACE_H_
