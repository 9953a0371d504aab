#include "lib/fs/memory_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "absl/log/absl_check.h"
#include "absl/strings/str_cat.h"
#include "lib/fs/file.h"

namespace st::fs {
namespace {

bool WriteText(const char* path, std::string_view text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return close(file) == 0 && written;
}

bool Enter() {
  const uid_t uid = geteuid();
  const gid_t gid = getegid();
  if (unshare(CLONE_NEWNS) != 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || !WriteText("/proc/self/setgroups", "deny") ||
        !WriteText("/proc/self/uid_map", absl::StrCat("0 ", uid, " 1")) ||
        !WriteText("/proc/self/gid_map", absl::StrCat("0 ", gid, " 1"))) {
      return false;
    }
  }
  return mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

}  // namespace

absl::Status EnterMountNamespace() {
  if (Enter()) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "needs the right to mount: root, or user namespaces");
}

MemoryDisk::MemoryDisk(std::string folder, size_t bytes) : folder_(std::move(folder)) {
  ABSL_CHECK_OK(MakeFolders(folder_, 0700));
  ABSL_PCHECK(mount("st-test", folder_.c_str(), "tmpfs", 0, absl::StrCat("size=", bytes, ",mode=700").c_str()) == 0)
      << "cannot mount a file system in memory";
}

MemoryDisk::~MemoryDisk() { ABSL_PCHECK(umount2(folder_.c_str(), MNT_DETACH) == 0) << folder_; }

void MemoryDisk::FillBut(size_t bytes) const {
  const std::string filler = folder_ + "/filler";
  const int file = open(filler.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ABSL_PCHECK(file >= 0) << filler;
  const std::string page(4096, 'f');
  size_t size = 0;
  while (write(file, page.data(), page.size()) == static_cast<ssize_t>(page.size())) size += page.size();
  ABSL_PCHECK(errno == ENOSPC) << filler;
  ABSL_PCHECK(ftruncate(file, static_cast<off_t>(size - bytes)) == 0) << filler;
  ABSL_PCHECK(close(file) == 0) << filler;
}

void MemoryDisk::Free() const { ABSL_PCHECK(unlink((folder_ + "/filler").c_str()) == 0) << folder_; }

void MemoryDisk::SetReadOnly(bool on) const {
  ABSL_PCHECK(mount(nullptr, folder_.c_str(), nullptr, MS_REMOUNT | (on ? MS_RDONLY : 0), nullptr) == 0) << folder_;
}

}  // namespace st::fs
