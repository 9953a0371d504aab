// Ownership and journal. An edge with two real implementations (SQLite, PostgreSQL); one conformance suite. The
// store knows no meaning: it keeps framed payloads (docs/journal.md).
//
// An address is <project>/<environment>. It has a log that only grows, and a head: the ownership, its serial, and
// which operation is open. Each write adds one entry to the log and moves the head, in one transaction.
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
//
// A store that does not exist yet has no id. A reference taken from it (id empty, serial 0) is proven to be the same
// by: the same location, and revision 0, as the store may be made and may serve other addresses in between, but
// nothing was ever written here. Any other reference: the same id, serial and checksum.
struct Snapshot {
  std::string store_id;       // random, made with the store; empty: there is no store yet
  std::string location;       // for people: the file's absolute path
  uint64_t revision = 0;      // grows by one with every write; 0: nothing was ever written
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
  std::string kind;  // begin, checkpoint, authorization, complete
  std::string operation_id;
  std::string payload;           // intent, frame or receipt
  uint64_t serial = 0;           // after this entry
  std::string ownership_sha256;  // of the ownership after this entry
  std::string chain;             // SHA-256 over the previous entry's chain and this entry's fields: history_chain.h
};

// The exclusive right to write one address; released by its destructor.
class Lease {
 public:
  virtual ~Lease() = default;
  virtual const std::string& address() const = 0;
  // Grows by one with each Acquire of the address; a write under an older one is refused.
  virtual uint64_t epoch() const = 0;
  // Asks the lock's keeper; Aborted when it is lost, Unavailable when it cannot be asked. To be called before every
  // outside step.
  virtual absl::Status Check() = 0;
};

// One thread at a time. Failures: Unavailable (not reached, busy, no room, a read-only mount), Aborted (locked by
// another: says whom; compare-and-swap lost: revision or epoch moved on), DataLoss (corrupt, or the chain does not
// hold), FailedPrecondition (a newer schema; a mode that forbids to write; an operation is open where none may be, or
// the reverse), AlreadyExists (an operation id that was used before), InvalidArgument (an empty or overlong address or
// id), Unknown (a COMMIT whose outcome could not be read back either). After any failure but Unknown the stored state
// is what it was before the call.
class StateStore {
 public:
  virtual ~StateStore() = default;
  // Needs no lease. Checks the head and the open operation against the log's chain.
  virtual absl::StatusOr<Snapshot> Read(const std::string& address) = 0;
  // Does not wait. The lease must not outlive the store.
  virtual absl::StatusOr<std::unique_ptr<Lease>> Acquire(const std::string& address) = 0;
  // Each write is one transaction with its log entry; `revision` is the one that was read, and the new one is
  // returned. Begin: no operation is open. Append and Complete: one is.
  virtual absl::StatusOr<uint64_t> Begin(const Lease& lease, uint64_t revision, const std::string& operation_id,
                                         const std::string& intent) = 0;
  virtual absl::StatusOr<uint64_t> Append(const Lease& lease, uint64_t revision, const Frame& frame) = 0;
  // Ownership (serial grows by one when it differs), the receipt and the clearing of the operation.
  virtual absl::StatusOr<uint64_t> Complete(const Lease& lease, uint64_t revision, const std::string& ownership,
                                            const std::string& receipt) = 0;
  // The whole log, oldest first, with its chain verified.
  virtual absl::StatusOr<std::vector<HistoryEntry>> History(const std::string& address) = 0;
};

}  // namespace st::state

#endif  // ST_LIB_STATE_STATE_H_
