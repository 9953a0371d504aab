// What the kernel says about a process: /proc of this machine. For this library's own files. Any thread.
#ifndef ST_LIB_HOST_PROC_H_
#define ST_LIB_HOST_PROC_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace st::host {

absl::StatusOr<std::string> BootId();

// Clock ticks since boot at which it began; pid and this together name one process of a boot. NotFound when there is
// no such process, or when it has ended and is only waiting to be collected.
absl::StatusOr<uint64_t> StartTimeTicks(pid_t pid);

// True: the file that it executes is the one at `path` (by device and inode). False: another. Empty: we may not look.
std::optional<bool> Executes(pid_t pid, const std::string& path);
// The path of what it executes, as the kernel shows it; empty when we may not look.
std::string ExecutableOf(pid_t pid);

// `name`'s value in the environment that it was started with; empty string when it has none. Nothing: we may not look.
std::optional<std::string> VariableOf(pid_t pid, std::string_view name);

// The process that holds a flock(2) on the file, found without touching the lock: a look must not be in the way of
// who takes it. Nothing when it is free or the file is missing; 0 when it is held by a process that we cannot see.
std::optional<pid_t> LockHolder(const std::string& path);

}  // namespace st::host

#endif  // ST_LIB_HOST_PROC_H_
