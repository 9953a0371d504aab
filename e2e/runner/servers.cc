#include "e2e/runner/servers.h"

#include <memory>

#include "absl/log/absl_check.h"

namespace st::e2e {

Broker& SharedBroker(const std::vector<std::string>& configs) {
  static const absl::StatusOr<std::unique_ptr<Broker>> broker = Broker::Start(configs);
  ABSL_CHECK(broker.ok()) << broker.status();
  return **broker;
}

const std::string& Servers() { return SharedBroker().bootstrap(); }

}  // namespace st::e2e
