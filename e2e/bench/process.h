// A contender as a process: started, looked at from outside, and stopped. Linux's proc(5) says what it uses.
#ifndef ST_E2E_BENCH_PROCESS_H_
#define ST_E2E_BENCH_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace st::e2e::bench {

// User and system time of a process, all its threads, in seconds.
double CpuSecondsOf(pid_t pid);
double ResidentMbOf(pid_t pid);
// The most that was ever resident.
double PeakMbOf(pid_t pid);

class Process {
 public:
  // Its output goes to the file. `words[0]` is a path, or is looked up in PATH.
  Process(std::vector<std::string> words, std::string output_path);
  // Killed when it still runs; so it is when the thread that started it ends.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  // Ends the program, with what the process said, when it does not run any more.
  void CheckRuns();
  // SIGTERM; the program ends when the process then fails or takes longer than a minute.
  void Stop();
  std::string Said() const;

 private:
  const std::string name_;
  const std::string output_path_;
  pid_t pid_ = -1;
};

}  // namespace st::e2e::bench

#endif  // ST_E2E_BENCH_PROCESS_H_
