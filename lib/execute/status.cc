#include <string>

#include "absl/strings/str_cat.h"
#include "lib/execute/boundary.h"
#include "lib/execute/execute.h"
#include "lib/execute/facts.h"
#include "lib/execute/finish.h"
#include "lib/execute/journal.h"
#include "lib/execute/loop.h"

namespace st::execute {
namespace {

void DescribeNextStep(const transition::Step& step, v1::OperationStatus* status) {
  using Kind = transition::Step::Kind;
  status->set_allowed(step.kind != Kind::kBlocked);
  switch (step.kind) {
    case Kind::kDone:
      status->set_next_step("go on with the next action");
      status->set_reason("this action is done");
      return;
    case Kind::kBlocked:
      status->set_next_step("none");
      if (step.stale) status->set_next_command(SettleCommand());
      status->set_reason(absl::StrCat(step.code, ": ", step.text, "; ", HalfWay(step)));
      return;
    case Kind::kWait:
      status->set_next_step("wait");
      status->set_reason(step.text);
      return;
    case Kind::kRecord:
      status->set_next_step(absl::StrCat("record ", v1::Checkpoint::Name_Name(step.record.name())));
      status->set_reason("the facts are as this checkpoint needs them");
      return;
    case Kind::kDo:
      status->set_next_step(std::string(BoundaryName(step.act)));
      status->set_reason("the facts allow it, and a second one would be harmless");
      return;
  }
}

}  // namespace

absl::StatusOr<v1::OperationStatus> Status(const std::string& address, const World& world) {
  if (world.store == nullptr) return NoStore();
  absl::StatusOr<Journal> journal = ReadJournal(*world.store, address);
  if (!journal.ok()) return journal.status();
  v1::OperationStatus status;
  status.set_address(address);
  if (journal->has_receipt) *status.mutable_last_receipt() = journal->receipt;
  if (!journal->open) {
    status.set_next_step("none");
    status.set_reason("no operation is open");
    return status;
  }
  status.set_operation_id(journal->intent.operation_id());
  *status.mutable_intent() = journal->intent;
  for (const v1::Checkpoint& checkpoint : journal->checkpoints) *status.add_checkpoints() = checkpoint;
  for (const v1::Authorization& entry : journal->authorizations) *status.add_authorizations() = entry;
  if (std::string copied = CopiedWords(*journal); !copied.empty()) {
    status.set_next_step("none");
    status.set_reason(std::move(copied));
    return status;
  }
  status.set_next_command(ResumeCommand(journal->intent.operation_id()));
  if (journal->authorizations.size() >= kMaxAuthorizations) {
    status.clear_next_command();
    status.set_next_step("none");
    status.set_reason(absl::StrCat("it was resumed ", journal->authorizations.size(), " times, which is the bound"));
    return status;
  }
  const transition::Progress progress = ResumedProgress(*journal, world);
  const v1::Action* action = NextAction(journal->intent, progress);
  if (action == nullptr) {
    status.set_next_step("complete: record the new ownership");
    status.set_allowed(true);
    status.set_reason("every action is done");
    return status;
  }
  absl::StatusOr<transition::Facts> facts =
      world.cluster == nullptr ? absl::UnavailableError("no cluster to look at") : Look(*action, world);
  if (!facts.ok()) {
    status.set_facts(absl::StrCat("could not be looked at: ", facts.status().message(), "\n"));
    status.set_next_step("look again");
    status.set_reason("nothing is decided without fresh facts");
    status.set_not_reached(OtherSideNotReached(facts.status()));
    return status;
  }
  status.set_facts(Describe(*action, *facts));
  DescribeNextStep(transition::Next(*action, progress, *facts), &status);
  return status;
}

}  // namespace st::execute
