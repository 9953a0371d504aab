#include "e2e/docker/engine_proxy.h"

#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/log/absl_check.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace st::e2e {
namespace {

constexpr size_t kIdDigits = 64;

sockaddr_un At(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ABSL_CHECK_LT(path.size(), sizeof address.sun_path) << path;
  memcpy(address.sun_path, path.data(), path.size());
  return address;
}

int Socket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

int Connect(const std::string& path) {
  const int fd = Socket();
  const sockaddr_un address = At(path);
  ABSL_CHECK_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << path;
  return fd;
}

bool SendAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

// Whole: its header, and as much as that says.
bool IsWhole(const std::string& request) {
  const size_t header = request.find("\r\n\r\n");
  if (header == std::string::npos) return false;
  size_t body = 0;
  for (const absl::string_view line : absl::StrSplit(request.substr(0, header), "\r\n")) {
    const std::pair<absl::string_view, absl::string_view> field = absl::StrSplit(line, absl::MaxSplits(": ", 1));
    if (absl::EqualsIgnoreCase(field.first, "Content-Length")) ABSL_CHECK(absl::SimpleAtoi(field.second, &body));
  }
  return request.size() >= header + 4 + body;
}

std::string NameOf(const std::string& request) {
  const std::vector<std::string> line = absl::StrSplit(request.substr(0, request.find("\r\n")), ' ');
  std::vector<std::string> parts = absl::StrSplit(line.at(1).substr(0, line.at(1).find('?')), '/');
  if (parts.size() > 1 && absl::StartsWith(parts[1], "v1.")) parts.erase(parts.begin() + 1);
  for (std::string& part : parts) {
    if (part.size() == kIdDigits) part = "ID";
  }
  return line.at(0) + " " + absl::StrJoin(parts, "/");
}

// Appends what has come; false: nothing more will.
bool Receive(int fd, std::string* bytes) {
  std::array<char, 1 << 16> buffer;
  const ssize_t got = recv(fd, buffer.data(), buffer.size(), 0);
  if (got > 0) bytes->append(buffer.data(), static_cast<size_t>(got));
  return got > 0;
}

// Until one of them can be read (or was hung up): which. -1: `stop` can.
int Await(const std::vector<int>& fds, int stop) {
  std::vector<pollfd> waiting = {{stop, POLLIN, 0}};
  for (const int fd : fds) waiting.push_back({fd, POLLIN, 0});
  while (true) {
    if (poll(waiting.data(), waiting.size(), -1) < 0) continue;
    for (const pollfd& ready : waiting) {
      if (ready.revents != 0) return ready.fd == stop ? -1 : ready.fd;
    }
  }
}

// What the engine says, to the client, until one of them ends it.
void PassOn(int engine, int client, int stop) {
  std::string answer;
  while (Await({engine, client}, stop) == engine && Receive(engine, &answer) && SendAll(client, answer)) answer.clear();
}

}  // namespace

EngineProxy::EngineProxy(const std::string& engine, std::string socket_path)
    : engine_(absl::StripPrefix(engine, "unix://")), socket_(std::move(socket_path)) {
  listener_ = Socket();
  const sockaddr_un address = At(socket_);
  ABSL_CHECK_EQ(bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << socket_;
  ABSL_CHECK_EQ(listen(listener_, 64), 0);
  stop_fd_ = eventfd(0, EFD_CLOEXEC);
  thread_ = std::thread([this] { Listen(); });
}

EngineProxy::~EngineProxy() {
  const uint64_t one = 1;
  ABSL_CHECK_EQ(write(stop_fd_, &one, sizeof one), static_cast<ssize_t>(sizeof one));
  thread_.join();
  close(listener_);
  close(stop_fd_);
  unlink(socket_.c_str());
}

void EngineProxy::BreakWrite(int nth, Fate fate) {
  const absl::MutexLock lock(&mu_);
  left_ = nth;
  reads_ = false;
  fate_ = fate;
  broken_.clear();
}

void EngineProxy::BreakRead(int nth) {
  const absl::MutexLock lock(&mu_);
  left_ = nth;
  reads_ = true;
  fate_ = Fate::kLoseAnswer;
  broken_.clear();
}

std::string EngineProxy::Broken() const {
  const absl::MutexLock lock(&mu_);
  return broken_;
}

int EngineProxy::Deliver() {
  std::string request;
  {
    const absl::MutexLock lock(&mu_);
    ABSL_CHECK(!held_.empty()) << "nothing is held";
    request = std::move(held_.front());
    held_.pop_front();
  }
  const int engine = Connect(engine_);
  std::string answer;
  ABSL_CHECK(SendAll(engine, request));
  while (!absl::StrContains(answer, "\r\n") && Receive(engine, &answer)) continue;
  close(engine);
  const std::vector<std::string> words = absl::StrSplit(answer.substr(0, answer.find("\r\n")), ' ');
  int status = 0;
  ABSL_CHECK(words.size() > 1 && absl::SimpleAtoi(words[1], &status)) << answer;
  return status;
}

bool EngineProxy::IsBroken(const std::string& request) {
  const absl::MutexLock lock(&mu_);
  if (left_ == 0 || absl::StartsWith(request, "GET ") != reads_ || --left_ > 0) return false;
  broken_ = NameOf(request);
  return true;
}

void EngineProxy::Listen() {
  while (Await({listener_}, stop_fd_) == listener_) {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    Serve(client);
    close(client);
  }
}

void EngineProxy::Serve(int client) {
  std::string request;
  while (!IsWhole(request)) {
    if (Await({client}, stop_fd_) != client || !Receive(client, &request)) return;
  }
  const bool broken = IsBroken(request);
  if (broken) {
    const absl::MutexLock lock(&mu_);
    if (fate_ == Fate::kHold) {
      held_.push_back(std::move(request));
      return;
    }
  }
  const int engine = Connect(engine_);
  if (SendAll(engine, request)) {
    if (broken) {
      // It has carried the request out when it answers.
      Await({engine}, stop_fd_);
    } else {
      PassOn(engine, client, stop_fd_);
    }
  }
  close(engine);
}

}  // namespace st::e2e
