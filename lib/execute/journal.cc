#include "lib/execute/journal.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"

namespace st::execute {
namespace {

absl::Status Parse(const std::string& payload, const char* what, const std::string& address,
                   google::protobuf::MessageLite* message) {
  if (message->ParseFromString(payload)) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("the ", what, " of ", address,
                                          " in the state store cannot be read; restore "
                                          "the store from its backup"));
}

}  // namespace

absl::StatusOr<Journal> ReadJournal(state::StateStore& store, const std::string& address) {
  absl::StatusOr<state::Snapshot> snapshot = store.Read(address);
  if (!snapshot.ok()) return snapshot.status();
  Journal journal;
  journal.snapshot = *std::move(snapshot);
  const state::Snapshot& s = journal.snapshot;
  if (absl::Status status = Parse(s.ownership, "ownership", address, &journal.ownership); !status.ok()) return status;
  journal.reference.set_store_id(s.store_id);
  journal.reference.set_address(address);
  journal.reference.set_serial(s.serial);
  if (s.serial > 0) journal.reference.set_checksum(base::Sha256Hex(s.ownership));
  journal.reference.set_location(s.location);
  journal.open = !s.operation_id.empty();
  if (journal.open) {
    if (absl::Status status = Parse(s.intent, "intent", address, &journal.intent); !status.ok()) return status;
  }
  for (const state::Frame& frame : s.frames) {
    absl::Status status = frame.kind == state::Frame::Kind::kCheckpoint
                              ? Parse(frame.payload, "checkpoint", address, &journal.checkpoints.emplace_back())
                              : Parse(frame.payload, "authorization", address, &journal.authorizations.emplace_back());
    if (!status.ok()) return status;
  }
  journal.has_receipt = !s.last_receipt.empty();
  if (journal.has_receipt) {
    if (absl::Status status = Parse(s.last_receipt, "receipt", address, &journal.receipt); !status.ok()) return status;
  }
  return journal;
}

std::string LastCheckpointWords(const Journal& journal) {
  if (!journal.open) return "";
  if (journal.checkpoints.empty()) return "intent";
  const v1::Checkpoint& last = journal.checkpoints.back();
  const std::string resource = static_cast<int>(last.action_index()) < journal.intent.actions_size()
                                   ? journal.intent.actions(static_cast<int>(last.action_index())).resource()
                                   : absl::StrCat("action ", last.action_index());
  return absl::StrCat(v1::Checkpoint::Name_Name(last.name()), " of ", resource);
}

std::string CopiedWords(const Journal& journal) {
  if (!journal.open || journal.intent.copied_to().empty()) return "";
  return absl::StrCat("STATE_COPIED: the state of ", journal.reference.address(), " was copied to ",
                      journal.intent.copied_to(), " by ", journal.intent.by(),
                      ", and is not used here any more; declare that store");
}

absl::Status Writer::Took(absl::StatusOr<uint64_t> revision) {
  if (!revision.ok()) return revision.status();
  revision_ = *revision;
  return absl::OkStatus();
}

absl::Status Writer::Begin(const v1::Intent& intent) {
  if (absl::Status status = lease_->Check(); !status.ok()) return status;
  return Took(store_->Begin(*lease_, revision_, intent.operation_id(), base::DeterministicBytes(intent)));
}

absl::Status Writer::Append(const v1::Checkpoint& checkpoint) {
  if (absl::Status status = lease_->Check(); !status.ok()) return status;
  return Took(
      store_->Append(*lease_, revision_, {state::Frame::Kind::kCheckpoint, base::DeterministicBytes(checkpoint)}));
}

absl::Status Writer::Append(const v1::Authorization& authorization) {
  if (absl::Status status = lease_->Check(); !status.ok()) return status;
  return Took(store_->Append(*lease_, revision_,
                             {state::Frame::Kind::kAuthorization, base::DeterministicBytes(authorization)}));
}

absl::Status Writer::Complete(const v1::OwnedResources& ownership, const v1::Receipt& receipt) {
  if (absl::Status status = lease_->Check(); !status.ok()) return status;
  return Took(
      store_->Complete(*lease_, revision_, base::DeterministicBytes(ownership), base::DeterministicBytes(receipt)));
}

v1::OwnedResources NewOwnership(const v1::OwnedResources& before, const std::vector<v1::Checkpoint>& checkpoints) {
  std::map<std::string, const v1::OwnedResource*> by_resource;
  for (const v1::OwnedResource& owned : before.resources()) by_resource[owned.resource()] = &owned;
  for (const v1::Checkpoint& checkpoint : checkpoints) {
    if (checkpoint.name() == v1::Checkpoint::ACTION_DONE) {
      by_resource[checkpoint.owned().resource()] = &checkpoint.owned();
    }
  }
  v1::OwnedResources after;
  for (const auto& [resource, owned] : by_resource) *after.add_resources() = *owned;
  return after;
}

}  // namespace st::execute
