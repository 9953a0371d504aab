// Where a real state store lies that the simulated world works on. Test-only.
#ifndef ST_LIB_EXECUTE_SIM_STORE_PLACE_H_
#define ST_LIB_EXECUTE_SIM_STORE_PLACE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/state/state.h"

namespace st::sim {

class StorePlace {
 public:
  virtual ~StorePlace() = default;
  // A new handle, as each process has its own; the first one makes the store.
  virtual absl::StatusOr<std::unique_ptr<state::StateStore>> Open() = 0;
  // Takes the address's lock from who holds it, without telling, so that another can have it.
  virtual void StealLock(const std::string& address) = 0;
  // All that is stored, to be put back later; no handle may be in use. An empty text puts back a store that does not
  // exist yet.
  virtual absl::StatusOr<std::string> Keep() = 0;
  virtual absl::Status PutBack(const std::string& kept) = 0;
};

// In a folder of its own, in memory where the machine allows it: what a power loss does is not asked here.
std::unique_ptr<StorePlace> NewSqlitePlace();

}  // namespace st::sim

#endif  // ST_LIB_EXECUTE_SIM_STORE_PLACE_H_
