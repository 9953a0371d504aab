#include "tools/st-observe/adapters.h"

#include <string>

#include "lib/base/clock.h"
#include "lib/host/process.h"
#include "lib/kafka/admin.h"
#include "lib/kafka/properties.h"
#include "lib/state/sqlite.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::observe {

World Adapters::world() const {
  World world;
  world.cluster = cluster_.get();
  world.host = host_.get();
  world.store = store_.get();
  world.clock = &base::RealClock();
  return world;
}

absl::StatusOr<std::unique_ptr<Adapters>> OpenAdapters(const v1::Topology& topology) {
  absl::StatusOr<kafka::Properties> properties =
      kafka::Resolve(topology.connection(), /*internal=*/false, kafka::ProcessLookup());
  if (!properties.ok()) return properties.status();
  absl::StatusOr<std::unique_ptr<kafka::ClusterAdmin>> cluster = kafka::OpenAdmin(*properties, "st-observe");
  if (!cluster.ok()) return cluster.status();
  std::unique_ptr<host::RunnerHost> host;
  if (topology.runner().host() == v1::PROCESS) {
    // Without a binary there is still something to see.
    absl::StatusOr<std::string> binary = host::FindRunnerBinary();
    host = host::OpenProcessHost(host::DefaultProcessRoot(), binary.ok() ? *binary : "");
  }
  std::unique_ptr<state::StateStore> store;
  if (topology.state().backend() != v1::StateSettings::POSTGRES) {
    const std::string& path = topology.state().path();
    absl::StatusOr<std::unique_ptr<state::StateStore>> opened =
        state::OpenSqlite(path.empty() ? state::DefaultSqlitePath() : path, state::Access::kReadOnly);
    if (!opened.ok()) return opened.status();
    store = *std::move(opened);
  }
  return std::make_unique<Adapters>(*std::move(cluster), std::move(host), std::move(store));
}

}  // namespace st::observe
