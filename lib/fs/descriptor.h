// Descriptors and the errors of system calls, for who talks to the system itself. Any thread.
#ifndef ST_LIB_FS_DESCRIPTOR_H_
#define ST_LIB_FS_DESCRIPTOR_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace st::fs {

// Owns a descriptor; closes it without looking when it goes out of scope. Move-only by being neither: scoped.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  // The caller's from now on.
  int Release();
  // For written files: the result of close(2) counts. 0, or errno.
  int Close();

 private:
  int fd_;
};

// `<path>: cannot <what>: <the system's words>; <what to do>` with the code that file.h promises.
absl::Status SystemError(int error, std::string_view path, std::string_view what);

// open(2) with O_CLOEXEC that goes on after a signal. -1 and errno.
int OpenRetrying(const char* path, int flags, int mode = 0);

}  // namespace st::fs

#endif  // ST_LIB_FS_DESCRIPTOR_H_
