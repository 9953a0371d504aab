#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "lib/base/clock.h"
#include "lib/base/id.h"
#include "lib/fs/descriptor.h"
#include "lib/fs/file.h"

namespace st::fs {
namespace {

constexpr size_t kMaxLocks = 64 << 20;

// One line of the file: who wrote it there last. For people; a process that does not get the lock reads it.
std::string Holder(int fd) {
  std::array<char, 200> bytes{};
  const ssize_t got = pread(fd, bytes.data(), bytes.size(), 0);
  if (got <= 0) return "another process";
  std::string text(bytes.data(), static_cast<size_t>(got));
  text.resize(text.find_first_of(std::string_view("\n\0", 2)) == std::string::npos
                  ? text.size()
                  : text.find_first_of(std::string_view("\n\0", 2)));
  for (char c : text) {
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) return "another process";
  }
  return text.empty() ? "another process" : text;
}

// The name of the holder is a help, not a promise: a full disk does not stop the lock.
void SayWho(int fd) {
  const std::string who = absl::StrCat("process ", getpid(), " of ", base::WhoAmI(), " since ",
                                       base::FormatRfc3339(base::RealClock().NowMs()).text, "\n");
  if (ftruncate(fd, 0) == 0) (void)!pwrite(fd, who.data(), who.size(), 0);
}

bool SameFile(int fd, const std::string& path) {
  struct stat locked {};
  struct stat named {};
  return fstat(fd, &locked) == 0 && lstat(path.c_str(), &named) == 0 && locked.st_dev == named.st_dev &&
         locked.st_ino == named.st_ino;
}

}  // namespace

absl::StatusOr<FileLock> FileLock::TryAcquire(const std::string& path) {
  // Again when the file was taken away between open and flock: a lock on a file without its name keeps nobody out.
  for (int attempt = 0; attempt < 10; ++attempt) {
    Descriptor file(OpenRetrying(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600));
    if (!file.ok()) return SystemError(errno, path, "open the lock file");
    struct stat status {};
    if (fstat(file.get(), &status) != 0) return SystemError(errno, path, "look at the lock file");
    if (!S_ISREG(status.st_mode)) return absl::FailedPreconditionError(absl::StrCat(path, ": not a regular file"));
    int result = 0;
    do {
      result = flock(file.get(), LOCK_EX | LOCK_NB);
    } while (result != 0 && errno == EINTR);
    if (result != 0 && errno == EWOULDBLOCK) {
      return absl::AbortedError(
          absl::StrCat(path, ": locked by ", Holder(file.get()), "; wait until it ends and try again"));
    }
    if (result != 0) return SystemError(errno, path, "lock");
    if (!SameFile(file.get(), path)) continue;
    // open obeys the umask.
    if ((status.st_mode & 07777) != 0600 && fchmod(file.get(), 0600) != 0) {
      return SystemError(errno, path, "set the mode of the lock file");
    }
    SayWho(file.get());
    return FileLock(file.Release(), path);
  }
  return absl::UnavailableError(
      absl::StrCat(path, ": the lock file is being replaced again and again; who does that?"));
}

FileLock::FileLock(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}

FileLock::FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  return *this;
}

FileLock::~FileLock() {
  // Closing ends the lock: the descriptor is ours alone (O_CLOEXEC, never duplicated).
  if (fd_ >= 0) (void)close(fd_);
}

bool FileLock::StillHeld() const { return fd_ >= 0 && SameFile(fd_, path_); }

absl::StatusOr<std::string> LockHolder(const std::string& path) {
  Descriptor file(OpenRetrying(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0));
  if (!file.ok() && errno == ENOENT) return std::string();
  if (!file.ok()) return SystemError(errno, path, "open the lock file");
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return SystemError(errno, path, "look at the lock file");
  absl::StatusOr<std::string> locks = ReadFile("/proc/locks", kMaxLocks);
  if (!locks.ok()) return locks.status();
  const std::string holder = Holder(file.get());
  for (std::string_view line : absl::StrSplit(*locks, '\n')) {
    // `1: FLOCK ADVISORY WRITE <pid> <major:minor, hex>:<inode> 0 EOF`; some file systems show another device there.
    const std::vector<std::string_view> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.size() < 6 || words[1] != "FLOCK" || !absl::EndsWith(words[5], absl::StrCat(":", status.st_ino)))
      continue;
    const std::string device = absl::StrFormat("%02x:%02x:", major(status.st_dev), minor(status.st_dev));
    const bool same_process = absl::StrContains(holder, absl::StrCat("process ", words[4], " of "));
    if (absl::StartsWith(words[5], device) || same_process) return holder;
  }
  return std::string();
}

}  // namespace st::fs
