// A wall clock of a process's own, which a test sets while it runs. The machine's clock is everybody's, and a time
// namespace has none of its own; so the process is started with a small library before libc's (shifted_clock_shim.cc).
#ifndef ST_E2E_TORTURE_SHIFTED_CLOCK_H_
#define ST_E2E_TORTURE_SHIFTED_CLOCK_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <string>

namespace st::e2e {

class ShiftedClock {
 public:
  // Writes a file into the folder, which outlives this object.
  explicit ShiftedClock(const std::string& folder);
  ~ShiftedClock();
  ShiftedClock(const ShiftedClock&) = delete;
  ShiftedClock& operator=(const ShiftedClock&) = delete;

  // For Model::environment.
  std::map<std::string, std::string> Environment() const;
  // From the machine's time. Clocks that only grow are not touched.
  void Set(int64_t shift_ms);

 private:
  const std::string path_;
  std::atomic<int64_t>* shift_ns_;  // in the file
};

}  // namespace st::e2e

#endif  // ST_E2E_TORTURE_SHIFTED_CLOCK_H_
