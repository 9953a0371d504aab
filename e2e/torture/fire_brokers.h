// The brokers on which runners are under fire. Any thread.
#ifndef ST_E2E_TORTURE_FIRE_BROKERS_H_
#define ST_E2E_TORTURE_FIRE_BROKERS_H_

#include <memory>
#include <string>

#include "absl/synchronization/mutex.h"
#include "e2e/broker.h"
#include "e2e/torture/wire.h"

namespace st::e2e {

class FireBrokers {
 public:
  // Starts the steady one.
  FireBrokers();

  // Never goes down; many use it at once.
  const std::string& steady() const { return steady_->bootstrap(); }
  // The same one for processes on the wire, and for those who log in: SASL_PLAINTEXT, SCRAM-SHA-256, each login good
  // for two seconds.
  const std::string& steady_by_wire() const { return by_wire_; }
  const std::string& steady_by_login() const { return by_login_; }

  // Each of these is one episode's at a time, who holds the mutex.
  absl::Mutex& mortal_mu() { return mortal_mu_; }
  Broker& mortal();
  absl::Mutex& wire_mu() { return wire_mu_; }
  Wire& wire();

 private:
  std::string by_wire_, by_login_;
  std::unique_ptr<Broker> steady_;
  absl::Mutex mortal_mu_;
  std::unique_ptr<Broker> mortal_;
  absl::Mutex wire_mu_;
  std::unique_ptr<Wire> wire_;
};

}  // namespace st::e2e

#endif  // ST_E2E_TORTURE_FIRE_BROKERS_H_
