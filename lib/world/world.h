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
#include "lib/state/sqlite.h"

namespace st::v1 {
class Topology;
}

namespace st::world {

struct World {
  std::unique_ptr<kafka::ClusterAdmin> cluster;
  std::unique_ptr<host::RunnerHost> host;    // null: no model has SQL
  std::unique_ptr<state::StateStore> store;  // null: this version has no such backend
  // What a runner of this topology connects with; secret.
  std::string client_properties;
  std::vector<host::ClientFile> client_files;
};

// Connects to nothing yet. InvalidArgument: the state folder has a path that no document can hold. NotFound names the
// ${VAR}s that are unset, or a TLS file that a container would need; FailedPrecondition and DataLoss come from the
// state store.
absl::StatusOr<World> Open(const v1::Topology& topology, state::Access access, const std::string& client_id,
                           const kafka::Lookup& lookup);

// The same as lib/execute sees it: this machine's clock and user, progress as lines for people. Both arguments must
// outlive the result.
execute::World ForExecute(const World& world, const cli::Flags& flags, std::function<void(std::string_view)> boundary);

// The state store alone.
absl::StatusOr<std::unique_ptr<state::StateStore>> OpenStore(const v1::Topology& topology, state::Access access);

}  // namespace st::world

#endif  // ST_LIB_WORLD_WORLD_H_
