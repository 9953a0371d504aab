#include "lib/host/proc.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/fs/file.h"

namespace st::host {
namespace {

constexpr size_t kMaxProcFile = size_t{16} << 20;

std::string ProcPath(pid_t pid, std::string_view what) { return absl::StrCat("/proc/", pid, "/", what); }

bool SameFile(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

// One of its open files is this one. False also when we may not look.
bool HasOpen(pid_t pid, const struct stat& file) {
  const std::string folder = ProcPath(pid, "fd");
  absl::StatusOr<std::vector<std::string>> descriptors = fs::ListFolder(folder);
  if (!descriptors.ok()) return false;
  for (const std::string& descriptor : *descriptors) {
    struct stat open {};
    if (stat(fs::JoinPath(folder, descriptor).c_str(), &open) == 0 && SameFile(open, file)) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<std::string> BootId() {
  absl::StatusOr<std::string> id = fs::ReadFile("/proc/sys/kernel/random/boot_id", kMaxProcFile);
  if (!id.ok()) return id;
  return std::string(absl::StripAsciiWhitespace(*id));
}

absl::StatusOr<uint64_t> StartTimeTicks(pid_t pid) {
  // proc(5): field 3 is the state, 22 the start time. The second, the name in parentheses, may hold anything.
  constexpr size_t kState = 3 - 3;
  constexpr size_t kStartTime = 22 - 3;
  absl::StatusOr<std::string> text = fs::ReadFile(ProcPath(pid, "stat"), kMaxProcFile);
  if (!text.ok()) {
    // Reading the file of a process that ends meanwhile gives ESRCH.
    if (kill(pid, 0) != 0 && errno == ESRCH) return absl::NotFoundError(absl::StrCat("no process ", pid));
    return text.status();
  }
  const size_t name_end = text->rfind(')');
  std::vector<std::string_view> fields;
  if (name_end != std::string::npos) {
    fields = absl::StrSplit(std::string_view(*text).substr(name_end + 1), ' ', absl::SkipWhitespace());
  }
  uint64_t ticks = 0;
  if (fields.size() <= kStartTime || !absl::SimpleAtoi(fields[kStartTime], &ticks)) {
    return absl::UnavailableError(absl::StrCat(ProcPath(pid, "stat"), ": has another form than proc(5) says"));
  }
  if (fields[kState] == "Z" || fields[kState] == "X") {
    return absl::NotFoundError(absl::StrCat("process ", pid, " has ended"));
  }
  return ticks;
}

std::optional<bool> Executes(pid_t pid, const std::string& path) {
  struct stat executed {};
  if (stat(ProcPath(pid, "exe").c_str(), &executed) != 0) return std::nullopt;
  struct stat named {};
  return stat(path.c_str(), &named) == 0 && SameFile(executed, named);
}

std::string ExecutableOf(pid_t pid) {
  std::array<char, 4096> path{};
  const ssize_t size = readlink(ProcPath(pid, "exe").c_str(), path.data(), path.size());
  return size <= 0 ? std::string() : std::string(path.data(), static_cast<size_t>(size));
}

std::optional<std::string> VariableOf(pid_t pid, std::string_view name) {
  absl::StatusOr<std::string> all = fs::ReadFile(ProcPath(pid, "environ"), kMaxProcFile);
  if (!all.ok()) return std::nullopt;
  for (std::string_view variable : absl::StrSplit(*all, '\0')) {
    if (absl::ConsumePrefix(&variable, name) && absl::ConsumePrefix(&variable, "=")) return std::string(variable);
  }
  return std::string();
}

std::optional<pid_t> LockHolder(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return std::nullopt;
  absl::StatusOr<std::string> locks = fs::ReadFile("/proc/locks", kMaxProcFile);
  if (!locks.ok()) return std::nullopt;
  // `1: FLOCK  ADVISORY  WRITE 1234 fe:00:9987227 0 EOF`; who waits has an arrow before FLOCK. The device is that of
  // the file system, which is not always the file's (overlay, btrfs): there the holder's open files tell.
  const std::string inode = absl::StrCat(file.st_ino);
  for (std::string_view line : absl::StrSplit(*locks, '\n')) {
    const std::vector<std::string_view> fields = absl::StrSplit(line, ' ', absl::SkipWhitespace());
    if (fields.size() < 6 || fields[1] != "FLOCK") continue;
    const std::vector<std::string_view> place = absl::StrSplit(fields[5], ':');
    int pid = 0;
    if (place.size() != 3 || place[2] != inode || !absl::SimpleAtoi(fields[4], &pid)) continue;
    uint32_t major_number = 0;
    uint32_t minor_number = 0;
    const bool same_device = absl::SimpleHexAtoi(place[0], &major_number) &&
                             absl::SimpleHexAtoi(place[1], &minor_number) &&
                             makedev(major_number, minor_number) == file.st_dev;
    if (same_device || (pid > 0 && HasOpen(pid, file))) return pid > 0 ? pid : 0;
  }
  return std::nullopt;
}

}  // namespace st::host
