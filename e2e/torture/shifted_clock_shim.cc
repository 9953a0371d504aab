// Before libc in a process whose wall clock a test sets: ST_SHIFTED_CLOCK names a file with the nanoseconds by which it
// differs from the machine's. What waits until a time of the wall clock waits as the kernel would let it: a clock that
// is set back meanwhile makes it wait longer. Waits on a condition are taken for such, as they are unless they come by
// pthread_cond_clockwait.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>

namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kMicro = 1'000;
constexpr int64_t kSliceNs = 10'000'000;

const std::atomic<int64_t>* MapShift() {
  static const std::atomic<int64_t> kNone{0};
  const char* path = getenv("ST_SHIFTED_CLOCK");
  const int file = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return &kNone;
  void* shared = mmap(nullptr, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  return shared == MAP_FAILED ? &kNone : static_cast<const std::atomic<int64_t>*>(shared);
}

int64_t ToNanos(const timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }

timespec FromNanos(int64_t nanos) { return {nanos / kSecond, nanos % kSecond}; }

int64_t MachineNanos() {
  timespec now{};
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  return ToNanos(now);
}

int64_t Nanos() {
  static const std::atomic<int64_t>* const kShift = MapShift();
  return MachineNanos() + kShift->load();
}

bool IsWall(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (!IsWall(clock)) return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  *time = FromNanos(Nanos());
  return 0;
}

extern "C" int gettimeofday(timeval* time, void*) noexcept {
  const int64_t now = Nanos();
  *time = {now / kSecond, now % kSecond / kMicro};
  return 0;
}

extern "C" time_t time(time_t* seconds) noexcept {
  const time_t now = Nanos() / kSecond;
  if (seconds != nullptr) *seconds = now;
  return now;
}

extern "C" int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  using Wait = int (*)(pthread_cond_t*, pthread_mutex_t*, const timespec*);
  // An older version of the function has the same name.
  static const Wait kWait = reinterpret_cast<Wait>(dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2"));
  if (kWait == nullptr) abort();
  while (true) {
    const int64_t left = ToNanos(*until) - Nanos();
    const timespec slice = FromNanos(MachineNanos() + (left < kSliceNs ? left : kSliceNs));
    const int result = kWait(condition, mutex, &slice);
    if (result != ETIMEDOUT || left < kSliceNs) return result;
  }
}
