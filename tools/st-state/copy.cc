#include "tools/st-state/copy.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"
#include "lib/base/id.h"
#include "schemas/st/v1/operation.pb.h"
#include "schemas/st/v1/store.pb.h"

namespace st::state_tool {
namespace {

v1::Intent Mark(const Copying& copying, const state::Snapshot& source, const state::Snapshot& destination,
                const std::string& address) {
  v1::Intent intent;
  intent.set_version(1);
  intent.set_operation_id(base::NewUuid());
  intent.mutable_state()->set_store_id(source.store_id);
  intent.mutable_state()->set_address(address);
  intent.mutable_state()->set_serial(source.serial);
  if (source.serial > 0) intent.mutable_state()->set_checksum(base::Sha256Hex(source.ownership));
  intent.mutable_state()->set_location(source.location);
  intent.set_by(copying.by);
  intent.set_at_ms(copying.clock->NowMs());
  intent.set_tool(absl::StrCat("st-state ", base::Version()));
  intent.set_copied_to(destination.location);
  return intent;
}

// The address in the source is open, and that is by an earlier copy to this destination which was cut off.
bool IsMarkedFor(const state::Snapshot& source, const state::Snapshot& destination) {
  v1::Intent intent;
  return !source.operation_id.empty() && intent.ParseFromString(source.intent) && !intent.copied_to().empty() &&
         intent.copied_to() == destination.location && source.frames.empty();
}

// The destination holds this log, and perhaps more that was written there since.
absl::StatusOr<bool> Holds(state::WholeStore& store, const std::string& address,
                           const std::vector<state::HistoryEntry>& log) {
  absl::StatusOr<std::vector<state::HistoryEntry>> there = store.History(address);
  if (!there.ok()) return there.status();
  if (there->size() < log.size()) return false;
  for (size_t i = 0; i < log.size(); ++i) {
    if ((*there)[i].payload != log[i].payload || (*there)[i].at_ms != log[i].at_ms) return false;
  }
  return true;
}

absl::StatusOr<std::string> CopyOne(const Copying& copying, const std::string& address) {
  auto from_lease = copying.from->Acquire(address);
  if (!from_lease.ok()) return from_lease.status();
  absl::StatusOr<state::Snapshot> source = copying.from->Read(address);
  if (!source.ok()) return source.status();
  if (source->revision == 0) {
    return absl::FailedPreconditionError(absl::StrCat("NOTHING_TO_COPY: ", address,
                                                      ": nothing was ever written there in ", source->location,
                                                      "; st-state show lists what is there"));
  }
  auto to_lease = copying.to->Acquire(address);
  if (!to_lease.ok()) return to_lease.status();
  absl::StatusOr<state::Snapshot> destination = copying.to->Read(address);
  if (!destination.ok()) return destination.status();
  const bool marked = IsMarkedFor(*source, *destination);
  if (!source->operation_id.empty() && !marked) {
    return absl::FailedPreconditionError(absl::StrCat("OPERATION_PENDING: ", address, ": operation ",
                                                      source->operation_id, " is open; finish it first, then copy"));
  }
  absl::StatusOr<std::vector<state::HistoryEntry>> log = copying.from->History(address);
  if (!log.ok()) return log.status();
  if (marked) log->pop_back();
  if (destination->revision > 0) {
    absl::StatusOr<bool> copied = marked ? Holds(*copying.to, address, *log) : false;
    if (!copied.ok()) return copied.status();
    if (*copied) return std::string("was copied before");
    return absl::FailedPreconditionError(absl::StrCat("DESTINATION_NOT_EMPTY: ", address, ": ", destination->location,
                                                      " has this address already; copy into another store"));
  }
  if (!marked) {
    const v1::Intent mark = Mark(copying, *source, *destination, address);
    copying.boundary("mark");
    auto begun =
        copying.from->Begin(**from_lease, source->revision, mark.operation_id(), base::DeterministicBytes(mark));
    if (!begun.ok()) return begun.status();
  }
  copying.boundary("import");
  auto imported = copying.to->Import(**to_lease, *log, source->ownership);
  if (!imported.ok()) return imported.status();
  return absl::StrCat("copied, ", log->size(), " entries");
}

}  // namespace

absl::StatusOr<v1::StoreOverview> Copy(const Copying& copying, const std::string& address) {
  std::vector<std::string> addresses = {address};
  if (address.empty()) {
    addresses.clear();
    absl::StatusOr<std::vector<state::AddressSummary>> all = copying.from->Addresses();
    if (!all.ok()) return all.status();
    for (state::AddressSummary& summary : *all) addresses.push_back(std::move(summary.address));
  }
  v1::StoreOverview overview;
  for (const std::string& each : addresses) {
    absl::StatusOr<std::string> outcome = CopyOne(copying, each);
    if (!outcome.ok()) return outcome.status();
    absl::StatusOr<state::Snapshot> there = copying.to->Read(each);
    if (!there.ok()) return there.status();
    overview.set_location(there->location);
    overview.set_store_id(there->store_id);
    v1::StoreOverview::Address* told = overview.add_addresses();
    told->set_address(each);
    told->set_revision(there->revision);
    told->set_serial(there->serial);
    told->set_outcome(*std::move(outcome));
  }
  return overview;
}

}  // namespace st::state_tool
