// HTTP with a Docker engine over its Unix socket: one request, one whole answer, by libcurl. For this library's own
// files.
#ifndef ST_LIB_HOST_ENGINE_SOCKET_H_
#define ST_LIB_HOST_ENGINE_SOCKET_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace st::host {

struct EngineRequest {
  std::string method = "GET";
  std::string target;  // path and query, escaped
  std::string body;
  std::string content_type;                    // of the body; empty: there is none
  size_t max_answer_bytes = size_t{64} << 20;  // of the answer's body
};

struct EngineAnswer {
  int status = 0;  // HTTP's, of any class
  std::string body;
};

// Blocking, one thread. Each request goes out once, on a connection of its own: libcurl sends a request a second time
// when a connection that it kept turns out to be closed, and a write must not be sent twice.
class EngineSocket {
 public:
  EngineSocket(std::string path, int64_t timeout_ms);
  ~EngineSocket();
  EngineSocket(const EngineSocket&) = delete;
  EngineSocket& operator=(const EngineSocket&) = delete;

  // Unavailable when nothing was sent (no socket, nobody listens, no permission: a sentence for each), and when a GET
  // got no whole answer. Unknown when another request was sent, or may have been, and no whole answer came. DataLoss
  // when what answered a GET is no HTTP or is longer than the bound.
  absl::StatusOr<EngineAnswer> Send(const EngineRequest& request);

  const std::string& path() const { return path_; }
  // Sent, or tried to send.
  uint64_t requests() const { return requests_; }

 private:
  struct Handle;

  std::string path_;
  int64_t timeout_ms_;
  std::unique_ptr<Handle> handle_;
  uint64_t requests_ = 0;
};

// As a part of a target: all but unreserved characters escaped.
std::string EscapeForTarget(std::string_view text);

}  // namespace st::host

#endif  // ST_LIB_HOST_ENGINE_SOCKET_H_
