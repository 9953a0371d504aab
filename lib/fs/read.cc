#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"
#include "lib/fs/descriptor.h"
#include "lib/fs/file.h"

namespace st::fs {
namespace {

constexpr size_t kPiece = size_t{64} << 10;

// Non-blocking, so that a pipe without a writer is refused and not waited for.
absl::StatusOr<int> OpenRegular(const std::string& path, size_t* size) {
  Descriptor file(OpenRetrying(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY));
  if (!file.ok()) return SystemError(errno, path, "open");
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return SystemError(errno, path, "look at it");
  if (S_ISDIR(status.st_mode)) return SystemError(EISDIR, path, "read");
  if (!S_ISREG(status.st_mode)) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": not a regular file but a device, socket or pipe; name a file"));
  }
  *size = static_cast<size_t>(status.st_size);
  return file.Release();
}

absl::Status TooLarge(std::string_view name, size_t max_bytes) {
  return absl::ResourceExhaustedError(
      absl::StrCat(name, ": larger than the limit of ", max_bytes, " bytes; is it the right file?"));
}

// Bytes read, 0 at the end, -1 and errno.
ssize_t ReadSome(int fd, char* into, size_t size) {
  ssize_t got = 0;
  do {
    got = read(fd, into, size);
  } while (got < 0 && errno == EINTR);
  return got;
}

absl::StatusOr<std::string> ReadUpTo(int fd, std::string_view name, size_t expected, size_t max_bytes) {
  std::string bytes;
  // One more than the expected size, so that the end is seen without growing.
  size_t room = std::min(expected, max_bytes) + 1;
  size_t filled = 0;
  for (;;) {
    bytes.resize(filled + room);
    const ssize_t got = ReadSome(fd, bytes.data() + filled, room);
    if (got < 0) return SystemError(errno, name, "read");
    if (got == 0) break;
    filled += static_cast<size_t>(got);
    if (filled > max_bytes) return TooLarge(name, max_bytes);
    room = filled + room > bytes.size() ? std::max(kPiece, filled) : bytes.size() - filled;
    room = std::min(room, max_bytes - filled + 1);
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes) {
  size_t size = 0;
  absl::StatusOr<int> opened = OpenRegular(path, &size);
  if (!opened.ok()) return opened.status();
  const Descriptor file(*opened);
  if (size > max_bytes) return TooLarge(path, max_bytes);
  return ReadUpTo(file.get(), path, size, max_bytes);
}

absl::StatusOr<std::string> ReadAll(int fd, size_t max_bytes) {
  const std::string name = fd == STDIN_FILENO ? "standard input" : absl::StrCat("descriptor ", fd);
  return ReadUpTo(fd, name, kPiece, max_bytes);
}

absl::StatusOr<std::string> FileSha256(const std::string& path) {
  size_t size = 0;
  absl::StatusOr<int> opened = OpenRegular(path, &size);
  if (!opened.ok()) return opened.status();
  const Descriptor file(*opened);
  base::Sha256 sha;
  std::vector<char> piece(kPiece);
  for (;;) {
    const ssize_t got = ReadSome(file.get(), piece.data(), piece.size());
    if (got < 0) return SystemError(errno, path, "read");
    if (got == 0) return sha.Hex();
    sha.Update({piece.data(), static_cast<size_t>(got)});
  }
}

}  // namespace st::fs
