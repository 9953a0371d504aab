// Files read with limits, written whole; locks between processes. Any thread.
#ifndef ST_LIB_FS_FILE_H_
#define ST_LIB_FS_FILE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace st::fs {

// Whole file. NotFound, FailedPrecondition (a folder, a device, a pipe), ResourceExhausted (over `max_bytes`),
// PermissionDenied (its mode), or Unavailable for an I/O error; the message names the path and says what to do.
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes);

// All of a descriptor up to its end; ResourceExhausted over `max_bytes`.
absl::StatusOr<std::string> ReadAll(int fd, size_t max_bytes);

// All of `bytes`, or an error: short writes go on, EINTR repeats. EPIPE is a Status, never a signal (the mains
// ignore SIGPIPE).
absl::Status WriteAll(int fd, std::string_view bytes);

enum class Existing {
  kReplace,  // atomically
  kRefuse,   // AlreadyExists when there is anything at the path, a dangling link too
};

// Of what writes, here and below: Unavailable where the system cannot (no room, a read-only mount, a reader that went
// away, an I/O error), any other code where the path itself is the wrong one.
//
// Temporary file in the same folder, mode `mode` whatever the umask, fsync, rename (or link, for kRefuse), fsync of
// the folder. Refuses to write through a symbolic link. On failure the old content stands and no temporary is left.
absl::Status WriteFileAtomically(const std::string& path, std::string_view bytes, int mode, Existing existing);

// mkdir -p with `mode` for those that it makes, each synced into its parent.
absl::Status MakeFolders(const std::string& path, int mode);

absl::Status SyncFolder(const std::string& path);

// Names in a folder, sorted; without . and ..
absl::StatusOr<std::vector<std::string>> ListFolder(const std::string& path);

// Folder part of a path ("." when there is none), and two parts joined by one slash.
std::string Dirname(std::string_view path);
std::string JoinPath(std::string_view a, std::string_view b);

// Where these tools keep what must outlive them: $ST_STATE_DIR, else $XDG_STATE_HOME/st, else ~/.local/state/st (the
// home folder from $HOME, else from the password file). It need not exist.
std::string StateFolder();

// Of `path`, following links; for "is it inside the project?" questions.
absl::StatusOr<std::string> RealPath(const std::string& path);

// SHA-256 of a file's bytes, hex, in constant memory.
absl::StatusOr<std::string> FileSha256(const std::string& path);

// An exclusive flock(2) on a file that is made if missing (0600) and never removed. Move-only; released by the
// destructor or by the end of the process, however it ends.
class FileLock {
 public:
  // Aborted when another holds it (the message says who, when the file says so).
  static absl::StatusOr<FileLock> TryAcquire(const std::string& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();
  // The file at the path is still the one that is locked (not removed, not replaced).
  bool StillHeld() const;

 private:
  FileLock(int fd, std::string path);
  int fd_ = -1;
  std::string path_;
};

// Who has the FileLock at `path` now and since when, as it wrote there; empty when nobody has, or there is no such
// file. Neither takes nor waits: reads the system's list of locks.
absl::StatusOr<std::string> LockHolder(const std::string& path);

}  // namespace st::fs

#endif  // ST_LIB_FS_FILE_H_
