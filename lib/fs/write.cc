#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "lib/base/id.h"
#include "lib/fs/descriptor.h"
#include "lib/fs/file.h"

namespace st::fs {
namespace {

// 0, or errno.
int WriteBytes(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

// A temporary file beside the one to be written; removed unless it got its name.
class Temporary {
 public:
  Temporary(int folder, std::string name) : folder_(folder), name_(std::move(name)) {}
  ~Temporary() {
    if (there_) (void)unlinkat(folder_, name_.c_str(), 0);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  const char* name() const { return name_.c_str(); }

  // All of it on disk under the temporary name. 0, or errno; `what` says where it failed.
  int Fill(std::string_view bytes, int mode, std::string_view* what) {
    *what = "make a temporary file beside it";
    Descriptor file(openat(folder_, name(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file.ok()) return errno;
    there_ = true;
    *what = "write";
    if (int error = WriteBytes(file.get(), bytes)) return error;
    *what = "set its mode";
    if (fchmod(file.get(), static_cast<mode_t>(mode)) != 0) return errno;
    *what = "sync";
    if (fsync(file.get()) != 0) return errno;
    *what = "close";
    return file.Close();
  }

  void Renamed() { there_ = false; }

 private:
  int folder_;
  std::string name_;
  bool there_ = false;
};

// 0, or errno. With kRefuse by link(2): it never replaces, and works on every file system that has hard links; where
// there are none, renameat2(2) does the same.
int GiveName(int folder, Temporary* from, const char* name, Existing existing) {
  if (existing == Existing::kReplace) {
    if (renameat(folder, from->name(), folder, name) != 0) return errno;
    from->Renamed();
    return 0;
  }
  // The temporary name stays; the Temporary's destructor takes it away.
  if (linkat(folder, from->name(), folder, name, 0) == 0) return 0;
  if (errno != EPERM && errno != EOPNOTSUPP) return errno;
  if (renameat2(folder, from->name(), folder, name, RENAME_NOREPLACE) != 0) return errno;
  from->Renamed();
  return 0;
}

// What is at the path may be replaced: nothing, or a regular file. A race after this look is harmless: rename(2)
// replaces a link, and never writes through it.
absl::Status CheckTarget(int folder, const std::string& path, const char* name, Existing existing) {
  struct stat status {};
  if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? absl::OkStatus() : SystemError(errno, path, "look at it");
  }
  if (existing == Existing::kRefuse) return SystemError(EEXIST, path, "write");
  if (S_ISLNK(status.st_mode)) return SystemError(ELOOP, path, "write through it");
  if (S_ISDIR(status.st_mode)) return SystemError(EISDIR, path, "write");
  if (!S_ISREG(status.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": a device, socket or pipe is there; name a file"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteAll(int fd, std::string_view bytes) {
  const int error = WriteBytes(fd, bytes);
  if (error == 0) return absl::OkStatus();
  return SystemError(error, fd == STDOUT_FILENO ? "standard output" : absl::StrCat("descriptor ", fd), "write");
}

absl::Status WriteFileAtomically(const std::string& path, std::string_view bytes, int mode, Existing existing) {
  const std::string folder_path = Dirname(path);
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name.empty() || name == "." || name == "..") return SystemError(EISDIR, path, "write");
  const Descriptor folder(OpenRetrying(folder_path.c_str(), O_RDONLY | O_DIRECTORY));
  if (!folder.ok()) return SystemError(errno, folder_path, "open the folder");
  if (absl::Status ok = CheckTarget(folder.get(), path, name.c_str(), existing); !ok.ok()) return ok;

  // Named by chance and not by the target, whose name may already have the longest allowed length.
  Temporary temporary(folder.get(), absl::StrCat(".st-", base::NewUuid()));
  std::string_view what;
  if (int error = temporary.Fill(bytes, mode, &what)) return SystemError(error, path, what);
  if (int error = GiveName(folder.get(), &temporary, name.c_str(), existing)) {
    return SystemError(error, path, "give the written file its name");
  }
  if (fsync(folder.get()) != 0) return SystemError(errno, folder_path, "sync the folder");
  return absl::OkStatus();
}

}  // namespace st::fs
