// The tables of START_RUNNER and STOP_RUNNER: the very generation that we own.
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/transition/ending.h"
#include "lib/transition/runner_facts.h"

namespace st::transition {
namespace {

// When this action recorded its first checkpoint.
int64_t Begun(const Look& look) {
  for (const v1::Checkpoint& checkpoint : look.progress.checkpoints) {
    if (checkpoint.action_index() == look.action.index()) return checkpoint.at_ms();
  }
  return look.facts.now_ms;
}

Step FinishStart(const Look& look, const v1::GenerationFacts& generation, const std::string& failure) {
  v1::OwnedResource owned = look.action.prior();
  owned.mutable_runner()->set_running(true);
  if (failure.empty() || !ReadNothing(generation)) {
    owned.mutable_runner()->clear_closed();
    owned.mutable_runner()->clear_restored();
  }
  Step step = RecordOwned(look, owned);
  step.record.set_failure(failure);
  return step;
}

Step FinishStop(const Look& look) {
  v1::OwnedResource owned = look.action.prior();
  owned.mutable_runner()->set_running(false);
  *owned.mutable_runner()->mutable_closed() = look.last->vector();
  owned.mutable_runner()->clear_restored();
  return RecordOwned(look, owned);
}

// This action started it: its own status is younger than the action.
bool RanSinceBegun(const Look& look, const v1::GenerationFacts& generation) {
  return look.last != nullptr && generation.has_status() &&
         generation.status().generation_id() == generation.generation_id() &&
         generation.status().updated_at_ms() > Begun(look);
}

// Before the start: nobody reads, and the offsets are where a runner can go on; after a clean close or a restoration,
// exactly there, unless what this action started moved them and ended again.
std::optional<Step> CheckStartable(const Look& look, const v1::StartRunner& start,
                                   const v1::GenerationFacts& generation, const v1::GroupOffsets* offsets) {
  // They are written by the action before this one, which looks for itself.
  if (look.ahead && start.offsets_restored()) return CheckReadable(look, offsets);
  if (std::optional<Step> step = CheckQuiet(look, offsets, start.offsets())) return step;
  if (RanSinceBegun(look, generation)) return std::nullopt;
  return CheckStayed(look, offsets);
}

Step CloseAndRecord(const Look& look, const v1::StopRunner& stop, const v1::GenerationFacts& generation) {
  const v1::GroupOffsets* offsets = InputOffsets(look.facts.group, stop.input().name());
  // `closed` does not prove that the member left.
  if (std::optional<Step> step = CheckQuiet(look, offsets, stop.offsets())) return *step;
  const bool clean = ClosedCleanly(generation);
  // One that failed and said so left nothing open; whose end nobody wrote down is gone on with only when asked to.
  const bool said_so = generation.status().state() == v1::RunnerStatus::FAILED &&
                       generation.status().generation_id() == stop.generation_id();
  if (!clean && !said_so && !look.progress.resuming) {
    return Blocked("UNCLEAN_END",
                   absl::StrCat("runner ", stop.application_id(), " did not close cleanly: ", HowItEnded(generation)),
                   "its committed offsets are the truth all the same; resume to go on, marked unclean");
  }
  Step step = Record(look, v1::Checkpoint::GENERATION_CLOSED);
  step.record.set_generation_id(stop.generation_id());
  step.record.set_exit_code_known(generation.exit_code_known());
  step.record.set_exit_code(generation.exit_code());
  if (clean) KeepOffsets(offsets, step.record.mutable_vector());
  return step;
}

}  // namespace

Step NextStartRunner(const Look& look, const v1::StartRunner& start) {
  if (std::optional<Step> step = CheckPlaces(look, start)) return *step;
  const v1::GenerationFacts* found = nullptr;
  if (std::optional<Step> step = CheckGeneration(look, start.generation_id(), start.plan_sha256(), &found))
    return *step;
  if (std::optional<Step> step = CheckVolume(look, look.action.prior().runner().volume_instance())) return *step;
  if (found->binary_sha256() != start.runner_sha256()) {
    return Blocked("RUNNER_NOT_OURS",
                   absl::StrCat("the runner binary at ", found->location(), " is not the reviewed one"),
                   "somebody changed it: look at the host");
  }
  const v1::GroupOffsets* offsets = InputOffsets(look.facts.group, start.input().name());
  const bool running = found->state() == v1::GenerationFacts::RUNNING;
  if (look.reached() == v1::Checkpoint::NAME_UNSPECIFIED) {
    if (!running) {
      if (std::optional<Step> step = CheckStartable(look, start, *found, offsets)) return *step;
    }
    return Record(look, v1::Checkpoint::STARTED);
  }
  if (look.reached() == v1::Checkpoint::STARTED) {
    if (running || look.Crossed(Do::kStartGeneration)) {
      Step step = Record(look, v1::Checkpoint::GENERATION_STARTED);
      step.record.set_generation_id(start.generation_id());
      return step;
    }
    if (std::optional<Step> step = CheckStartable(look, start, *found, offsets)) return *step;
    return Cross(Do::kStartGeneration);
  }
  if (FailedByItself(*found, Begun(look))) {
    if (std::optional<Step> step = CheckSettled(look, start.input().name())) return *step;
    return FinishStart(look, *found, HowItEnded(*found));
  }
  if (!running) {
    if (look.progress.resuming && !look.Crossed(Do::kStartGeneration)) {
      if (std::optional<Step> step = CheckStartable(look, start, *found, offsets)) return *step;
      return Cross(Do::kStartGeneration);
    }
    return Blocked("RUNNER_FAILED", absl::StrCat("runner ", start.application_id(), " ended: ", HowItEnded(*found)),
                   absl::StrCat("mend the cause (log at ", found->location(), ")"));
  }
  if (std::optional<Step> step = CheckReady(look, *found, start.plan_sha256())) return *step;
  return FinishStart(look, *found, "");
}

Step NextStopRunner(const Look& look, const v1::StopRunner& stop) {
  if (look.reached() == v1::Checkpoint::GENERATION_CLOSED) return FinishStop(look);
  if (std::optional<Step> step = CheckPlaces(look, stop)) return *step;
  const v1::GenerationFacts* found = nullptr;
  if (std::optional<Step> step = CheckGeneration(look, stop.generation_id(), stop.plan_sha256(), &found)) return *step;
  if (look.reached() == v1::Checkpoint::NAME_UNSPECIFIED) return Record(look, v1::Checkpoint::STARTED);
  if (found->state() == v1::GenerationFacts::RUNNING) {
    if (!look.Crossed(Do::kStopGeneration)) return Cross(Do::kStopGeneration);
    return Wait(look, kCloseBoundMs, "STOP_TIMED_OUT",
                absl::StrCat("runner ", stop.application_id(), " was told to stop and still runs"),
                absl::StrCat("look at its log at ", found->location(), "; it is never killed from here"));
  }
  return CloseAndRecord(look, stop, *found);
}

}  // namespace st::transition
