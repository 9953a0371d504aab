#include "e2e/torture/shifted_clock.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>

#include "absl/log/absl_check.h"

namespace st::e2e {
namespace {

constexpr char kShim[] = "e2e/torture/libshifted_clock_shim.so";
constexpr int64_t kNanos = 1'000'000;

}  // namespace

ShiftedClock::ShiftedClock(const std::string& folder) : path_(folder + "/clock") {
  const int file = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ABSL_CHECK(file >= 0 && ftruncate(file, sizeof *shift_ns_) == 0) << path_;
  void* shared = mmap(nullptr, sizeof *shift_ns_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ABSL_CHECK(shared != MAP_FAILED) << path_;
  close(file);
  shift_ns_ = static_cast<std::atomic<int64_t>*>(shared);
}

ShiftedClock::~ShiftedClock() { munmap(shift_ns_, sizeof *shift_ns_); }

std::map<std::string, std::string> ShiftedClock::Environment() const {
  return {{"LD_PRELOAD", std::filesystem::absolute(kShim)}, {"ST_SHIFTED_CLOCK", path_}};
}

void ShiftedClock::Set(int64_t shift_ms) { shift_ns_->store(shift_ms * kNanos); }

}  // namespace st::e2e
