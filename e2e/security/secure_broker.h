// The one secure broker of a test program, with those who are known to it and what they may do. What listens there and
// which certificates there are: tools/dev/kafka_secure.sh. A call that fails aborts the test with a sentence.
#ifndef ST_E2E_SECURITY_SECURE_BROKER_H_
#define ST_E2E_SECURITY_SECURE_BROKER_H_

#include <librdkafka/rdkafka.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "e2e/broker.h"
#include "lib/kafka/properties.h"

namespace st::e2e {

// One right as `kafka-acls` would add it.
struct Right {
  rd_kafka_ResourceType_t kind = RD_KAFKA_RESOURCE_TOPIC;
  std::string name = {};
  rd_kafka_AclOperation_t operation = RD_KAFKA_ACL_OPERATION_ALL;

  // "Describe on topic 'orders'", as our messages say it.
  std::string Text() const;
};

// Not thread-safe.
class SecureBroker {
 public:
  explicit SecureBroker(const std::map<std::string, std::string>& users);
  ~SecureBroker();
  SecureBroker(const SecureBroker&) = delete;
  SecureBroker& operator=(const SecureBroker&) = delete;

  std::string Address(const std::string& listener) const;
  std::string File(const std::string& name) const;  // "ca.pem": its path
  std::string Text(const std::string& name) const;  // its content
  std::string folder() const { return broker_->folder(); }

  // Return when the broker's authorizer has it. `principal`: without "User:".
  void Allow(const std::string& principal, const std::vector<Right>& rights);
  void Forbid(const std::string& principal, const Right& right);
  // Everything, everywhere.
  void AllowAll(const std::string& principal);

  // kafka-probe as the super user `admin`; must succeed.
  std::string Probe(const std::vector<std::string>& arguments, const std::string& input = "") const;
  // A topic of two partitions with {"k":"r0","n":0} to r19; 10 of them have n >= 10.
  void MakeInput(const std::string& topic) const;
  // Committed values, as soon as there are `wanted`, or after 60 s.
  std::vector<std::string> AwaitOutput(const std::string& topic, size_t wanted) const;

 private:
  void AwaitAcl(const std::string& principal, const Right& right, bool wanted);

  std::unique_ptr<Broker> broker_;
  rd_kafka_t* admin_ = nullptr;
};

}  // namespace st::e2e

#endif  // ST_E2E_SECURITY_SECURE_BROKER_H_
