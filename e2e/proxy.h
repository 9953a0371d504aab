// A TCP proxy before a Kafka broker that can cut a connection around a request of one kind. The broker must advertise
// the proxy's address, or clients go past it.
#ifndef ST_E2E_PROXY_H_
#define ST_E2E_PROXY_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace st::e2e {

// Keys of the Kafka protocol (kafka.apache.org/protocol, "Api Keys").
inline constexpr int16_t kOffsetCommitKey = 8;
inline constexpr int16_t kFindCoordinatorKey = 10;
inline constexpr int16_t kCreateTopicsKey = 19;
inline constexpr int16_t kCreatePartitionsKey = 37;
inline constexpr int16_t kIncrementalAlterConfigsKey = 44;

class Proxy {
 public:
  // What happens to requests of one kind.
  enum class Fate {
    kPass,
    kSwallow,     // the broker never gets it, and nobody hears of that
    kCutBefore,   // the broker never gets it, and the connection ends
    kLoseAnswer,  // the broker gets it, and the connection ends without an answer
  };

  static constexpr int kAlways = 1 << 30;

  // Listens on a free port of 127.0.0.1.
  Proxy();
  // Cuts everything and joins its threads.
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  int port() const { return port_; }
  // host:port to which connections made from now on go.
  void SetTarget(int port);
  // For the next `times` requests of this kind; then they pass again.
  void SetFate(int16_t key, Fate fate, int times = kAlways);
  // Requests of this kind that clients sent, whatever their fate.
  int Count(int16_t key) const;
  // The same of every kind.
  std::map<int16_t, int> Counts() const;

 private:
  void Accept();
  void Serve(int client);
  // Counts and decides. Called with each request's key.
  Fate Take(int16_t key);

  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> over_ = false;
  mutable absl::Mutex mu_;
  int target_ ABSL_GUARDED_BY(mu_) = 0;
  std::map<int16_t, std::pair<Fate, int>> fates_ ABSL_GUARDED_BY(mu_);
  std::map<int16_t, int> counts_ ABSL_GUARDED_BY(mu_);
  std::vector<std::thread> connections_ ABSL_GUARDED_BY(mu_);
  std::thread acceptor_;
};

}  // namespace st::e2e

#endif  // ST_E2E_PROXY_H_
