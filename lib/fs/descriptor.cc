#include "lib/fs/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace st::fs {
namespace {

struct Meaning {
  absl::StatusCode code;
  std::string_view way_out;
};

Meaning MeaningOf(int error) {
  using enum absl::StatusCode;
  switch (error) {
    case ENOENT:
      return {kNotFound, "check the path"};
    case EEXIST:
      return {kAlreadyExists, "choose another path, or remove it first"};
    case EACCES:
    case EPERM:
      return {kPermissionDenied, "check who owns it and its mode"};
    case EROFS:
      return {kUnavailable, "the file system is mounted read-only: choose another place"};
    case ENOSPC:
    case EDQUOT:
      return {kUnavailable, "make room on that file system and try again"};
    case EFBIG:
      return {kUnavailable, "raise the limit on file sizes (ulimit -f) and try again"};
    case ENOTDIR:
      return {kFailedPrecondition, "a part of the path is a file, not a folder"};
    case EISDIR:
      return {kFailedPrecondition, "name a file, not a folder"};
    case ELOOP:
      return {kFailedPrecondition, "it is a symbolic link: name the file itself"};
    case ENAMETOOLONG:
      return {kInvalidArgument, "choose a shorter path"};
    case EMFILE:
    case ENFILE:
      return {kUnavailable, "raise the limit on open files (ulimit -n) and try again"};
    case EPIPE:
      return {kUnavailable, "the reader at the other end went away"};
    default:
      return {kUnavailable, ""};
  }
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) (void)close(fd_);
}

int Descriptor::Release() { return std::exchange(fd_, -1); }

int Descriptor::Close() {
  // Linux has closed the descriptor even when it says EINTR: never try again.
  return close(Release()) == 0 || errno == EINTR ? 0 : errno;
}

absl::Status SystemError(int error, std::string_view path, std::string_view what) {
  const Meaning meaning = MeaningOf(error);
  std::string text = absl::StrCat(path, ": cannot ", what, ": ", std::generic_category().message(error));
  if (!meaning.way_out.empty()) absl::StrAppend(&text, "; ", meaning.way_out);
  return absl::Status(meaning.code, text);
}

int OpenRetrying(const char* path, int flags, int mode) {
  int fd = -1;
  do {
    fd = open(path, flags | O_CLOEXEC, mode);  // NOLINT(cppcoreguidelines-pro-type-vararg): that is open(2)
  } while (fd < 0 && errno == EINTR);
  return fd;
}

}  // namespace st::fs
