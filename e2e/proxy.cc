#include "e2e/proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string_view>

namespace st::e2e {
namespace {

using namespace std::string_view_literals;

// How often a thread looks whether it is over.
constexpr int kLookMs = 50;

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

bool SendAll(int fd, const char* bytes, size_t size) {
  while (size > 0) {
    ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<size_t>(sent);
  }
  return true;
}

int Connect(int port) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Loopback(port);
  if (fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

// Of the first four or two of `bytes`.
uint32_t BigEndian(std::string_view bytes, size_t count) {
  uint32_t value = 0;
  for (size_t i = 0; i < count; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

struct Request {
  size_t size;
  int16_t key;
};

// Its length, and then its kind (kafka.apache.org/protocol, "Common Request and Response Structure").
std::optional<Request> KafkaRequest(std::string_view bytes) {
  if (bytes.size() < 6 || bytes.size() < 4 + BigEndian(bytes, 4)) return std::nullopt;
  return Request{4 + BigEndian(bytes, 4), static_cast<int16_t>(BigEndian(bytes.substr(4), 2))};
}

// A letter, a length that counts itself, and the body; the first message of a connection has no letter, and its length
// begins with a zero. A statement comes as Parse: its name, which is empty, and its text (PostgreSQL's documentation,
// "Message Formats").
std::optional<Request> PostgresMessage(std::string_view bytes) {
  const size_t letter = !bytes.empty() && bytes[0] != 0 ? 1 : 0;
  if (bytes.size() < letter + 4) return std::nullopt;
  const size_t size = letter + BigEndian(bytes.substr(letter), 4);
  if (bytes.size() < size) return std::nullopt;
  const bool commit = bytes[0] == 'P' && bytes.substr(5, size - 5).starts_with("\0COMMIT\0"sv);
  return Request{size, commit ? kCommit : kAnyMessage};
}

}  // namespace

Proxy::Proxy(Protocol protocol) : protocol_(protocol) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof address;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0 && listen(listener_, 64) == 0 &&
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
    port_ = ntohs(address.sin_port);
  }
  acceptor_ = std::thread([this] { Accept(); });
}

Proxy::~Proxy() {
  over_ = true;
  acceptor_.join();
  std::vector<std::thread> connections;
  {
    absl::MutexLock lock(&mu_);
    connections.swap(connections_);
  }
  for (std::thread& connection : connections) connection.join();
  close(listener_);
}

void Proxy::SetTarget(int port) {
  absl::MutexLock lock(&mu_);
  target_ = port;
}

void Proxy::SetFate(int16_t key, Fate fate, int times, int pass) {
  absl::MutexLock lock(&mu_);
  plans_[key] = {fate, times, pass};
}

int Proxy::Count(int16_t key) const {
  absl::MutexLock lock(&mu_);
  auto found = counts_.find(key);
  return found == counts_.end() ? 0 : found->second;
}

std::map<int16_t, int> Proxy::Counts() const {
  absl::MutexLock lock(&mu_);
  return counts_;
}

Proxy::Fate Proxy::Take(int16_t key) {
  absl::MutexLock lock(&mu_);
  ++counts_[key];
  auto found = plans_.find(key);
  if (found == plans_.end() || found->second.times == 0) return Fate::kPass;
  if (found->second.pass > 0) {
    --found->second.pass;
    return Fate::kPass;
  }
  --found->second.times;
  if (found->second.fate == Fate::kLoseAnswerForGood) target_ = 0;
  return found->second.fate;
}

void Proxy::Accept() {
  while (!over_) {
    pollfd ready{listener_, POLLIN, 0};
    if (poll(&ready, 1, kLookMs) <= 0) continue;
    int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    absl::MutexLock lock(&mu_);
    connections_.emplace_back([this, client] { Serve(client); });
  }
}

void Proxy::Serve(int client) {
  int target = 0;
  {
    absl::MutexLock lock(&mu_);
    target = target_;
  }
  int server = Connect(target);
  std::string request;     // of the client, not yet passed on
  bool deaf = server < 0;  // nothing more goes back to the client
  std::array<char, 1 << 16> buffer;
  for (bool open = server >= 0; open && !over_;) {
    std::array<pollfd, 2> ready = {pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
    if (poll(ready.data(), ready.size(), kLookMs) <= 0) continue;
    if (ready[1].revents != 0) {
      ssize_t got = recv(server, buffer.data(), buffer.size(), 0);
      // The answer that is lost has come: the server has carried the request out.
      open = got > 0 && !deaf && SendAll(client, buffer.data(), static_cast<size_t>(got));
    }
    if (!open || ready[0].revents == 0) continue;
    ssize_t got = recv(client, buffer.data(), buffer.size(), 0);
    open = got > 0;
    if (open) request.append(buffer.data(), static_cast<size_t>(got));
    while (open) {
      const std::optional<Request> first =
          protocol_ == Protocol::kKafka ? KafkaRequest(request) : PostgresMessage(request);
      if (!first.has_value()) break;
      const Fate fate = Take(first->key);
      deaf = deaf || fate == Fate::kLoseAnswer || fate == Fate::kLoseAnswerForGood;
      open = fate == Fate::kSwallow || (fate != Fate::kCutBefore && SendAll(server, request.data(), first->size));
      request.erase(0, first->size);
    }
  }
  if (server >= 0) close(server);
  close(client);
}

}  // namespace st::e2e
