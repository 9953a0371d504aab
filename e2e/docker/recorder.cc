#include "e2e/docker/recorder.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "absl/log/absl_check.h"
#include "absl/strings/str_cat.h"

namespace st::e2e {

Recorder::Recorder(const std::string& socket_path) : socket_(socket_path), engine_("unix://" + socket_path) {
  engine_fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  ABSL_CHECK_LT(socket_.size(), sizeof local.sun_path);
  memcpy(local.sun_path, socket_.data(), socket_.size());
  ABSL_CHECK_EQ(bind(engine_fd_, reinterpret_cast<sockaddr*>(&local), sizeof local), 0) << socket_;
  ABSL_CHECK_EQ(listen(engine_fd_, 64), 0);

  broker_fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ABSL_CHECK_EQ(bind(broker_fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
  ABSL_CHECK_EQ(getsockname(broker_fd_, reinterpret_cast<sockaddr*>(&address), &size), 0);
  ABSL_CHECK_EQ(listen(broker_fd_, 64), 0);
  broker_ = absl::StrCat("127.0.0.1:", ntohs(address.sin_port));

  stop_fd_ = eventfd(0, EFD_CLOEXEC);
  thread_ = std::thread([this] { Listen(); });
}

Recorder::~Recorder() {
  const uint64_t one = 1;
  ABSL_CHECK_EQ(write(stop_fd_, &one, sizeof one), static_cast<ssize_t>(sizeof one));
  thread_.join();
  for (int fd : {engine_fd_, broker_fd_, stop_fd_}) close(fd);
  unlink(socket_.c_str());
}

void Recorder::Listen() {
  while (true) {
    pollfd waiting[] = {{engine_fd_, POLLIN, 0}, {broker_fd_, POLLIN, 0}, {stop_fd_, POLLIN, 0}};
    if (poll(waiting, 3, -1) < 0) continue;
    for (int i = 0; i < 2; ++i) {
      if (waiting[i].revents == 0) continue;
      const int caller = accept4(waiting[i].fd, nullptr, nullptr, SOCK_CLOEXEC);
      ++(i == 0 ? engine_calls_ : broker_calls_);
      if (caller >= 0) close(caller);
    }
    // Who called before the end was asked for is counted first.
    if (waiting[2].revents != 0) return;
  }
}

}  // namespace st::e2e
