#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "lib/fs/file.h"

namespace st::fs {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets variables
  return value == nullptr ? "" : value;
}

std::string Home() {
  std::string home = Variable("HOME");
  if (!home.empty()) return home;
  std::vector<char> buffer(16 << 10);
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) return "/";
  return found->pw_dir;
}

}  // namespace

std::string StateFolder() {
  std::string folder = Variable("ST_STATE_DIR");
  if (!folder.empty()) return folder;
  folder = Variable("XDG_STATE_HOME");
  // The XDG specification says to ignore a relative one.
  if (!folder.empty() && folder[0] == '/') return JoinPath(folder, "st");
  return JoinPath(Home(), ".local/state/st");
}

}  // namespace st::fs
