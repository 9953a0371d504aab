// What a state store holds, told and checked: the commands of st-state that only read.
#ifndef ST_TOOLS_ST_STATE_AUDIT_H_
#define ST_TOOLS_ST_STATE_AUDIT_H_

#include <string>

#include "absl/status/statusor.h"
#include "lib/state/whole_store.h"

namespace st::v1 {
class StoreHistory;
class StoreOverview;
}  // namespace st::v1

namespace st::state_tool {

// All addresses: what is open there, and who holds the lock. One whose operation cannot be read says so in its
// `damage`.
absl::StatusOr<v1::StoreOverview> Show(state::WholeStore& store);

// All addresses, every entry: the chain, the head, and each document against the entry that holds it.
absl::StatusOr<v1::StoreOverview> Verify(state::WholeStore& store);

absl::StatusOr<v1::StoreHistory> History(state::WholeStore& store, const std::string& address);

bool Damaged(const v1::StoreOverview& overview);

// Lines for people.
std::string Summary(const v1::StoreOverview& overview);
std::string Summary(const v1::StoreHistory& history);

}  // namespace st::state_tool

#endif  // ST_TOOLS_ST_STATE_AUDIT_H_
