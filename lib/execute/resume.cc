#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"
#include "lib/base/id.h"
#include "lib/execute/execute.h"
#include "lib/execute/finish.h"
#include "lib/execute/finished.h"
#include "lib/execute/journal.h"
#include "lib/execute/loop.h"
#include "schemas/st/v1/plan.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::execute {
namespace {

// Plan and project are those that the intent holds.
std::string RefusedByIntent(const v1::Plan& plan, const v1::Topology& current, const std::string& operation_id,
                            const Journal& journal) {
  if (!journal.open) {
    return absl::StrCat("no operation is open at ", journal.reference.address(), ", so there is nothing to resume");
  }
  if (std::string copied = CopiedWords(journal); !copied.empty()) return copied;
  const v1::Intent& intent = journal.intent;
  if (intent.operation_id() != operation_id) {
    return absl::StrCat("the open operation of ", journal.reference.address(), " is ", intent.operation_id(), ", not ",
                        operation_id);
  }
  if (intent.plan_checksum() != plan.checksum()) {
    return "this is not the plan of that operation: give the reviewed plan file";
  }
  if (intent.topology_checksum() != current.checksum()) {
    return "the project is not what was reviewed: check out the reviewed version, resume, then plan the new one";
  }
  v1::Intent planned;
  *planned.mutable_actions() = plan.actions();
  v1::Intent intended;
  *intended.mutable_actions() = intent.actions();
  if (base::Checksum(planned) != base::Checksum(intended)) {
    return "the plan's actions are not those of the operation's intent";
  }
  if (journal.authorizations.size() >= kMaxAuthorizations) {
    return absl::StrCat("the operation was resumed ", journal.authorizations.size(),
                        " times, which is the bound; find out why "
                        "it never finishes");
  }
  return "";
}

v1::Authorization Authorize(const Journal& journal, const World& world) {
  v1::Authorization authorization;
  authorization.set_number(static_cast<uint32_t>(journal.authorizations.size()) + 1);
  authorization.set_by(world.by);
  authorization.set_at_ms(world.clock->NowMs());
  authorization.set_interruption(LastCheckpointWords(journal));
  authorization.set_tool(absl::StrCat("st-resume ", base::Version()));
  return authorization;
}

}  // namespace

absl::StatusOr<v1::ApplyReport> Resume(const v1::Plan& plan, const v1::Topology& current,
                                       const std::string& operation_id, const World& world) {
  v1::ApplyReport report;
  report.set_plan_checksum(plan.checksum());
  report.set_operation_id(operation_id);
  if (world.store == nullptr) return NoStore();
  const std::string& address = plan.state().address();
  auto lease = world.store->Acquire(address);
  if (absl::IsAborted(lease.status())) return Refused(std::move(report), std::string(lease.status().message()));
  if (!lease.ok()) return lease.status();
  absl::StatusOr<Journal> journal = ReadJournal(*world.store, address);
  if (!journal.ok()) return journal.status();
  *report.mutable_state_before() = journal->reference;
  if (!journal->open && journal->has_receipt && journal->receipt.operation_id() == operation_id) {
    return Finished(std::move(report), plan, *journal, world);
  }
  if (std::string reason = RefusedByIntent(plan, current, operation_id, *journal); !reason.empty()) {
    return Refused(std::move(report), reason);
  }
  transition::Progress progress = ResumedProgress(*journal, world);
  // Where only the completion is missing, nothing outside is asked or touched any more.
  if (NextAction(journal->intent, progress) != nullptr) {
    auto cluster = world.cluster->DescribeCluster();
    if (!cluster.ok()) return cluster.status();
    if (cluster->cluster_id() != journal->intent.cluster_id()) {
      return Refused(std::move(report),
                     absl::StrCat("CLUSTER_CHANGED: the operation works on cluster ", journal->intent.cluster_id(),
                                  ", this is ", cluster->cluster_id()));
    }
  }
  Writer writer(world.store, *std::move(lease), journal->snapshot.revision);
  v1::Authorization authorization = Authorize(*journal, world);
  world.boundary("before:authorization");
  if (absl::Status status = writer.Append(authorization); !status.ok()) {
    return Conclude(std::move(report), JournalFailed(status), journal->intent, journal->checkpoints);
  }
  world.boundary("after:authorization");
  journal->authorizations.push_back(std::move(authorization));
  return RunToTheEnd(std::move(report), journal->intent, *journal, world, &writer, &progress);
}

}  // namespace st::execute
