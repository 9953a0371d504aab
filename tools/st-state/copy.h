// One store's addresses brought into another: `st-state copy`.
#ifndef ST_TOOLS_ST_STATE_COPY_H_
#define ST_TOOLS_ST_STATE_COPY_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "lib/base/clock.h"
#include "lib/state/whole_store.h"

namespace st::v1 {
class StoreOverview;
}

namespace st::state_tool {

struct Copying {
  state::WholeStore* from = nullptr;
  state::WholeStore* to = nullptr;
  base::Clock* clock = nullptr;
  std::string by;  // user@host
  // Called before each write (`mark`, `import`); tests end it there.
  std::function<void(std::string_view)> boundary = [](std::string_view) {};
};

// `address` empty: all of them. Each one in the source first gets an open operation that says where it went, so that
// nothing is written there any more; then its log and ownership stand in the destination. When it is cut off in
// between, a second call carries it on. The serial stays; the store id does not, so plans made before are refused.
// FailedPrecondition, and nothing changed at that address, when nothing was ever written there, an operation is open or
// the destination has it already.
// Aborted when somebody holds a lock.
absl::StatusOr<v1::StoreOverview> Copy(const Copying& copying, const std::string& address);

}  // namespace st::state_tool

#endif  // ST_TOOLS_ST_STATE_COPY_H_
