#include "lib/host/engine_socket.h"

#include <curl/curl.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace st::host {
namespace {

struct Sink {
  std::string* body;
  size_t bound;
  bool header_ended = false;
};

size_t Collect(char* bytes, size_t size, size_t count, void* to) {
  Sink& sink = *static_cast<Sink*>(to);
  const size_t more = size * count;
  if (more > sink.bound - sink.body->size()) return CURL_WRITEFUNC_ERROR;
  sink.body->append(bytes, more);
  return more;
}

// libcurl takes an answer that ends within its header for a whole one.
size_t SeeHeader(char* bytes, size_t size, size_t count, void* to) {
  const std::string_view line(bytes, size * count);
  bool& ended = *static_cast<bool*>(to);
  // An interim answer (1xx) has a header of its own.
  ended = line == "\r\n" || (ended && !absl::StartsWith(line, "HTTP/"));
  return line.size();
}

absl::Status NotReached(const std::string& path, long error) {
  switch (error) {
    case ENOENT:
      return absl::UnavailableError(
          absl::StrCat(path, ": there is no such socket; is the Docker daemon running? DOCKER_HOST names another"));
    case ECONNREFUSED:
      return absl::UnavailableError(absl::StrCat(path, ": nobody listens on it; is the Docker daemon running?"));
    case EACCES:
    case EPERM:
      return absl::UnavailableError(
          absl::StrCat(path, ": permission denied; is this user in the group that owns the socket (docker)?"));
    case ENOTSOCK:
      return absl::UnavailableError(absl::StrCat(path, ": it is no socket; DOCKER_HOST must name the engine's"));
    default:
      return absl::UnavailableError(absl::StrCat(
          path, ": cannot connect: ", error == 0 ? "no reason given" : std::strerror(static_cast<int>(error))));
  }
}

std::string WhatWentWrong(const std::string& path, CURLcode code, const char* words, int64_t timeout_ms) {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return absl::StrCat(path, ": no whole answer within ", timeout_ms, " ms");
    case CURLE_GOT_NOTHING:
      return absl::StrCat(path, ": the connection was closed without an answer");
    case CURLE_PARTIAL_FILE:
      return absl::StrCat(path, ": the answer was cut off");
    case CURLE_WRITE_ERROR:
      return absl::StrCat(path, ": the answer is longer than we take");
    default:
      return absl::StrCat(path, ": ", *words != '\0' ? words : curl_easy_strerror(code));
  }
}

bool IsUnreadable(CURLcode code) {
  return code == CURLE_WRITE_ERROR || code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_WEIRD_SERVER_REPLY ||
         code == CURLE_BAD_CONTENT_ENCODING;
}

// What is the same for all, and the request itself. `url`, `headers` and `sink` must live until it was performed.
void SetUp(const EngineRequest& request, const std::string& path, const std::string& url, int64_t timeout_ms,
           curl_slist* headers, Sink* sink, CURL* curl) {
  curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, path.c_str());
  // A proxy of the environment is none of ours.
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http");
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
  curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout_ms));
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Collect);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, sink);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &SeeHeader);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &sink->header_ended);
  if (request.content_type.empty()) return;
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.data());
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
}

absl::Status Failure(const EngineRequest& request, const std::string& text, CURLcode code) {
  if (request.method != "GET") {
    return absl::UnknownError(absl::StrCat(text, "; it is not known whether the engine did what it was asked for (",
                                           request.method, " ", request.target.substr(0, request.target.find('?')),
                                           ")"));
  }
  if (IsUnreadable(code)) return absl::DataLossError(text);
  return absl::UnavailableError(text);
}

}  // namespace

struct EngineSocket::Handle {
  Handle() : curl(curl_easy_init()) {}
  ~Handle() { curl_easy_cleanup(curl); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  CURL* curl;
  char words[CURL_ERROR_SIZE] = "";
};

EngineSocket::EngineSocket(std::string path, int64_t timeout_ms)
    : path_(std::move(path)), timeout_ms_(timeout_ms), handle_(std::make_unique<Handle>()) {}

EngineSocket::~EngineSocket() = default;

absl::StatusOr<EngineAnswer> EngineSocket::Send(const EngineRequest& request) {
  CURL* curl = handle_->curl;
  if (curl == nullptr) return absl::UnavailableError("libcurl cannot be used");
  if (path_.size() >= sizeof(sockaddr_un::sun_path)) {
    return absl::UnavailableError(
        absl::StrCat(path_, ": a Unix socket's path has at most ", sizeof(sockaddr_un::sun_path) - 1, " bytes"));
  }
  ++requests_;
  EngineAnswer answer;
  Sink sink{&answer.body, request.max_answer_bytes, false};
  // libcurl would wait for a "100 Continue" before a larger body.
  curl_slist* headers = curl_slist_append(nullptr, "Expect:");
  if (!request.content_type.empty()) {
    headers = curl_slist_append(headers, absl::StrCat("Content-Type: ", request.content_type).c_str());
  }
  const std::string url = absl::StrCat("http://docker", request.target);
  curl_easy_reset(curl);
  handle_->words[0] = '\0';
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, handle_->words);
  SetUp(request, path_, url, timeout_ms_, headers, &sink, curl);
  CURLcode code = curl_easy_perform(curl);
  if (code == CURLE_OK && !sink.header_ended) code = CURLE_PARTIAL_FILE;
  curl_slist_free_all(headers);
  long status = 0;
  long error = 0;
  long sent = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(curl, CURLINFO_OS_ERRNO, &error);
  curl_easy_getinfo(curl, CURLINFO_REQUEST_SIZE, &sent);
  if (code == CURLE_COULDNT_CONNECT && sent == 0) return NotReached(path_, error);
  if (code != CURLE_OK) {
    return Failure(request, WhatWentWrong(path_, code, handle_->words, timeout_ms_), code);
  }
  answer.status = static_cast<int>(status);
  return answer;
}

std::string EscapeForTarget(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_' || c == '~') {
      escaped.push_back(c);
    } else {
      absl::StrAppendFormat(&escaped, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  return escaped;
}

}  // namespace st::host
