#include "runner/process_identity.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "lib/fs/file.h"

namespace st::runner {
namespace {

constexpr size_t kProcFileBytes = 4096;

// proc(5): the fields behind the command's name, which may itself hold spaces and parentheses, begin with the third.
absl::StatusOr<uint64_t> StartTimeTicks() {
  constexpr size_t kStartTime = 22;
  constexpr size_t kFirstAfterName = 3;
  auto stat = fs::ReadFile("/proc/self/stat", kProcFileBytes);
  if (!stat.ok()) return stat.status();
  const size_t name_end = stat->rfind(')');
  if (name_end == std::string::npos) return absl::UnavailableError("/proc/self/stat has another form");
  std::vector<std::string_view> fields =
      absl::StrSplit(std::string_view(*stat).substr(name_end + 1), ' ', absl::SkipEmpty());
  uint64_t ticks = 0;
  if (fields.size() <= kStartTime - kFirstAfterName ||
      !absl::SimpleAtoi(fields[kStartTime - kFirstAfterName], &ticks)) {
    return absl::UnavailableError("/proc/self/stat has another form");
  }
  return ticks;
}

}  // namespace

absl::StatusOr<v1::RunnerIdentity> ReadOwnIdentity(int64_t now_ms) {
  v1::RunnerIdentity identity;
  if (const char* generation = std::getenv("ST_GENERATION_ID")) identity.set_generation_id(generation);
  identity.set_pid(static_cast<uint32_t>(getpid()));
  auto boot_id = fs::ReadFile("/proc/sys/kernel/random/boot_id", kProcFileBytes);
  if (!boot_id.ok()) return boot_id.status();
  identity.set_boot_id(std::string(absl::StripAsciiWhitespace(*boot_id)));
  auto ticks = StartTimeTicks();
  if (!ticks.ok()) return ticks.status();
  identity.set_start_time_ticks(*ticks);
  auto executable = fs::RealPath("/proc/self/exe");
  if (!executable.ok()) return executable.status();
  identity.set_executable(*executable);
  identity.set_started_at_ms(now_ms);
  return identity;
}

}  // namespace st::runner
