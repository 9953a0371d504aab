#include "lib/recover/recover.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/base/clock.h"
#include "lib/base/digest.h"
#include "lib/execute/facts.h"
#include "lib/execute/journal.h"
#include "lib/kafka/admin.h"
#include "lib/recover/judge.h"

namespace st::recover {
namespace {

using Evidence = v1::Recovery::Evidence;

absl::Status Refused(std::string_view code, std::string_view words) {
  return absl::FailedPreconditionError(absl::StrCat(code, ": ", words));
}

// A later action of the same resource was begun.
bool IsOvertaken(const v1::Intent& intent, const v1::Action& action, const transition::Progress& progress) {
  return std::any_of(intent.actions().begin(), intent.actions().end(), [&](const v1::Action& other) {
    return other.index() > action.index() && other.resource() == action.resource() &&
           transition::LastCheckpoint(progress, other.index()) != nullptr;
  });
}

// As for carrying it on. Of an input that is gone no partition can be asked by its number: what is committed is.
absl::StatusOr<transition::Facts> LookAt(const v1::Action& action, const execute::World& world) {
  absl::StatusOr<transition::Facts> facts = execute::Look(action, world);
  if (!facts.ok() || !action.has_create_runner() || facts->input.presence() != v1::ABSENT) return facts;
  const v1::CreateRunner& create = action.create_runner();
  absl::StatusOr<v1::GroupFacts> group = world.cluster->DescribeGroup(
      create.application_id(), {{create.input().name(), kafka::ClusterReader::kWhatIsCommitted}});
  if (!group.ok()) return group.status();
  facts->group = *std::move(group);
  return facts;
}

// Everything but settlement's judgement and the checksum.
absl::StatusOr<v1::Recovery> Observe(const execute::Journal& journal, v1::Receipt::Settlement settlement,
                                     const execute::World& world) {
  v1::Recovery recovery;
  recovery.set_version(1);
  recovery.set_address(journal.reference.address());
  recovery.set_store_id(journal.reference.store_id());
  recovery.set_revision(journal.snapshot.revision);
  recovery.set_operation_id(journal.snapshot.operation_id);
  recovery.set_intent_checksum(base::Sha256Hex(journal.snapshot.intent));
  recovery.set_settlement(settlement);
  recovery.set_observed_at_ms(world.clock->NowMs());
  recovery.set_by(world.by);
  transition::Progress progress;
  progress.operation_id = journal.intent.operation_id();
  progress.cluster_id = journal.intent.cluster_id();
  progress.checkpoints = journal.checkpoints;
  for (const v1::Action& action : journal.intent.actions()) {
    absl::StatusOr<transition::Facts> facts = LookAt(action, world);
    if (!facts.ok()) return facts.status();
    Evidence& evidence = *recovery.add_evidence();
    evidence = Judge(action, IsOvertaken(journal.intent, action, progress), *facts, &progress);
    evidence.set_facts(execute::Describe(action, *facts));
  }
  return recovery;
}

std::string SeenOf(const v1::Recovery& recovery) {
  std::string text;
  for (const Evidence& evidence : recovery.evidence()) {
    absl::StrAppend(&text, "\n  ", evidence.action_index(), " ", evidence.resource(), ": ",
                    Evidence::Verdict_Name(evidence.verdict()), "\n    ",
                    absl::StrReplaceAll(evidence.facts(), {{"\n", "\n    "}}));
  }
  return text;
}

absl::Status CheckAllowed(const v1::Recovery& recovery, const execute::Journal& journal) {
  const std::string reason = WhyNot(recovery.settlement(), recovery, !journal.checkpoints.empty());
  if (reason.empty()) return absl::OkStatus();
  return Refused("NOT_PROVEN", absl::StrCat(reason, "; what was seen:", SeenOf(recovery)));
}

// The world and the journal are what was reviewed.
std::string Difference(const v1::Recovery& reviewed, const v1::Recovery& now) {
  if (now.store_id() != reviewed.store_id()) return "it was made of another state store";
  if (now.operation_id() != reviewed.operation_id()) return "another operation is open now";
  if (now.revision() != reviewed.revision()) return "the operation went on since";
  if (now.intent_checksum() != reviewed.intent_checksum()) return "the intent is another one";
  for (int i = 0; i < std::min(now.evidence_size(), reviewed.evidence_size()); ++i) {
    const Evidence& then = reviewed.evidence(i);
    if (now.evidence(i).verdict() == then.verdict() &&
        base::Checksum(now.evidence(i).owned()) == base::Checksum(then.owned()))
      continue;
    return absl::StrCat(then.resource(), " is not as it was reviewed");
  }
  return now.evidence_size() == reviewed.evidence_size() ? "" : "the operation has other actions";
}

v1::OwnedResources NewOwnership(const execute::Journal& journal, const v1::Recovery& recovery) {
  std::vector<v1::Checkpoint> done;
  if (recovery.settlement() == v1::Receipt::OBSERVED) {
    for (const Evidence& evidence : recovery.evidence()) {
      if (evidence.verdict() != Evidence::INTENDED) continue;
      v1::Checkpoint& checkpoint = done.emplace_back();
      checkpoint.set_name(v1::Checkpoint::ACTION_DONE);
      *checkpoint.mutable_owned() = evidence.owned();
    }
  }
  return execute::NewOwnership(journal.ownership, done);
}

}  // namespace

absl::StatusOr<v1::Recovery> Propose(const std::string& address, v1::Receipt::Settlement settlement,
                                     const execute::World& world) {
  absl::StatusOr<execute::Journal> journal = execute::ReadJournal(*world.store, address);
  if (!journal.ok()) return journal.status();
  if (!journal->open) return Refused("NO_OPERATION", absl::StrCat("no operation is open at ", address));
  absl::StatusOr<v1::Recovery> recovery = Observe(*journal, settlement, world);
  if (!recovery.ok()) return recovery;
  if (absl::Status allowed = CheckAllowed(*recovery, *journal); !allowed.ok()) return allowed;
  recovery->set_checksum(base::Checksum(*recovery));
  return recovery;
}

absl::StatusOr<v1::Receipt> Settle(const v1::Recovery& recovery, const execute::World& world) {
  auto lease = world.store->Acquire(recovery.address());
  if (!lease.ok()) return lease.status();
  absl::StatusOr<execute::Journal> journal = execute::ReadJournal(*world.store, recovery.address());
  if (!journal.ok()) return journal.status();
  // It was written, and the answer was lost.
  if (!journal->open && journal->has_receipt && journal->receipt.recovery_checksum() == recovery.checksum()) {
    return journal->receipt;
  }
  if (!journal->open) return Refused("NO_OPERATION", absl::StrCat("no operation is open at ", recovery.address()));
  absl::StatusOr<v1::Recovery> now = Observe(*journal, recovery.settlement(), world);
  if (!now.ok()) return now.status();
  if (std::string difference = Difference(recovery, *now); !difference.empty()) {
    return Refused("STALE", absl::StrCat(difference, "; make and review a new file"));
  }
  if (absl::Status allowed = CheckAllowed(*now, *journal); !allowed.ok()) return allowed;
  const v1::OwnedResources after = NewOwnership(*journal, *now);
  const std::string bytes = base::DeterministicBytes(after);
  v1::Receipt receipt;
  receipt.set_operation_id(recovery.operation_id());
  receipt.set_plan_checksum(journal->intent.plan_checksum());
  receipt.set_serial_before(journal->snapshot.serial);
  receipt.set_serial_after(journal->snapshot.serial + (bytes == journal->snapshot.ownership ? 0 : 1));
  receipt.set_ownership_checksum(base::Sha256Hex(bytes));
  receipt.set_at_ms(world.clock->NowMs());
  receipt.set_authorizations(static_cast<uint32_t>(journal->authorizations.size()));
  receipt.set_settlement(recovery.settlement());
  receipt.set_recovery_checksum(recovery.checksum());
  execute::Writer writer(world.store, *std::move(lease), journal->snapshot.revision);
  if (absl::Status written = writer.Complete(after, receipt); !written.ok()) return written;
  return receipt;
}

std::string Defect(const v1::Recovery& recovery) {
  if (recovery.version() != 1) return "its version is not 1";
  v1::Recovery bare = recovery;
  bare.clear_checksum();
  return base::Checksum(bare) == recovery.checksum() ? "" : "its checksum is not that of its content";
}

std::string Summary(const v1::Recovery& recovery) {
  return absl::StrCat("operation ", recovery.operation_id(), " of ", recovery.address(), " can be settled as ",
                      v1::Receipt::Settlement_Name(recovery.settlement()), SeenOf(recovery),
                      "\n  when reviewed: ", "st-compile PROJECT | st-state recover --apply FILE --operation ",
                      recovery.operation_id(), " --checksum ", recovery.checksum());
}

std::string Summary(const v1::Receipt& receipt) {
  return absl::StrCat("operation ", receipt.operation_id(), " is settled as ",
                      v1::Receipt::Settlement_Name(receipt.settlement()), ", serial ", receipt.serial_before(), " to ",
                      receipt.serial_after(), "\n  next: st-compile PROJECT | st-observe | st-plan");
}

}  // namespace st::recover
