// A way to connect, as a user declares it for the tools and as st-import is told.
#ifndef ST_E2E_SECURITY_WAY_H_
#define ST_E2E_SECURITY_WAY_H_

#include <string>
#include <utility>
#include <vector>

#include "e2e/pipe.h"
#include "e2e/security/secure_broker.h"

namespace st::e2e {

struct Way {
  std::string principal;  // whom the broker sees
  std::string address;
  // Client properties by librdkafka's names, as they are written: secrets as ${VAR}.
  std::vector<std::pair<std::string, std::string>> settings;
  Pipe::Environment environment;  // what the references stand for

  // With one setting replaced, added, or (empty value) taken away.
  Way With(const std::string& setting, const std::string& value) const;
  // With one variable set to another value.
  Way Where(const std::string& variable, const std::string& value) const;

  // The pipe's project, tools and runners connect in this way.
  void Declare(Pipe* pipe) const;
  // st-import of all topics, which `arguments` may narrow. The file of properties is written into `folder`.
  CommandResult Import(const Pipe& pipe, const std::vector<std::string>& arguments) const;
  // The file of a runner, with every reference resolved.
  std::string Resolved() const;
};

// For a user who is known by name, password and certificate. Variables: KAFKA_USER, KAFKA_PASSWORD, KAFKA_KEY, and so
// on.
Way Tls(const SecureBroker& broker);
Way Sasl(const SecureBroker& broker, const std::string& listener, const std::string& mechanism, const std::string& user,
         const std::string& password);
Way MutualTls(const SecureBroker& broker, const std::string& user);
Way MutualTlsWithPassword(const SecureBroker& broker, const std::string& user, const std::string& password);
Way MutualTlsInline(const SecureBroker& broker, const std::string& user, const std::string& password);

}  // namespace st::e2e

#endif  // ST_E2E_SECURITY_WAY_H_
