#include "lib/world/world.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/clock.h"
#include "lib/base/id.h"
#include "lib/diag/diag.h"
#include "lib/fs/file.h"
#include "lib/host/docker.h"
#include "lib/host/process.h"
#include "lib/kafka/runner_files.h"
#include "lib/state/postgres.h"
#include "lib/state/sqlite.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::world {
namespace {

constexpr size_t kMaxPemBytes = 1 << 20;

void Take(kafka::RunnerFiles files, World* world) {
  world->client_properties = std::move(files.client_properties);
  for (kafka::RunnerFiles::File& file : files.files) {
    world->client_files.push_back({std::move(file.property), std::move(file.name), std::move(file.content)});
  }
}

absl::Status OpenProcess(const kafka::Properties& properties, World* world) {
  absl::StatusOr<kafka::RunnerFiles> files = kafka::SplitForRunner(properties);
  if (!files.ok()) return files.status();
  Take(*std::move(files), world);
  // Without a binary the host can still be looked at; making a generation is then refused by the host itself.
  absl::StatusOr<std::string> binary = host::FindRunnerBinary();
  world->host = host::OpenProcessHost(host::DefaultProcessRoot(), binary.ok() ? *binary : "");
  return absl::OkStatus();
}

absl::Status OpenDocker(const v1::Topology& topology, const kafka::Lookup& lookup, World* world) {
  absl::StatusOr<kafka::Properties> properties = kafka::Resolve(topology.connection(), /*internal=*/true, lookup);
  if (!properties.ok()) return properties.status();
  absl::StatusOr<kafka::RunnerFiles> files =
      kafka::SplitForContainer(*properties, [](const std::string& path) { return fs::ReadFile(path, kMaxPemBytes); });
  if (!files.ok()) return files.status();
  Take(*std::move(files), world);
  absl::StatusOr<std::string> socket = host::DockerSocket();
  if (!socket.ok()) return socket.status();
  world->host = host::OpenDockerHost({.socket = *std::move(socket),
                                      .root = host::DefaultDockerRoot(),
                                      .image = topology.runner().image(),
                                      .network = topology.runner().network()});
  return absl::OkStatus();
}

// Documents say where the state and the runners lie, and a document is text that people read.
absl::Status CheckStateFolder() {
  std::error_code error;
  const std::string folder = std::filesystem::absolute(fs::StateFolder(), error).string();
  if (error || !diag::HasInvisible(folder, /*allow_whitespace=*/false)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      diag::Visible(folder), ": the state folder's path is not UTF-8, or holds what nobody can see, and no ",
      "document can name it; set ST_STATE_DIR to another"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<state::WholeStore>> OpenStore(const v1::StateSettings& settings, state::Access access,
                                                             const kafka::Lookup& lookup) {
  if (settings.backend() == v1::StateSettings::POSTGRES) {
    std::optional<std::string> dsn = lookup(settings.dsn_env());
    if (!dsn.has_value() || dsn->empty()) {
      return absl::InvalidArgumentError(absl::StrCat("${", settings.dsn_env(),
                                                     "} is not set, and should hold the connection string of the ",
                                                     "PostgreSQL server that keeps the state"));
    }
    return state::OpenPostgres({*std::move(dsn), settings.dsn_env(), settings.schema()}, access);
  }
  if (!settings.path().empty()) return state::OpenSqlite(settings.path(), access);
  const std::string by_default = state::DefaultSqlitePath();
  if (by_default[0] != '/') {
    return absl::InvalidArgumentError(
        absl::StrCat("ST_STATE_DIR is relative (", diag::Visible(by_default, 200),
                     "), and would mean another state in each folder that a tool runs in; give an absolute path"));
  }
  return state::OpenSqlite(by_default, access);
}

absl::StatusOr<World> Open(const v1::Topology& topology, state::Access access, const std::string& client_id,
                           const kafka::Lookup& lookup) {
  if (absl::Status fit = CheckStateFolder(); !fit.ok()) return fit;
  World world;
  absl::StatusOr<kafka::Properties> properties = kafka::Resolve(topology.connection(), /*internal=*/false, lookup);
  if (!properties.ok()) return properties.status();
  absl::StatusOr<std::unique_ptr<kafka::ClusterAdmin>> cluster = kafka::OpenAdmin(*properties, client_id);
  if (!cluster.ok()) return cluster.status();
  world.cluster = *std::move(cluster);
  if (topology.runner().host() == v1::PROCESS) {
    if (absl::Status status = OpenProcess(*properties, &world); !status.ok()) return status;
  } else if (topology.runner().host() == v1::DOCKER) {
    if (absl::Status status = OpenDocker(topology, lookup, &world); !status.ok()) return status;
  }
  absl::StatusOr<std::unique_ptr<state::WholeStore>> store = OpenStore(topology.state(), access, lookup);
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
  face.client_files = world.client_files;
  face.by = base::WhoAmI();
  face.boundary = std::move(boundary);
  face.progress = [&flags](std::string_view line) { cli::Say(flags, line); };
  return face;
}

}  // namespace st::world
