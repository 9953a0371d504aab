// A line of progress for work that lasts, on a terminal only. For mains; main thread.
#ifndef ST_LIB_CLI_PROGRESS_H_
#define ST_LIB_CLI_PROGRESS_H_

#include <cstdint>
#include <string_view>

#include "lib/base/clock.h"
#include "lib/cli/flags.h"

namespace st::cli {

// Shows nothing in the first second, with --quiet, or when standard error is no terminal. Update may be called for
// each piece of work: it writes up to five times a second. The destructor wipes the line.
class Progress {
 public:
  explicit Progress(const Flags& flags, base::Clock& clock = base::RealClock());
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Update(std::string_view text);

 private:
  base::Clock& clock_;
  const bool enabled_;
  int64_t next_ms_;
  bool shown_ = false;
};

}  // namespace st::cli

#endif  // ST_LIB_CLI_PROGRESS_H_
