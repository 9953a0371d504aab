#include "lib/state/log_rules.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"
#include "lib/state/history_chain.h"

namespace st::state {
namespace {

// Names become file names (escaped), and are read by people.
constexpr size_t kMaxName = 160;

}  // namespace

absl::Status CheckName(std::string_view what, const std::string& name) {
  if (!name.empty() && name.size() <= kMaxName) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the ", what, " must have 1 to ", kMaxName, " bytes"));
}

absl::StatusOr<uint64_t> LogStore::Begin(const Lease& lease, uint64_t revision, const std::string& operation_id,
                                         const std::string& intent) {
  if (absl::Status fit = CheckName("operation id", operation_id); !fit.ok()) return fit;
  return Write(lease, revision, {"begin", operation_id, intent, std::nullopt});
}

absl::StatusOr<uint64_t> LogStore::Append(const Lease& lease, uint64_t revision, const Frame& frame) {
  const char* kind = frame.kind == Frame::Kind::kCheckpoint ? "checkpoint" : "authorization";
  return Write(lease, revision, {kind, "", frame.payload, std::nullopt});
}

absl::StatusOr<uint64_t> LogStore::Complete(const Lease& lease, uint64_t revision, const std::string& ownership,
                                            const std::string& receipt) {
  return Write(lease, revision, {"complete", "", receipt, ownership});
}

absl::StatusOr<HistoryEntry> NextEntry(Change change, uint64_t epoch, uint64_t revision, int64_t at_ms, Head* head) {
  if (head->lock_epoch != epoch) {
    return absl::AbortedError(absl::StrCat(head->address, ": the lock was lost: another process has taken it since"));
  }
  if (head->revision != revision) {
    return absl::AbortedError(absl::StrCat(head->address, ": the state was changed since it was read (revision ",
                                           revision, " then, ", head->revision, " now); read it again"));
  }
  if (change.kind == "begin") {
    if (!head->operation_id.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat(head->address, ": operation ", head->operation_id, " is open; carry it on"));
    }
    head->operation_id = std::move(change.operation_id);
  } else if (head->operation_id.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(head->address, ": no operation is open"));
  }
  HistoryEntry entry;
  entry.operation_id = head->operation_id;
  if (change.ownership.has_value()) {
    if (*change.ownership != head->ownership) ++head->serial;
    head->ownership = *std::move(change.ownership);
    head->operation_id.clear();
  }
  entry.sequence = head->revision + 1;
  entry.at_ms = at_ms;
  entry.kind = std::move(change.kind);
  entry.payload = std::move(change.payload);
  entry.serial = head->serial;
  entry.ownership_sha256 = base::Sha256Hex(head->ownership);
  entry.chain = ChainNext(head->chain, entry);
  return entry;
}

absl::Status CheckLog(const Head& head, std::string_view previous, uint64_t first,
                      const std::vector<HistoryEntry>& entries) {
  if (absl::Status fit = CheckChain(previous, first, entries); !fit.ok()) return fit;
  const HistoryEntry nothing;
  const HistoryEntry& last = entries.empty() ? nothing : entries.back();
  const std::string_view chain = entries.empty() ? previous : std::string_view(last.chain);
  const bool same_ownership =
      head.revision == 0 ? head.ownership.empty() : last.ownership_sha256 == base::Sha256Hex(head.ownership);
  const bool same_operation = head.operation_id == (last.kind == "complete" ? "" : last.operation_id);
  if (last.sequence == head.revision && chain == head.chain && last.serial == head.serial && same_ownership &&
      same_operation) {
    return absl::OkStatus();
  }
  return absl::DataLossError("its head does not fit the end of its log");
}

absl::Status FillOperation(const Head& head, std::vector<HistoryEntry> entries, Snapshot* snapshot) {
  for (HistoryEntry& entry : entries) {
    const bool receipt = entry.kind == "complete";
    if (receipt == (entry.operation_id == head.operation_id)) {
      return absl::DataLossError(absl::StrCat("operation ", entry.operation_id, " is open or is not"));
    }
    if (receipt) {
      snapshot->last_receipt = std::move(entry.payload);
      snapshot->last_operation_id = std::move(entry.operation_id);
    } else if (entry.kind == "begin") {
      snapshot->intent = std::move(entry.payload);
    } else {
      const bool checkpoint = entry.kind == "checkpoint";
      snapshot->frames.push_back(
          {checkpoint ? Frame::Kind::kCheckpoint : Frame::Kind::kAuthorization, std::move(entry.payload)});
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<HistoryEntry>> Rechained(std::string_view store_id, std::string_view address,
                                                    std::vector<HistoryEntry> log, const std::string& ownership) {
  std::string chain = ChainStart(store_id, address);
  uint64_t sequence = 0;
  for (HistoryEntry& entry : log) {
    if (entry.sequence != ++sequence) return absl::DataLossError("the log to be copied has a gap");
    entry.chain = ChainNext(chain, entry);
    chain = entry.chain;
  }
  if (!log.empty() && log.back().kind == "complete" && log.back().ownership_sha256 == base::Sha256Hex(ownership)) {
    return log;
  }
  return absl::DataLossError("the log to be copied does not end in a finished operation and its ownership");
}

absl::Status ImportEntry(uint64_t epoch, const HistoryEntry& entry, const std::string& ownership, bool last,
                         Head* head) {
  if (head->lock_epoch != epoch) {
    return absl::AbortedError(absl::StrCat(head->address, ": the lock was lost: another process has taken it since"));
  }
  if (head->revision != entry.sequence - 1) {
    return absl::FailedPreconditionError(
        absl::StrCat(head->address, ": there is something already, and a copy never goes on top of it"));
  }
  head->serial = entry.serial;
  head->operation_id = entry.kind == "complete" ? "" : entry.operation_id;
  if (last) head->ownership = ownership;
  return absl::OkStatus();
}

}  // namespace st::state
