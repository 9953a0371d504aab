#include "e2e/torture/fire_brokers.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>
#include <set>
#include <vector>

#include "absl/log/absl_check.h"
#include "absl/strings/str_cat.h"

namespace st::e2e {
namespace {

// Topics come and go by the hundred, and a transaction that nobody ends is over soon after its time.
std::vector<std::string> Common() {
  return {"log.segment.delete.delay.ms=1000", "transaction.abort.timed.out.transaction.cleanup.interval.ms=1000",
          "broker.session.timeout.ms=2000", "log.cleaner.enable=false"};
}

bool IsFree(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  const bool free = bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return free;
}

// Below the range from which the kernel takes ports for outgoing connections.
std::vector<int> FreePorts(size_t count) {
  std::random_device random;
  std::set<int> ports;
  while (ports.size() < count) {
    const int port = std::uniform_int_distribution<int>(20000, 31999)(random);
    if (IsFree(port)) ports.insert(port);
  }
  return {ports.begin(), ports.end()};
}

}  // namespace

FireBrokers::FireBrokers() {
  // Between the choice of a free port and its use, someone else may take it.
  absl::StatusOr<std::unique_ptr<Broker>> broker;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const std::vector<int> ports = FreePorts(4);
    by_wire_ = absl::StrCat(Wire::HostAddress(), ":", ports[1]);
    by_login_ = absl::StrCat("127.0.0.1:", ports[2]);
    const std::string plain = absl::StrCat("PLAINTEXT://127.0.0.1:", ports[0]);
    const std::string login = "LOGIN://" + by_login_;
    const std::string controller = absl::StrCat("127.0.0.1:", ports[3]);
    std::vector<std::string> configs = Common();
    configs.insert(
        configs.end(),
        {absl::StrCat("listeners=", plain, ",", login, ",WIRE://0.0.0.0:", ports[1], ",CONTROLLER://", controller),
         absl::StrCat("advertised.listeners=", plain, ",", login, ",WIRE://", by_wire_),
         "controller.quorum.voters=1@" + controller,
         "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,WIRE:PLAINTEXT,LOGIN:SASL_PLAINTEXT",
         "listener.name.login.sasl.enabled.mechanisms=SCRAM-SHA-256",
         "listener.name.login.scram-sha-256.sasl.jaas.config="
         "org.apache.kafka.common.security.scram.ScramLoginModule required;",
         "listener.name.login.connections.max.reauth.ms=2000"});
    broker = Broker::Start(configs, ports[0]);
    if (broker.ok()) break;
  }
  ABSL_CHECK(broker.ok()) << broker.status();
  steady_ = *std::move(broker);
}

Broker& FireBrokers::mortal() {
  mortal_mu_.AssertHeld();
  if (mortal_ == nullptr) {
    auto broker = Broker::Start(Common());
    ABSL_CHECK(broker.ok()) << broker.status();
    mortal_ = *std::move(broker);
  }
  return *mortal_;
}

Wire& FireBrokers::wire() {
  wire_mu_.AssertHeld();
  if (wire_ == nullptr) wire_ = std::make_unique<Wire>();
  return *wire_;
}

}  // namespace st::e2e
