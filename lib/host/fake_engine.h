// A Docker engine that says what a test tells it to: HTTP on a Unix socket of its own, one connection after the other.
// It writes down what it was asked.
#ifndef ST_LIB_HOST_FAKE_ENGINE_H_
#define ST_LIB_HOST_FAKE_ENGINE_H_

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace st::host {

struct FakeAnswer {
  enum class Manner {
    kWhole,
    kCut,           // half of the body, then it hangs up
    kNothing,       // reads the request, then hangs up
    kHalfAnswered,  // hangs up in the middle of the header
    kNever,         // reads the request and waits until the client goes away
    kNoHttp,        // sends the body alone
    kUnread,        // hangs up without reading the body
  };

  int status = 200;
  std::string body;
  Manner manner = Manner::kWhole;
};

class FakeEngine {
 public:
  // It speaks API 1.41 to 1.50 until a test says otherwise.
  FakeEngine();
  ~FakeEngine();
  FakeEngine(const FakeEngine&) = delete;
  FakeEngine& operator=(const FakeEngine&) = delete;

  const std::string& socket() const { return socket_; }

  // The next answer to a request, e.g. "GET /v1.47/info"; the target stands without escapes, and `/v1.47` may be left
  // out. The last one is given again and again. What nobody scripted is 599, and fails the test.
  void Script(const std::string& request, FakeAnswer answer);
  // In place of all that was scripted for it.
  void Replace(const std::string& request, FakeAnswer answer);

  // All but /version, in order; the targets without version and escapes.
  std::vector<std::string> Requests() const;
  // Those that are no GET.
  std::vector<std::string> Writes() const;
  // The body of the last such request.
  std::string Body(const std::string& request) const;
  // The whole header of the last request.
  std::string Header() const;
  void Forget();

 private:
  void Serve();
  void Talk(int connection);
  // Locked.
  FakeAnswer Next(const std::string& request);

  std::string folder_;
  std::string socket_;
  int listener_ = -1;
  mutable std::mutex mutex_;
  std::map<std::string, std::deque<FakeAnswer>> script_;
  std::vector<std::string> requests_;
  std::map<std::string, std::string> bodies_;
  std::string header_;
  std::thread thread_;
};

}  // namespace st::host

#endif  // ST_LIB_HOST_FAKE_ENGINE_H_
