#include "lib/execute/finish.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"

namespace st::execute {
namespace {

std::string ActionName(const v1::Action& action) {
  const auto* oneof = v1::Action::descriptor()->FindOneofByName("action");
  const auto* field = action.GetReflection()->GetOneofFieldDescriptor(action, oneof);
  return field == nullptr ? "" : absl::AsciiStrToUpper(field->name());
}

}  // namespace

std::string ResumeCommand(const std::string& operation_id) {
  return absl::StrCat("st-compile PROJECT | st-resume --plan PLAN --operation ", operation_id);
}

std::string SettleCommand() { return "st-compile PROJECT | st-state recover --settle observed"; }

absl::Status NoStore() { return absl::InternalError("no state store was opened"); }

v1::ApplyReport Refused(v1::ApplyReport report, std::string reason) {
  report.set_outcome(v1::ApplyReport::REFUSED);
  report.set_reason(std::move(reason));
  return report;
}

v1::ApplyReport Conclude(v1::ApplyReport report, const Ending& ending, const v1::Intent& intent,
                         const std::vector<v1::Checkpoint>& checkpoints) {
  report.set_outcome(ending.outcome);
  report.set_operation_id(intent.operation_id());
  if (ending.outcome == v1::ApplyReport::RUNNER_FAILED) {
    report.set_reason(ending.reason);
    report.set_next_command("st-compile PROJECT | st-observe | st-plan");
  } else if (ending.outcome != v1::ApplyReport::DONE) {
    report.set_reason(ending.way_out.empty() ? ending.reason : absl::StrCat(ending.reason, "; ", ending.way_out));
    report.set_next_command(ending.stale ? SettleCommand() : ResumeCommand(intent.operation_id()));
  }
  report.clear_actions();
  for (const v1::Action& action : intent.actions()) {
    v1::ApplyReport::ActionResult& result = *report.add_actions();
    result.set_index(action.index());
    result.set_resource(action.resource());
    result.set_action(ActionName(action));
    for (const v1::Checkpoint& checkpoint : checkpoints) {
      if (checkpoint.action_index() != action.index()) continue;
      result.set_detail(v1::Checkpoint::Name_Name(checkpoint.name()));
      if (!checkpoint.failure().empty())
        absl::StrAppend(result.mutable_detail(), "; ended since: ", checkpoint.failure());
      result.set_done(checkpoint.name() == v1::Checkpoint::ACTION_DONE);
    }
  }
  return report;
}

transition::Progress ResumedProgress(const Journal& journal, const World& world) {
  transition::Progress progress;
  progress.operation_id = journal.intent.operation_id();
  progress.cluster_id = journal.intent.cluster_id();
  progress.checkpoints = journal.checkpoints;
  progress.resuming = true;
  progress.run_started_ms = world.clock->NowMs();
  return progress;
}

v1::ApplyReport RunToTheEnd(v1::ApplyReport report, const v1::Intent& intent, const Journal& before, const World& world,
                            Writer* writer, transition::Progress* progress) {
  Ending ending = RunActions(intent, world, writer, progress);
  if (ending.outcome != v1::ApplyReport::DONE) {
    return Conclude(std::move(report), ending, intent, progress->checkpoints);
  }
  const v1::OwnedResources after = NewOwnership(before.ownership, progress->checkpoints);
  const std::string bytes = base::DeterministicBytes(after);
  const bool changed = bytes != before.snapshot.ownership;
  v1::Receipt receipt;
  receipt.set_operation_id(intent.operation_id());
  receipt.set_plan_checksum(intent.plan_checksum());
  receipt.set_serial_before(before.reference.serial());
  receipt.set_serial_after(before.reference.serial() + (changed ? 1 : 0));
  receipt.set_ownership_checksum(base::Sha256Hex(bytes));
  receipt.set_at_ms(world.clock->NowMs());
  receipt.set_authorizations(static_cast<uint32_t>(before.authorizations.size()));
  world.boundary("before:complete");
  if (absl::Status status = writer->Complete(after, receipt); !status.ok()) {
    return Conclude(std::move(report), JournalFailed(status), intent, progress->checkpoints);
  }
  world.boundary("after:complete");
  v1::StateReference& reference = *report.mutable_state_after();
  reference = before.reference;
  reference.set_serial(receipt.serial_after());
  reference.set_checksum(receipt.ownership_checksum());
  for (const v1::Checkpoint& checkpoint : progress->checkpoints) {
    if (checkpoint.failure().empty()) continue;
    ending = {v1::ApplyReport::RUNNER_FAILED,
              absl::StrCat(checkpoint.owned().resource(), " was started and has ended: ", checkpoint.failure()), ""};
  }
  return Conclude(std::move(report), ending, intent, progress->checkpoints);
}

}  // namespace st::execute
