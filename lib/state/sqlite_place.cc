#include "lib/state/sqlite_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/clock.h"
#include "lib/base/digest.h"
#include "lib/base/id.h"
#include "lib/diag/diag.h"
#include "lib/state/sqlite_schema.h"

namespace st::state {
namespace {

constexpr size_t kMaxLockName = 200;

// A mode says no: nothing was written, and trying again would not help.
absl::Status AsRefusal(const absl::Status& status) {
  if (!absl::IsPermissionDenied(status)) return status;
  return absl::FailedPreconditionError(status.message());
}

std::string LockName(const std::string& address) {
  std::string name;
  for (char c : address) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                       c == '-' || (c == '.' && !name.empty());
    if (plain) {
      name.push_back(c);
    } else {
      absl::StrAppendFormat(&name, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  // Names longer than a folder takes.
  return name.size() <= kMaxLockName ? name : absl::StrCat("sha256-", base::Sha256Hex(address));
}

}  // namespace

SqlitePlace::SqlitePlace(std::string path) : path_(std::move(path)) {}

absl::StatusOr<SqlitePlace> SqlitePlace::Of(const std::string& path) {
  // Documents name the place.
  if (!diag::IsUtf8(path)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the path of the state store is not UTF-8: ", diag::Visible(path, 200), "; use another folder"));
  }
  const std::filesystem::path given(path);
  if (given.filename().empty() || given.filename() == "." || given.filename() == "..") {
    return absl::FailedPreconditionError(absl::StrCat(path, ": the state store must be a file; name one"));
  }
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(given, error);
  if (error) return absl::UnavailableError(absl::StrCat(path, ": cannot find the folder: ", error.message()));
  const std::filesystem::path folder = std::filesystem::weakly_canonical(absolute.parent_path(), error);
  if (error) return absl::UnavailableError(absl::StrCat(path, ": cannot find the folder: ", error.message()));
  return SqlitePlace((folder / absolute.filename()).string());
}

absl::Status SqlitePlace::MakeIfMissing() const {
  struct stat status {};
  if (lstat(path_.c_str(), &status) == 0) return absl::OkStatus();
  if (absl::Status made = fs::MakeFolders(fs::Dirname(path_), 0700); !made.ok()) return AsRefusal(made);
  absl::StatusOr<std::string> image = NewStoreImage(base::NewUuid(), base::RealClock().NowMs());
  if (!image.ok()) return image.status();
  absl::Status written = fs::WriteFileAtomically(path_, *image, 0600, fs::Existing::kRefuse);
  return absl::IsAlreadyExists(written) ? absl::OkStatus() : AsRefusal(written);
}

absl::Status SqlitePlace::CheckFile() const {
  struct stat status {};
  if (lstat(path_.c_str(), &status) != 0) {
    if (errno == ENOENT) return absl::NotFoundError(absl::StrCat(path_, ": there is no state store"));
    const std::string words = std::generic_category().message(errno);
    if (errno == EACCES || errno == ENOTDIR) {
      return absl::FailedPreconditionError(absl::StrCat(path_, ": cannot look at the state store: ", words));
    }
    return absl::UnavailableError(absl::StrCat(path_, ": cannot look at the state store: ", words));
  }
  if (S_ISLNK(status.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat(path_, ": it is a symbolic link; name the file itself"));
  }
  if (!S_ISREG(status.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat(path_, ": it is not a regular file; name the state file"));
  }
  if (status.st_size == 0) {
    return absl::DataLossError(absl::StrCat(path_, ": the state file is empty; restore it from a copy"));
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return absl::FailedPreconditionError(absl::StrCat(path_, ": others may write it; chmod 600 it first"));
  }
  return absl::OkStatus();
}

// A killed writer leaves its journal, and a read-only connection cannot roll it back. Undoing what was never committed
// is no change. Where it fails, the read-only connection says why.
void SqlitePlace::RollBackLeftovers() const {
  struct stat status {};
  if (lstat(absl::StrCat(path_, "-journal").c_str(), &status) != 0) return;
  absl::StatusOr<std::unique_ptr<Connection>> writable = Connection::Open(path_, /*writable=*/true);
  if (writable.ok()) (void)(*writable)->QueryInteger("SELECT count(*) FROM sqlite_schema");
}

absl::StatusOr<std::unique_ptr<Connection>> SqlitePlace::Connect(bool writable) const {
  if (absl::Status fit = CheckFile(); !fit.ok()) return fit;
  if (!writable) RollBackLeftovers();
  absl::StatusOr<std::unique_ptr<Connection>> connection = Connection::Open(path_, writable);
  if (!connection.ok()) return connection;
  if (absl::Status fit = CheckStore(path_, connection->get()); !fit.ok()) return fit;
  if (writable && !(*connection)->writable()) {
    // What the system cannot do now is another answer than what this file forbids.
    const bool mount = access(path_.c_str(), W_OK) != 0 && errno == EROFS;
    return absl::Status(
        mount ? absl::StatusCode::kUnavailable : absl::StatusCode::kFailedPrecondition,
        absl::StrCat(path_, ": the state store cannot be written; check its mode and how the file system is mounted"));
  }
  return connection;
}

absl::StatusOr<fs::FileLock> SqlitePlace::Lock(const std::string& address) const {
  const std::string folder = absl::StrCat(path_, ".locks");
  if (absl::Status made = fs::MakeFolders(folder, 0700); !made.ok()) return AsRefusal(made);
  absl::StatusOr<fs::FileLock> lock = fs::FileLock::TryAcquire(fs::JoinPath(folder, LockName(address)));
  if (lock.ok()) return lock;
  return AsRefusal(
      absl::Status(lock.status().code(), absl::StrCat(address, ": cannot take its lock: ", lock.status().message())));
}

absl::StatusOr<std::string> SqlitePlace::Holder(const std::string& address) const {
  absl::StatusOr<std::string> holder = fs::LockHolder(fs::JoinPath(absl::StrCat(path_, ".locks"), LockName(address)));
  return holder.ok() ? holder : AsRefusal(holder.status());
}

}  // namespace st::state
