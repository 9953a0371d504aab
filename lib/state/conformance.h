// What every StateStore must do. A parameterised GoogleTest suite: a backend instantiates it with
// INSTANTIATE_TEST_SUITE_P(Name, StoreConformance, testing::Values(StoreKind{...}), StoreKindName).
#ifndef ST_LIB_STATE_CONFORMANCE_H_
#define ST_LIB_STATE_CONFORMANCE_H_

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/state/state.h"

namespace st::state {

// What may be changed behind a store's back.
enum class Tampering {
  kPayloadOfEntry2,
  kOperationOfEntry2,
  kTimeOfEntry2,
  kDropEntry2,
  kDropLastEntry,
  kSwapEntries2And3,
  kOwnership,
  kSerial,
  kOpenOperation,
};

// One store, fresh, and its folder or schema; taken away by the destructor. Nothing is made by the constructor.
class StoreBench {
 public:
  virtual ~StoreBench() = default;
  // Another handle on the same store; the first one makes it.
  virtual absl::StatusOr<std::unique_ptr<StateStore>> Open() = 0;
  // As observers do.
  virtual absl::StatusOr<std::unique_ptr<StateStore>> OpenReadOnly() = 0;
  // Nothing of the store exists.
  virtual bool Exists() = 0;
  // Takes the lock from who holds it, without telling, so that another can have it.
  virtual absl::Status StealLock(const std::string& address) = 0;
  virtual absl::Status Tamper(const std::string& address, Tampering what) = 0;
};

struct StoreKind {
  std::string name;
  std::function<std::unique_ptr<StoreBench>()> make;
};

std::string StoreKindName(const testing::TestParamInfo<StoreKind>& info);

class StoreConformance : public testing::TestWithParam<StoreKind> {
 protected:
  void SetUp() override;

  // A handle that must open.
  std::unique_ptr<StateStore> Store();

  std::unique_ptr<StoreBench> bench_;
};

// One whole operation under a lease of its own: begin, a checkpoint, complete. Returns the last revision.
absl::StatusOr<uint64_t> RunOperation(StateStore* store, const std::string& address, const std::string& operation_id,
                                      const std::string& ownership);

}  // namespace st::state

#endif  // ST_LIB_STATE_CONFORMANCE_H_
