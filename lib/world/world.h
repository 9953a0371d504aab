// Opens the adapters that a topology names: its cluster, its runner host, its state store. For the mains of the tools
// that go outside; one thread.
#ifndef ST_LIB_WORLD_WORLD_H_
#define ST_LIB_WORLD_WORLD_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/cli/cli.h"
#include "lib/execute/execute.h"
#include "lib/host/host.h"
#include "lib/kafka/admin.h"
#include "lib/kafka/properties.h"
#include "lib/state/access.h"
#include "lib/state/whole_store.h"

namespace st::v1 {
class StateSettings;
class Topology;
}  // namespace st::v1

namespace st::world {

struct World {
  std::unique_ptr<kafka::ClusterAdmin> cluster;
  std::unique_ptr<host::RunnerHost> host;  // null: no model has SQL
  std::unique_ptr<state::StateStore> store;
  // What a runner of this topology connects with; secret.
  std::string client_properties;
  std::vector<host::ClientFile> client_files;
};

// Connects to no broker yet, but to a PostgreSQL server that keeps the state. InvalidArgument: the state folder has a
// path that no document can hold. NotFound names the
// ${VAR}s that are unset, or a TLS file that a container would need; FailedPrecondition and DataLoss come from the
// state store.
absl::StatusOr<World> Open(const v1::Topology& topology, state::Access access, const std::string& client_id,
                           const kafka::Lookup& lookup);

// The same as lib/execute sees it: this machine's clock and user, progress as lines for people. Both arguments must
// outlive the result.
execute::World ForExecute(const World& world, const cli::Flags& flags, std::function<void(std::string_view)> boundary);

// The state store alone. InvalidArgument: the variable that should hold the connection string is not set.
absl::StatusOr<std::unique_ptr<state::WholeStore>> OpenStore(const v1::StateSettings& settings, state::Access access,
                                                             const kafka::Lookup& lookup);

}  // namespace st::world

#endif  // ST_LIB_WORLD_WORLD_H_
