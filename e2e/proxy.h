// A TCP proxy before a Kafka broker or a PostgreSQL server that can cut a connection around a request of one kind. A
// broker must advertise the proxy's address, or clients go past it; a connection to PostgreSQL must not be encrypted.
#ifndef ST_E2E_PROXY_H_
#define ST_E2E_PROXY_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
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

// Kinds of PostgreSQL's messages, as far as they are told apart.
inline constexpr int16_t kAnyMessage = 0;
inline constexpr int16_t kCommit = 1;  // the statement COMMIT

class Proxy {
 public:
  enum class Protocol { kKafka, kPostgres };
  // What happens to requests of one kind.
  enum class Fate {
    kPass,
    kSwallow,            // the server never gets it, and nobody hears of that
    kCutBefore,          // the server never gets it, and the connection ends
    kLoseAnswer,         // the server gets it, and the connection ends without an answer
    kLoseAnswerForGood,  // the same, and from then on no connection comes through, until SetTarget
  };

  static constexpr int kAlways = 1 << 30;

  // Listens on a free port of 127.0.0.1.
  explicit Proxy(Protocol protocol = Protocol::kKafka);
  // Cuts everything and joins its threads.
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  int port() const { return port_; }
  // Port of 127.0.0.1 to which connections made from now on go; 0: to none.
  void SetTarget(int port);
  // Of requests of this kind the next `pass` pass, `times` meet this fate, and then they pass again.
  void SetFate(int16_t key, Fate fate, int times = kAlways, int pass = 0);
  // Requests of this kind that clients sent, whatever their fate.
  int Count(int16_t key) const;
  // The same of every kind.
  std::map<int16_t, int> Counts() const;

 private:
  void Accept();
  void Serve(int client);
  // Counts and decides. Called with each request's key.
  Fate Take(int16_t key);

  struct Plan {
    Fate fate = Fate::kPass;
    int times = 0;
    int pass = 0;
  };

  Protocol protocol_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> over_ = false;
  mutable absl::Mutex mu_;
  int target_ ABSL_GUARDED_BY(mu_) = 0;
  std::map<int16_t, Plan> plans_ ABSL_GUARDED_BY(mu_);
  std::map<int16_t, int> counts_ ABSL_GUARDED_BY(mu_);
  std::vector<std::thread> connections_ ABSL_GUARDED_BY(mu_);
  std::thread acceptor_;
};

}  // namespace st::e2e

#endif  // ST_E2E_PROXY_H_
