// An address where an engine and a broker could be: it counts who calls, and hangs up. For tests that nobody is called.
#ifndef ST_E2E_DOCKER_RECORDER_H_
#define ST_E2E_DOCKER_RECORDER_H_

#include <atomic>
#include <string>
#include <thread>

namespace st::e2e {

// Thread-safe.
class Recorder {
 public:
  // `socket`: path of the Unix socket that it makes.
  explicit Recorder(const std::string& socket);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  const std::string& engine() const { return engine_; }  // as $DOCKER_HOST has it
  const std::string& broker() const { return broker_; }  // as bootstrap servers
  // Of those who were answered, by hanging up, none is missing.
  int engine_calls() const { return engine_calls_; }
  int broker_calls() const { return broker_calls_; }

 private:
  void Listen();

  std::string socket_;
  std::string engine_;
  std::string broker_;
  int engine_fd_ = -1;
  int broker_fd_ = -1;
  int stop_fd_ = -1;
  std::atomic<int> engine_calls_ = 0;
  std::atomic<int> broker_calls_ = 0;
  std::thread thread_;
};

}  // namespace st::e2e

#endif  // ST_E2E_DOCKER_RECORDER_H_
