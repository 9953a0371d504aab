// What every store does with an address's head and log, whatever keeps its rows. Pure. For this library's own files.
#ifndef ST_LIB_STATE_LOG_RULES_H_
#define ST_LIB_STATE_LOG_RULES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/state/state.h"
#include "lib/state/whole_store.h"

namespace st::state {

// The head of one address. One that was never written: all zero and empty, but for the chain's start.
struct Head {
  std::string address;
  uint64_t revision = 0;
  std::string chain;  // of the entry with that sequence
  uint64_t lock_epoch = 0;
  uint64_t serial = 0;
  std::string ownership;
  std::string operation_id;  // empty: none is open
};

// InvalidArgument unless an address or id has a length that stores can take.
absl::Status CheckName(std::string_view what, const std::string& name);

// What one write adds; NextEntry fills in the rest.
struct Change {
  std::string kind;
  std::string operation_id;  // set by begin only
  std::string payload;
  std::optional<std::string> ownership;  // the new one; of complete only
};

// A store whose writes all go one way.
class LogStore : public WholeStore {
 public:
  absl::StatusOr<uint64_t> Begin(const Lease& lease, uint64_t revision, const std::string& operation_id,
                                 const std::string& intent) final;
  absl::StatusOr<uint64_t> Append(const Lease& lease, uint64_t revision, const Frame& frame) final;
  absl::StatusOr<uint64_t> Complete(const Lease& lease, uint64_t revision, const std::string& ownership,
                                    const std::string& receipt) final;

 private:
  // In one transaction: the entry that NextEntry makes of it, and the head.
  virtual absl::StatusOr<uint64_t> Write(const Lease& lease, uint64_t revision, Change change) = 0;
};

// The entry that `change` adds after `head`, which gets its serial, ownership and operation, and keeps its revision
// and chain for the compare-and-swap. Aborted when epoch or revision moved on, FailedPrecondition when an operation is
// open where none may be, or the reverse.
absl::StatusOr<HistoryEntry> NextEntry(Change change, uint64_t epoch, uint64_t revision, int64_t at_ms, Head* head);

// DataLoss, saying what, unless the entries from `first` on follow `previous` (the chain before them) and each other,
// and end in the head.
absl::Status CheckLog(const Head& head, std::string_view previous, uint64_t first,
                      const std::vector<HistoryEntry>& entries);

// Operation and last receipt of a snapshot. `entries`: the receipt before the open operation, if there is one, and the
// operation; or the last receipt alone. DataLoss when they are something else.
absl::Status FillOperation(const Head& head, std::vector<HistoryEntry> entries, Snapshot* snapshot);

// The same log with the chain of another store. DataLoss unless it is a whole one of an address without an open
// operation that ends in `ownership`.
absl::StatusOr<std::vector<HistoryEntry>> Rechained(std::string_view store_id, std::string_view address,
                                                    std::vector<HistoryEntry> log, const std::string& ownership);

// Before `entry` of such a log is added: refuses under another epoch (Aborted) and where the address has something else
// (FailedPrecondition), and gives `head` what it has after it, but for revision and chain. Ownership is known of the
// last one only.
absl::Status ImportEntry(uint64_t epoch, const HistoryEntry& entry, const std::string& ownership, bool last,
                         Head* head);

}  // namespace st::state

#endif  // ST_LIB_STATE_LOG_RULES_H_
