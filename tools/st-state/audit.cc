#include "tools/st-state/audit.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/clock.h"
#include "schemas/st/v1/state.pb.h"
#include "schemas/st/v1/store.pb.h"

namespace st::state_tool {
namespace {

// Of no project: what a store says of itself stands in every snapshot.
constexpr char kNowhere[] = "-";

std::string When(int64_t at_ms) { return base::FormatRfc3339(at_ms).text; }

std::string Words(const v1::Intent& intent) {
  const std::string begun = absl::StrCat("begun ", When(intent.at_ms()), " by ", intent.by());
  if (!intent.copied_to().empty())
    return absl::StrCat(begun, ": copied to ", intent.copied_to(), ", and not used here any more");
  return absl::StrCat(begun, ", ", intent.actions_size(), " actions");
}

absl::StatusOr<v1::StoreOverview> Heads(state::WholeStore& store) {
  v1::StoreOverview overview;
  absl::StatusOr<state::Snapshot> any = store.Read(kNowhere);
  if (!any.ok()) return any.status();
  overview.set_location(any->location);
  overview.set_store_id(any->store_id);
  absl::StatusOr<std::vector<state::AddressSummary>> addresses = store.Addresses();
  if (!addresses.ok()) return addresses.status();
  for (state::AddressSummary& summary : *addresses) {
    v1::StoreOverview::Address* address = overview.add_addresses();
    address->set_address(std::move(summary.address));
    address->set_revision(summary.revision);
    address->set_serial(summary.serial);
    address->set_operation_id(std::move(summary.operation_id));
    address->set_lock_holder(std::move(summary.holder));
  }
  return overview;
}

// The payload as the message that its kind says. False when it is none.
bool Understand(const state::HistoryEntry& entry, v1::StoreHistory::Entry* told) {
  if (entry.kind == "begin") return told->mutable_begin()->ParseFromString(entry.payload);
  if (entry.kind == "checkpoint") return told->mutable_checkpoint()->ParseFromString(entry.payload);
  if (entry.kind == "authorization") return told->mutable_authorization()->ParseFromString(entry.payload);
  return told->mutable_complete()->ParseFromString(entry.payload);
}

// What an entry's document says against what the store says of it; empty: it fits.
std::string Contradiction(const state::HistoryEntry& entry, const v1::StoreHistory::Entry& told) {
  if (told.has_begin() && told.begin().operation_id() != entry.operation_id) return "an intent of another operation";
  if (!told.has_complete()) return "";
  const v1::Receipt& receipt = told.complete();
  if (receipt.operation_id() != entry.operation_id) return "a receipt of another operation";
  if (receipt.serial_after() != entry.serial) return "a receipt of another serial";
  if (entry.serial > 0 && receipt.ownership_checksum() != entry.ownership_sha256)
    return "a receipt of another ownership";
  return "";
}

std::string DamageOf(state::WholeStore& store, const std::string& address, uint64_t* verified) {
  absl::StatusOr<std::vector<state::HistoryEntry>> entries = store.History(address);
  if (!entries.ok()) return std::string(entries.status().message());
  for (const state::HistoryEntry& entry : *entries) {
    v1::StoreHistory::Entry told;
    const std::string wrong = Understand(entry, &told) ? Contradiction(entry, told) : "a document that cannot be read";
    if (!wrong.empty()) return absl::StrCat("entry ", entry.sequence, " of the log holds ", wrong);
    ++*verified;
  }
  absl::StatusOr<state::Snapshot> snapshot = store.Read(address);
  if (!snapshot.ok()) return std::string(snapshot.status().message());
  return v1::OwnedResources().ParseFromString(snapshot->ownership) ? "" : "the ownership cannot be read";
}

std::string Words(const v1::StoreHistory::Entry& entry) {
  switch (entry.kind_case()) {
    case v1::StoreHistory::Entry::kBegin:
      return absl::StrCat("begin          ", entry.begin().actions_size(), " actions, by ", entry.begin().by(),
                          entry.begin().copied_to().empty() ? "" : ", copied to ", entry.begin().copied_to());
    case v1::StoreHistory::Entry::kCheckpoint:
      return absl::StrCat("checkpoint     action ", entry.checkpoint().action_index(), " ",
                          v1::Checkpoint::Name_Name(entry.checkpoint().name()));
    case v1::StoreHistory::Entry::kAuthorization:
      return absl::StrCat("authorization  ", entry.authorization().number(), ", by ", entry.authorization().by(),
                          ", at ", entry.authorization().interruption());
    case v1::StoreHistory::Entry::kComplete:
      return absl::StrCat("complete       ", v1::Receipt::Settlement_Name(entry.complete().settlement()), ", serial ",
                          entry.complete().serial_before(), " to ", entry.complete().serial_after());
    case v1::StoreHistory::Entry::KIND_NOT_SET:
      break;
  }
  return "?";
}

}  // namespace

absl::StatusOr<v1::StoreOverview> Show(state::WholeStore& store) {
  absl::StatusOr<v1::StoreOverview> overview = Heads(store);
  if (!overview.ok()) return overview;
  for (v1::StoreOverview::Address& address : *overview->mutable_addresses()) {
    absl::StatusOr<state::Snapshot> snapshot = store.Read(address.address());
    v1::Intent intent;
    if (!snapshot.ok()) {
      if (!absl::IsDataLoss(snapshot.status())) return snapshot.status();
      address.set_damage(std::string(snapshot.status().message()));
    } else if (!intent.ParseFromString(snapshot->intent)) {
      address.set_damage("the open operation's intent cannot be read");
    } else if (!snapshot->operation_id.empty()) {
      address.set_operation(Words(intent));
    }
  }
  return overview;
}

absl::StatusOr<v1::StoreOverview> Verify(state::WholeStore& store) {
  absl::StatusOr<v1::StoreOverview> overview = Heads(store);
  if (!overview.ok()) return overview;
  for (v1::StoreOverview::Address& address : *overview->mutable_addresses()) {
    uint64_t verified = 0;
    address.set_damage(DamageOf(store, address.address(), &verified));
    address.set_verified(verified);
  }
  return overview;
}

absl::StatusOr<v1::StoreHistory> History(state::WholeStore& store, const std::string& address) {
  absl::StatusOr<state::Snapshot> snapshot = store.Read(address);
  if (!snapshot.ok()) return snapshot.status();
  absl::StatusOr<std::vector<state::HistoryEntry>> entries = store.History(address);
  if (!entries.ok()) return entries.status();
  v1::StoreHistory history;
  history.set_location(snapshot->location);
  history.set_store_id(snapshot->store_id);
  history.set_address(address);
  for (state::HistoryEntry& entry : *entries) {
    v1::StoreHistory::Entry* told = history.add_entries();
    told->set_sequence(entry.sequence);
    told->set_at_ms(entry.at_ms);
    told->set_operation_id(entry.operation_id);
    told->set_serial(entry.serial);
    told->set_ownership_sha256(entry.ownership_sha256);
    told->set_chain(entry.chain);
    if (!Understand(entry, told)) {
      return absl::DataLossError(absl::StrCat(snapshot->location, ": ", address, ": entry ", entry.sequence,
                                              " of the log holds a document that cannot be read"));
    }
  }
  return history;
}

bool Damaged(const v1::StoreOverview& overview) {
  for (const v1::StoreOverview::Address& address : overview.addresses()) {
    if (!address.damage().empty()) return true;
  }
  return false;
}

std::string Summary(const v1::StoreOverview& overview) {
  if (overview.store_id().empty()) return absl::StrCat(overview.location(), ": there is no state store yet");
  std::string text =
      absl::StrCat(overview.location(), ": store ", overview.store_id(), ", ", overview.addresses_size(), " addresses");
  for (const v1::StoreOverview::Address& address : overview.addresses()) {
    absl::StrAppend(&text, "\n  ", address.address(), ": serial ", address.serial(), ", revision ", address.revision());
    if (address.verified() > 0) absl::StrAppend(&text, ", ", address.verified(), " entries verified");
    if (!address.outcome().empty()) absl::StrAppend(&text, ", ", address.outcome());
    if (!address.damage().empty()) absl::StrAppend(&text, "\n    DAMAGED: ", address.damage());
    if (!address.operation_id().empty()) {
      absl::StrAppend(&text, "\n    operation ", address.operation_id(), " is open, ", address.operation());
    }
    if (!address.lock_holder().empty()) absl::StrAppend(&text, "\n    locked by ", address.lock_holder());
  }
  return text;
}

std::string Summary(const v1::StoreHistory& history) {
  std::string text = absl::StrCat(history.address(), " in ", history.location(), ": ", history.entries_size(),
                                  " entries, the chain holds");
  for (const v1::StoreHistory::Entry& entry : history.entries()) {
    absl::StrAppendFormat(&text, "\n%5d  %s  %.8s  serial %d  ", entry.sequence(), When(entry.at_ms()),
                          entry.operation_id(), entry.serial());
    absl::StrAppend(&text, Words(entry));
  }
  return text;
}

}  // namespace st::state_tool
