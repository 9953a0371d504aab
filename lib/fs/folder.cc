#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>

#include "absl/strings/str_cat.h"
#include "lib/fs/descriptor.h"
#include "lib/fs/file.h"

namespace st::fs {
namespace {

bool IsFolder(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

absl::Status MakeFolder(const std::string& path, int mode) {
  if (mkdir(path.c_str(), static_cast<mode_t>(mode)) != 0) {
    const int error = errno;
    // Another process may have made it just now.
    if (error == EEXIST && IsFolder(path)) return absl::OkStatus();
    if (error == EEXIST) return SystemError(ENOTDIR, path, "make the folder");
    return SystemError(error, path, "make the folder");
  }
  // mkdir obeys the umask.
  if (chmod(path.c_str(), static_cast<mode_t>(mode)) != 0) return SystemError(errno, path, "set its mode");
  return SyncFolder(Dirname(path));
}

}  // namespace

absl::Status MakeFolders(const std::string& path, int mode) {
  if (path.empty()) return SystemError(ENOENT, path, "make the folder");
  for (size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
    if (path[end - 1] == '/') continue;
    const std::string part = path.substr(0, end);
    if (IsFolder(part)) continue;
    if (absl::Status made = MakeFolder(part, mode); !made.ok()) return made;
  }
  if (IsFolder(path)) return absl::OkStatus();
  return MakeFolder(path, mode);
}

absl::Status SyncFolder(const std::string& path) {
  const Descriptor folder(OpenRetrying(path.c_str(), O_RDONLY | O_DIRECTORY));
  if (!folder.ok()) return SystemError(errno, path, "open the folder");
  if (fsync(folder.get()) != 0) return SystemError(errno, path, "sync the folder");
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> ListFolder(const std::string& path) {
  struct Closer {
    void operator()(DIR* folder) const { (void)closedir(folder); }
  };
  const std::unique_ptr<DIR, Closer> folder(opendir(path.c_str()));
  if (folder == nullptr) return SystemError(errno, path, "open the folder");
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(folder.get());  // NOLINT(concurrency-mt-unsafe): a DIR of our own
    if (entry == nullptr && errno != 0) return SystemError(errno, path, "list the folder");
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string Dirname(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  path = path.substr(0, slash);
  while (!path.empty() && path.back() == '/') path.remove_suffix(1);
  return path.empty() ? "/" : std::string(path);
}

std::string JoinPath(std::string_view a, std::string_view b) {
  while (!b.empty() && b.front() == '/') b.remove_prefix(1);
  if (a.empty()) return std::string(b);
  if (b.empty()) return std::string(a);
  return absl::StrCat(a, a.back() == '/' ? "" : "/", b);
}

absl::StatusOr<std::string> RealPath(const std::string& path) {
  struct Freer {
    void operator()(char* text) const { std::free(text); }
  };
  const std::unique_ptr<char, Freer> real(realpath(path.c_str(), nullptr));
  if (real == nullptr) return SystemError(errno, path, "follow it");
  return std::string(real.get());
}

}  // namespace st::fs
