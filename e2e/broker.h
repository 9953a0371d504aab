// A real Kafka broker of a test's own: fresh data, a free port, gone with the object.
#ifndef ST_E2E_BROKER_H_
#define ST_E2E_BROKER_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace st::e2e {

// Runs tools/dev/kafka, which must be among the test's data. Not thread-safe.
class Broker {
 public:
  // `configs`: KEY=VALUE of its own, beside the harness's or in their place. `port`: 0 for a free one.
  static absl::StatusOr<std::unique_ptr<Broker>> Start(const std::vector<std::string>& configs = {}, int port = 0);
  // `kafka start --secure`: what is there then, tools/dev/kafka_secure.sh says. `users`: password by name.
  static absl::StatusOr<std::unique_ptr<Broker>> StartSecure(const std::map<std::string, std::string>& users);
  ~Broker();
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;

  const std::string& folder() const { return folder_; }
  const std::string& bootstrap() const { return bootstrap_; }
  absl::Status Stop();
  absl::Status Kill();
  // Same data, same port.
  absl::Status Restart();

 private:
  // With a folder, and not started.
  static absl::StatusOr<std::unique_ptr<Broker>> New();
  absl::Status StartWith(const std::vector<std::string>& options);
  explicit Broker(std::string folder) : folder_(std::move(folder)) {}

  std::string folder_;
  std::string bootstrap_;
};

}  // namespace st::e2e

#endif  // ST_E2E_BROKER_H_
