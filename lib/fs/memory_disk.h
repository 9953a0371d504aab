// A small file system in memory, to be filled up or mounted read-only: what mode bits cannot do to root. For tests.
#ifndef ST_LIB_FS_MEMORY_DISK_H_
#define ST_LIB_FS_MEMORY_DISK_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"

namespace st::fs {

// Puts this process, and those that it starts, into a mount namespace of their own, which goes with them: as root, or
// as the root of a user namespace. To be called first in a test's main, while there is one thread.
absl::Status EnterMountNamespace();

// Mounted by the constructor, and taken away by the destructor, from whoever may still use it; a failure of either
// aborts the test.
class MemoryDisk {
 public:
  // `folder` is made; only its owner may enter it.
  MemoryDisk(std::string folder, size_t bytes);
  ~MemoryDisk();
  MemoryDisk(const MemoryDisk&) = delete;
  MemoryDisk& operator=(const MemoryDisk&) = delete;

  const std::string& folder() const { return folder_; }
  // Until nothing fits, then frees `bytes`.
  void FillBut(size_t bytes) const;
  // Takes the filling away.
  void Free() const;
  void SetReadOnly(bool on) const;

 private:
  std::string folder_;
};

}  // namespace st::fs

#endif  // ST_LIB_FS_MEMORY_DISK_H_
