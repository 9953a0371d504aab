#include "tools/st-state/store_choice.h"

#include "lib/kafka/properties.h"
#include "lib/world/world.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::state_tool {

std::string StoreFlags::Error() const {
  if (!sqlite.empty() && !(postgres_dsn_env.empty() && schema.empty())) return "a store is in SQLite or in PostgreSQL";
  if (postgres_dsn_env.empty() != schema.empty())
    return "a PostgreSQL store needs a variable with its DSN and a schema";
  return "";
}

v1::StateSettings SettingsOf(const StoreFlags& flags) {
  v1::StateSettings settings;
  if (flags.sqlite.empty()) {
    settings.set_backend(v1::StateSettings::POSTGRES);
    settings.set_dsn_env(flags.postgres_dsn_env);
    settings.set_schema(flags.schema);
    return settings;
  }
  settings.set_backend(v1::StateSettings::SQLITE);
  settings.set_path(flags.sqlite);
  return settings;
}

absl::StatusOr<std::unique_ptr<state::WholeStore>> Open(const v1::StateSettings& settings, state::Access access) {
  return world::OpenStore(settings, access, kafka::ProcessLookup());
}

}  // namespace st::state_tool
