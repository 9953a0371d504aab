#include "e2e/proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace st::e2e {
namespace {

// How often a thread looks whether it is over.
constexpr int kLookMs = 50;
// Of a request: its length, then its kind.
constexpr size_t kHeaderBytes = 6;

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

uint32_t BigEndian(const char* bytes, int count) {
  uint32_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

Proxy::Proxy() {
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

void Proxy::SetFate(int16_t key, Fate fate, int times) {
  absl::MutexLock lock(&mu_);
  fates_[key] = {fate, times};
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
  auto found = fates_.find(key);
  if (found == fates_.end() || found->second.second == 0) return Fate::kPass;
  --found->second.second;
  return found->second.first;
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
  int broker = Connect(target);
  std::string request;     // of the client, not yet passed on
  bool deaf = broker < 0;  // nothing more goes back to the client
  std::array<char, 1 << 16> buffer;
  for (bool open = broker >= 0; open && !over_;) {
    std::array<pollfd, 2> ready = {pollfd{client, POLLIN, 0}, pollfd{broker, POLLIN, 0}};
    if (poll(ready.data(), ready.size(), kLookMs) <= 0) continue;
    if (ready[1].revents != 0) {
      ssize_t got = recv(broker, buffer.data(), buffer.size(), 0);
      // The answer that is lost has come: the broker has carried the request out.
      open = got > 0 && !deaf && SendAll(client, buffer.data(), static_cast<size_t>(got));
    }
    if (!open || ready[0].revents == 0) continue;
    ssize_t got = recv(client, buffer.data(), buffer.size(), 0);
    open = got > 0;
    if (open) request.append(buffer.data(), static_cast<size_t>(got));
    while (open && request.size() >= kHeaderBytes && request.size() >= 4 + BigEndian(request.data(), 4)) {
      size_t size = 4 + BigEndian(request.data(), 4);
      Fate fate = Take(static_cast<int16_t>(BigEndian(request.data() + 4, 2)));
      deaf = deaf || fate == Fate::kLoseAnswer;
      open = fate == Fate::kSwallow || (fate != Fate::kCutBefore && SendAll(broker, request.data(), size));
      request.erase(0, size);
    }
  }
  if (broker >= 0) close(broker);
  close(client);
}

}  // namespace st::e2e
