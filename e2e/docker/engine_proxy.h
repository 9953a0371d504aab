// A proxy before an engine's socket that loses the answer to a request, or the request itself for a while.
#ifndef ST_E2E_DOCKER_ENGINE_PROXY_H_
#define ST_E2E_DOCKER_ENGINE_PROXY_H_

#include <deque>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace st::e2e {

// Thread-safe. It serves one connection after the other, and one request on each: as the tools ask.
class EngineProxy {
 public:
  enum class Fate {
    kLoseAnswer,  // the engine carries it out; then the connection ends without a word
    kHold,        // the connection ends at once; the engine gets the request when it is delivered
  };

  // `engine`: its DOCKER_HOST. `socket`: path of the Unix socket that it makes.
  EngineProxy(const std::string& engine, std::string socket);
  ~EngineProxy();
  EngineProxy(const EngineProxy&) = delete;
  EngineProxy& operator=(const EngineProxy&) = delete;

  // Its own DOCKER_HOST.
  std::string host() const { return "unix://" + socket_; }

  // Of the next `nth` request, from 1 (0: none): that asks for a change (POST, DELETE); that only reads (GET).
  void BreakWrite(int nth, Fate fate);
  void BreakRead(int nth);
  // What was broken since: method and path, without version and query, ids as ID. Empty: it was not met.
  std::string Broken() const;
  // Gives the oldest request that it holds to the engine; the status code of the engine's answer.
  int Deliver();

 private:
  void Listen();
  void Serve(int client);
  // Counts it. False: it passes.
  bool IsBroken(const std::string& request);

  const std::string engine_;
  const std::string socket_;
  int listener_ = -1;
  int stop_fd_ = -1;
  mutable absl::Mutex mu_;
  int left_ ABSL_GUARDED_BY(mu_) = 0;  // requests up to the broken one; 0: none is
  bool reads_ ABSL_GUARDED_BY(mu_) = false;
  Fate fate_ ABSL_GUARDED_BY(mu_) = Fate::kLoseAnswer;
  std::string broken_ ABSL_GUARDED_BY(mu_);
  std::deque<std::string> held_ ABSL_GUARDED_BY(mu_);
  std::thread thread_;
};

}  // namespace st::e2e

#endif  // ST_E2E_DOCKER_ENGINE_PROXY_H_
