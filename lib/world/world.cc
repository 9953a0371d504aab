#include "lib/world/world.h"

#include <utility>

#include "lib/base/clock.h"
#include "lib/base/id.h"
#include "lib/host/process.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::world {

absl::StatusOr<std::unique_ptr<state::StateStore>> OpenStore(const v1::Topology& topology, state::Access access) {
  if (topology.state().backend() != v1::StateSettings::SQLITE) return nullptr;
  const std::string& path = topology.state().path();
  return state::OpenSqlite(path.empty() ? state::DefaultSqlitePath() : path, access);
}

absl::StatusOr<World> Open(const v1::Topology& topology, state::Access access, const std::string& client_id,
                           const kafka::Lookup& lookup) {
  World world;
  absl::StatusOr<kafka::Properties> properties = kafka::Resolve(topology.connection(), /*internal=*/false, lookup);
  if (!properties.ok()) return properties.status();
  absl::StatusOr<std::unique_ptr<kafka::ClusterAdmin>> cluster = kafka::OpenAdmin(*properties, client_id);
  if (!cluster.ok()) return cluster.status();
  world.cluster = *std::move(cluster);
  if (topology.runner().host() == v1::PROCESS) {
    absl::StatusOr<std::string> file = kafka::FormatProperties(*properties);
    if (!file.ok()) return file.status();
    world.client_properties = *std::move(file);
    // Without a binary the host can still be looked at; making a generation is then refused by the host itself.
    absl::StatusOr<std::string> binary = host::FindRunnerBinary();
    world.host = host::OpenProcessHost(host::DefaultProcessRoot(), binary.ok() ? *binary : "");
  }
  absl::StatusOr<std::unique_ptr<state::StateStore>> store = OpenStore(topology, access);
  if (!store.ok()) return store.status();
  world.store = *std::move(store);
  return world;
}

execute::World ForExecute(const World& world, const cli::Flags& flags, std::function<void(std::string_view)> boundary) {
  execute::World face;
  face.cluster = world.cluster.get();
  face.host = world.host.get();
  face.store = world.store.get();
  face.clock = &base::RealClock();
  face.client_properties = world.client_properties;
  face.by = base::WhoAmI();
  face.boundary = std::move(boundary);
  face.progress = [&flags](std::string_view line) { cli::Say(flags, line); };
  return face;
}

}  // namespace st::world
