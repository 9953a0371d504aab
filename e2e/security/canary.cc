#include "e2e/security/canary.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/log/absl_check.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace st::e2e {
namespace {

namespace files = std::filesystem;

// Shorter lines of a key may stand in other texts.
constexpr size_t kLeastLine = 16;

std::string Slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

}  // namespace

Canary::Canary(const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    if (!absl::StrContains(secret, "\n")) {
      secrets_.push_back(secret);
      continue;
    }
    for (const std::string_view line : absl::StrSplit(secret, '\n')) {
      if (line.size() >= kLeastLine && !absl::StrContains(line, "-----")) secrets_.emplace_back(line);
    }
  }
  ABSL_CHECK(!secrets_.empty());
}

bool Canary::Holds(std::string_view text) const {
  return std::any_of(secrets_.begin(), secrets_.end(),
                     [&](const std::string& secret) { return absl::StrContains(text, secret); });
}

size_t Canary::LookAt(const std::string& name, std::string_view text) {
  if (Holds(text)) found_.push_back(name);
  return text.size();
}

size_t Canary::LookInFolder(const std::string& folder) {
  size_t bytes = 0;
  for (const auto& entry : files::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string path = entry.path().string(), name = entry.path().filename().string();
    const std::string text = Slurp(path);
    bytes += text.size();
    if (!Holds(text)) continue;
    struct stat status {};
    ABSL_CHECK_EQ(lstat(path.c_str(), &status), 0) << path;
    const bool may = absl::StrContains(path, "/generations/") && (name == "client.properties" || name == "key.pem") &&
                     (status.st_mode & 07777) == 0600;
    (may ? kept_ : found_).push_back(path);
  }
  return bytes;
}

size_t Canary::LookAtProcess(pid_t pid) {
  size_t bytes = 0;
  for (const char* part : {"environ", "cmdline"}) {
    const std::string path = absl::StrCat("/proc/", pid, "/", part);
    bytes += LookAt(path, Slurp(path));
  }
  return bytes;
}

size_t Canary::LookAtCommandLines() {
  size_t bytes = 0;
  for (const auto& entry : files::directory_iterator("/proc")) {
    int pid = 0;
    if (!absl::SimpleAtoi(entry.path().filename().string(), &pid)) continue;
    bytes += LookAt(entry.path().string(), Slurp(entry.path().string() + "/cmdline"));
  }
  return bytes;
}

}  // namespace st::e2e
