#include "lib/host/fake_engine.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace st::host {
namespace {

constexpr char kVersion[] = R"({"Version": "20.10.24", "ApiVersion": "1.50", "MinAPIVersion": "1.12"})";

std::string Unescaped(std::string_view target) {
  std::string text;
  for (size_t i = 0; i < target.size(); ++i) {
    int code = 0;
    if (target[i] == '%' && absl::SimpleHexAtoi(target.substr(i + 1, 2), &code)) {
      text.push_back(static_cast<char>(code));
      i += 2;
    } else {
      text.push_back(target[i]);
    }
  }
  return text;
}

// "GET /v1.47/info" to "GET /info".
std::string WithoutVersion(const std::string& request) {
  const size_t slash = request.find('/');
  if (!absl::StartsWith(std::string_view(request).substr(slash), "/v1.")) return request;
  return request.substr(0, slash) + request.substr(request.find('/', slash + 1));
}

void SendAll(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

// The header's length of the body; 0 when it says none.
size_t BodySize(const std::string& header) {
  for (std::string_view line : absl::StrSplit(header, "\r\n")) {
    const std::pair<std::string_view, std::string_view> field = absl::StrSplit(line, absl::MaxSplits(": ", 1));
    size_t size = 0;
    if (absl::EqualsIgnoreCase(field.first, "Content-Length") && absl::SimpleAtoi(field.second, &size)) return size;
  }
  return 0;
}

// False: the client went away before it had said all.
bool ReadUpTo(int connection, size_t size, std::string* text) {
  char buffer[65536];
  while (text->size() < size) {
    const ssize_t got = recv(connection, buffer, sizeof buffer, 0);
    if (got <= 0) return false;
    text->append(buffer, static_cast<size_t>(got));
  }
  return true;
}

bool ReadHeader(int connection, std::string* text) {
  while (!absl::StrContains(*text, "\r\n\r\n")) {
    if (!ReadUpTo(connection, text->size() + 1, text)) return false;
  }
  return true;
}

void Give(int connection, const FakeAnswer& answer) {
  using Manner = FakeAnswer::Manner;
  std::string whole = absl::StrCat("HTTP/1.1 ", answer.status, " Scripted\r\nContent-Type: application/json\r\n");
  // 204 and 304 have no body, and say no length.
  if (answer.status != 204 && answer.status != 304) {
    absl::StrAppend(&whole, "Content-Length: ", answer.body.size(), "\r\n");
  }
  absl::StrAppend(&whole, "\r\n", answer.body);
  switch (answer.manner) {
    case Manner::kWhole:
      return SendAll(connection, whole);
    case Manner::kCut:
      return SendAll(connection, std::string_view(whole).substr(0, whole.size() - answer.body.size() / 2));
    case Manner::kHalfAnswered:
      return SendAll(connection, "HTTP/1.1 200 OK\r\nContent-Le");
    case Manner::kNoHttp:
      return SendAll(connection, answer.body);
    case Manner::kNever: {
      std::string more;
      while (ReadUpTo(connection, more.size() + 1, &more)) {
      }
      return;
    }
    case Manner::kNothing:
    case Manner::kUnread:
      return;
  }
}

}  // namespace

FakeEngine::FakeEngine() {
  // The path of a socket is short, and a test's folder may not be.
  std::string folder = "/tmp/st-fake-XXXXXX";
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  folder_ = folder;
  socket_ = folder_ + "/docker.sock";
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket_.c_str(), socket_.size() + 1);
  EXPECT_EQ(bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(listen(listener_, 16), 0);
  Script("GET /version", {200, kVersion});
  thread_ = std::thread([this] { Serve(); });
}

FakeEngine::~FakeEngine() {
  (void)shutdown(listener_, SHUT_RDWR);
  thread_.join();
  (void)close(listener_);
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

void FakeEngine::Serve() {
  for (;;) {
    const int connection = accept(listener_, nullptr, nullptr);
    if (connection < 0) return;
    Talk(connection);
    (void)close(connection);
  }
}

FakeAnswer FakeEngine::Next(const std::string& request) {
  auto found = script_.find(request);
  if (found == script_.end()) found = script_.find(WithoutVersion(request));
  if (found == script_.end()) {
    ADD_FAILURE() << "nobody scripted " << request;
    return {599, "{}"};
  }
  FakeAnswer answer = found->second.front();
  if (found->second.size() > 1) found->second.pop_front();
  return answer;
}

void FakeEngine::Talk(int connection) {
  std::string text;
  if (!ReadHeader(connection, &text)) return;
  const size_t end = text.find("\r\n\r\n") + 4;
  const std::vector<std::string> line = absl::StrSplit(text.substr(0, text.find("\r\n")), ' ');
  const std::string request = absl::StrCat(line[0], " ", Unescaped(line[1]));
  FakeAnswer answer;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    header_ = text.substr(0, end);
    answer = Next(request);
    if (line[1] != "/version") requests_.push_back(WithoutVersion(request));
  }
  if (answer.manner == FakeAnswer::Manner::kUnread) return;
  if (!ReadUpTo(connection, end + BodySize(text.substr(0, end)), &text)) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    bodies_[WithoutVersion(request)] = text.substr(end);
  }
  Give(connection, answer);
}

void FakeEngine::Script(const std::string& request, FakeAnswer answer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  script_[request].push_back(std::move(answer));
}

void FakeEngine::Replace(const std::string& request, FakeAnswer answer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  script_[request] = {std::move(answer)};
}

std::vector<std::string> FakeEngine::Requests() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return requests_;
}

std::vector<std::string> FakeEngine::Writes() const {
  std::vector<std::string> writes;
  for (const std::string& request : Requests()) {
    if (!absl::StartsWith(request, "GET ")) writes.push_back(request);
  }
  return writes;
}

std::string FakeEngine::Body(const std::string& request) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = bodies_.find(request);
  return found == bodies_.end() ? "" : found->second;
}

std::string FakeEngine::Header() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return header_;
}

void FakeEngine::Forget() {
  const std::lock_guard<std::mutex> lock(mutex_);
  requests_.clear();
  bodies_.clear();
}

}  // namespace st::host
