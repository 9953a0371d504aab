// Which store, and which address, a command is about: a project on the pipe, or flags. For st-state.
#ifndef ST_TOOLS_ST_STATE_STORE_CHOICE_H_
#define ST_TOOLS_ST_STATE_STORE_CHOICE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "lib/state/access.h"
#include "lib/state/whole_store.h"

namespace st::v1 {
class StateSettings;
}

namespace st::state_tool {

// As flags give it; all empty: none was named.
struct StoreFlags {
  std::string sqlite;
  std::string postgres_dsn_env;
  std::string schema;

  bool empty() const { return sqlite.empty() && postgres_dsn_env.empty() && schema.empty(); }
  // What is wrong with them together; empty: nothing.
  std::string Error() const;
};

// `flags` must be without error and not empty.
v1::StateSettings SettingsOf(const StoreFlags& flags);

// See world::OpenStore.
absl::StatusOr<std::unique_ptr<state::WholeStore>> Open(const v1::StateSettings& settings, state::Access access);

}  // namespace st::state_tool

#endif  // ST_TOOLS_ST_STATE_STORE_CHOICE_H_
