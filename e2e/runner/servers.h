// The one broker of a test program: started by the first test that asks, killed when the program ends.
#ifndef ST_E2E_RUNNER_SERVERS_H_
#define ST_E2E_RUNNER_SERVERS_H_

#include <string>
#include <vector>

#include "e2e/broker.h"

namespace st::e2e {

// `configs`: as of Broker::Start, taken from the first call.
Broker& SharedBroker(const std::vector<std::string>& configs = {});
const std::string& Servers();

}  // namespace st::e2e

#endif  // ST_E2E_RUNNER_SERVERS_H_
