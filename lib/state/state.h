// Ownership and journal. An edge with two real implementations (SQLite, PostgreSQL); one conformance suite. The
// store knows no meaning: it keeps framed payloads (docs/journal.md).
#ifndef ST_LIB_STATE_STATE_H_
#define ST_LIB_STATE_STATE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace st::state {

// One durable frame of the open operation, in order.
struct Frame {
  enum class Kind { kCheckpoint = 1, kAuthorization = 2 };
  Kind kind;
  std::string payload;
};

// All that one address has, read in one transaction.
struct Snapshot {
  std::string store_id;
  std::string location;       // for people
  uint64_t revision = 0;      // grows with every write
  uint64_t serial = 0;        // grows by one when ownership changes
  std::string ownership;      // payload; empty at serial 0
  std::string operation_id;   // empty: none is open
  std::string intent;         // payload of the open operation
  std::vector<Frame> frames;  // of the open operation
  std::string last_receipt;   // payload of the last finished operation; empty: none
  std::string last_operation_id;
};

struct HistoryEntry {
  uint64_t sequence = 0;  // 1, 2, 3, ... within the address
  int64_t at_ms = 0;
  std::string kind;  // begin, checkpoint, authorization, complete, abandon
  std::string operation_id;
  std::string payload;
  std::string chain;  // SHA-256 over the previous entry's chain and this entry's fields
};

// The exclusive right to write one address; released by its destructor.
class Lease {
 public:
  virtual ~Lease() = default;
  virtual uint64_t epoch() const = 0;
  // Asks the lock's keeper; Aborted when it is lost. To be called before every outside step.
  virtual absl::Status Check() = 0;
};

// Failures: Unavailable (not reached, locked by another: says whom), Aborted (compare-and-swap lost: revision or
// epoch moved on), DataLoss (corrupt, or the chain does not hold), FailedPrecondition (a newer schema; a read-only or
// full disk before anything was written), Unknown (a COMMIT whose outcome is not known).
class StateStore {
 public:
  virtual ~StateStore() = default;
  virtual absl::StatusOr<Snapshot> Read(const std::string& address) = 0;
  virtual absl::StatusOr<std::unique_ptr<Lease>> Acquire(const std::string& address) = 0;
  // Each is one transaction with its history row; `revision` is the one that was read, and the new one is returned.
  virtual absl::StatusOr<uint64_t> Begin(const Lease& lease, const std::string& address, uint64_t revision,
                                         const std::string& operation_id, const std::string& intent) = 0;
  virtual absl::StatusOr<uint64_t> Append(const Lease& lease, const std::string& address, uint64_t revision,
                                          const Frame& frame) = 0;
  // Ownership (serial grows by one when it differs), the receipt and the clearing of the operation.
  virtual absl::StatusOr<uint64_t> Complete(const Lease& lease, const std::string& address, uint64_t revision,
                                            const std::string& ownership, const std::string& receipt) = 0;
  virtual absl::StatusOr<std::vector<HistoryEntry>> History(const std::string& address) = 0;
};

enum class Access {
  kReadOnly,   // a store that does not exist yet reads as empty and is not made
  kReadWrite,  // made when missing, 0600
};

absl::StatusOr<std::unique_ptr<StateStore>> OpenSqlite(const std::string& path, Access access);

// $ST_STATE_DIR/state.db, else $XDG_STATE_HOME/st/state.db, else ~/.local/state/st/state.db.
std::string DefaultSqlitePath();

}  // namespace st::state

#endif  // ST_LIB_STATE_STATE_H_
