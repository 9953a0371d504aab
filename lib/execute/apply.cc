#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/id.h"
#include "lib/execute/execute.h"
#include "lib/execute/facts.h"
#include "lib/execute/finish.h"
#include "lib/execute/journal.h"
#include "lib/execute/loop.h"
#include "schemas/st/v1/plan.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::execute {
namespace {

// What needs no look outside.
std::string RefusedOnPaper(const v1::Plan& plan, const v1::Topology& current) {
  if (plan.offline())
    return "an offline plan assumes that nothing exists; it cannot be applied: observe and plan online";
  if (plan.blockers_size() > 0) {
    return absl::StrCat("the plan has ", plan.blockers_size(), " blockers, first ", plan.blockers(0).code(), " of ",
                        plan.blockers(0).resource(), ": ", plan.blockers(0).text(), "; ", plan.blockers(0).way_out());
  }
  if (current.checksum() != plan.topology().checksum()) {
    return "the project changed after the plan was made: observe and plan again";
  }
  return "";
}

// The state that was reviewed is the state that is.
std::string RefusedByState(const v1::Plan& plan, const Journal& journal) {
  if (std::string copied = CopiedWords(journal); !copied.empty()) return copied;
  if (journal.open) {
    return absl::StrCat("OPERATION_PENDING: operation ", journal.intent.operation_id(), " of ", journal.intent.by(),
                        " is open at ", LastCheckpointWords(journal), "; resume it first");
  }
  const v1::StateReference& reviewed = plan.state();
  const v1::StateReference& now = journal.reference;
  // A store that did not exist yet has no id; it is then known by its place.
  const bool fresh = reviewed.store_id().empty();
  if (fresh ? reviewed.location() != now.location() : reviewed.store_id() != now.store_id()) {
    return absl::StrCat("the plan was made against another state store (", reviewed.location(), ", this is ",
                        now.location(), "): observe and plan again");
  }
  // Where nothing was ever written, nothing changed since the review.
  const bool same = fresh ? journal.snapshot.revision == 0
                          : reviewed.serial() == now.serial() && reviewed.checksum() == now.checksum();
  if (!same) {
    return absl::StrCat("the plan is stale: it was made at serial ", reviewed.serial(), " of the state, which is at ",
                        now.serial(), " now; observe and plan again");
  }
  // A start, or offsets that were restored for it, may leave the ownership as it was: the serial does not tell.
  const bool applied = journal.has_receipt && journal.receipt.plan_checksum() == plan.checksum() &&
                       journal.receipt.settlement() == v1::Receipt::CARRIED_OUT;
  if (applied && !plan.actions().empty()) {
    return absl::StrCat("the plan is stale: operation ", journal.receipt.operation_id(),
                        " carried it out; observe and plan again");
  }
  return "";
}

// Everything that the actions rest on, before anything is begun: a plan that cannot be carried out whole is not begun.
absl::StatusOr<std::string> RefusedByWorld(const v1::Plan& plan, const World& world) {
  for (const v1::Action& action : plan.actions()) {
    absl::StatusOr<transition::Facts> facts = Look(action, world);
    if (!facts.ok()) return facts.status();
    const transition::Step step = transition::LookAhead(action, plan.cluster_id(), *facts);
    if (step.kind != transition::Step::Kind::kBlocked) continue;
    return absl::StrCat(step.code, ": ", step.text, "; ", step.way_out,
                        step.stale ? (step.way_out.empty() ? "observe and plan again" : "; observe and plan again")
                                   : ", then apply again");
  }
  return std::string();
}

v1::Intent MakeIntent(const v1::Plan& plan, const World& world) {
  v1::Intent intent;
  intent.set_version(1);
  intent.set_operation_id(base::NewUuid());
  *intent.mutable_state() = plan.state();
  intent.set_plan_checksum(plan.checksum());
  intent.set_topology_checksum(plan.topology().checksum());
  intent.set_cluster_id(plan.cluster_id());
  *intent.mutable_actions() = plan.actions();
  intent.set_by(world.by);
  intent.set_at_ms(world.clock->NowMs());
  intent.set_tool(absl::StrCat("st-apply ", base::Version()));
  return intent;
}

}  // namespace

std::optional<v1::ApplyReport> RefuseOnPaper(const v1::Plan& plan, const v1::Topology& current) {
  std::string reason = RefusedOnPaper(plan, current);
  if (reason.empty()) return std::nullopt;
  v1::ApplyReport report;
  report.set_plan_checksum(plan.checksum());
  return Refused(std::move(report), std::move(reason));
}

absl::StatusOr<v1::ApplyReport> Apply(const v1::Plan& plan, const v1::Topology& current, const World& world) {
  if (auto refused = RefuseOnPaper(plan, current)) return *std::move(refused);
  v1::ApplyReport report;
  report.set_plan_checksum(plan.checksum());

  if (world.store == nullptr) return NoStore();
  const std::string& address = plan.state().address();
  auto lease = world.store->Acquire(address);
  if (absl::IsAborted(lease.status())) return Refused(std::move(report), std::string(lease.status().message()));
  if (!lease.ok()) return lease.status();
  absl::StatusOr<Journal> journal = ReadJournal(*world.store, address);
  if (!journal.ok()) return journal.status();
  *report.mutable_state_before() = journal->reference;
  if (std::string reason = RefusedByState(plan, *journal); !reason.empty()) {
    if (journal->open && journal->intent.copied_to().empty())
      report.set_next_command(ResumeCommand(journal->intent.operation_id()));
    return Refused(std::move(report), reason);
  }
  if (plan.actions().empty()) {
    report.set_outcome(v1::ApplyReport::NO_CHANGES);
    *report.mutable_state_after() = journal->reference;
    return report;
  }
  absl::StatusOr<std::string> refused = RefusedByWorld(plan, world);
  if (!refused.ok()) return refused.status();
  if (!refused->empty()) return Refused(std::move(report), *refused);

  Writer writer(world.store, *std::move(lease), journal->snapshot.revision);
  v1::Intent intent = MakeIntent(plan, world);
  world.boundary("before:intent");
  if (absl::Status status = writer.Begin(intent); !status.ok()) {
    if (!absl::IsUnknown(status)) return status;
    report.set_operation_id(intent.operation_id());
    return Conclude(std::move(report), JournalFailed(status), intent, {});
  }
  world.boundary("after:intent");
  world.progress(absl::StrCat("operation ", intent.operation_id(), " is open"));

  transition::Progress progress;
  progress.operation_id = intent.operation_id();
  progress.cluster_id = intent.cluster_id();
  progress.run_started_ms = intent.at_ms();
  return RunToTheEnd(std::move(report), intent, *journal, world, &writer, &progress);
}

}  // namespace st::execute
