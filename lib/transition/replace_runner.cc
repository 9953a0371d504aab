// The table of REPLACE_RUNNER: close the old generation, take it away, make the new one, start it. No offset is
// written, nothing is removed that was not seen to have ended, and the volume stays.
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/transition/candidate.h"
#include "lib/transition/ending.h"

namespace st::transition {
namespace {

const v1::OwnedRunner& Prior(const Look& look) { return look.action.prior().runner(); }

const v1::GroupOffsets* OffsetsOf(const Look& look, const v1::ReplaceRunner& replace) {
  return InputOffsets(look.facts.group, replace.input().name());
}

// The exact generation that was reviewed, unedited, and no other.
std::optional<Step> CheckOld(const Look& look, const v1::ReplaceRunner& replace, const v1::GenerationFacts** found) {
  if (std::optional<Step> step = CheckGeneration(look, replace.generation_id(), Prior(look).plan_sha256(), found)) {
    return step;
  }
  if ((*found)->binary_sha256() == Prior(look).runner_sha256()) return std::nullopt;
  return Blocked("RUNNER_NOT_OURS",
                 absl::StrCat("the runner binary at ", (*found)->location(), " is not what was deployed"),
                 "somebody changed it: look at the host");
}

std::string RunsAgain(const v1::ReplaceRunner& replace) {
  return absl::StrCat("runner ", replace.application_id(), " had ended, and runs again");
}

Step Begin(const Look& look, const v1::ReplaceRunner& replace) {
  const v1::GenerationFacts* found = nullptr;
  if (std::optional<Step> step = CheckOld(look, replace, &found)) return *step;
  const v1::GroupOffsets* offsets = OffsetsOf(look, replace);
  if (found->state() == v1::GenerationFacts::RUNNING) {
    if (replace.ended()) return Stale("RUNNER_RUNS_AGAIN", RunsAgain(replace));
    if (std::optional<Step> step = CheckReadable(look, offsets)) return *step;
    if (std::optional<Step> step = CheckAlive(look, *found, Prior(look).plan_sha256())) return *step;
    if (std::optional<Step> step = CheckOffsets(look, offsets, replace.offsets())) return *step;
  } else if (look.ahead && replace.offsets_restored()) {
    if (std::optional<Step> step = CheckReadable(look, offsets)) return *step;
  } else {
    if (std::optional<Step> step = CheckQuiet(look, offsets, replace.offsets())) return *step;
    if (std::optional<Step> step = CheckStayed(look, offsets)) return *step;
  }
  return Record(look, v1::Checkpoint::STARTED);
}

// Once a run; then waits, and never kills.
Step Stop(const Look& look, const v1::ReplaceRunner& replace, const v1::GenerationFacts& old) {
  if (!look.Crossed(Do::kStopGeneration)) return Cross(Do::kStopGeneration);
  return Wait(look, kCloseBoundMs, "STOP_TIMED_OUT",
              absl::StrCat("runner ", replace.application_id(), " was told to stop and still runs"),
              absl::StrCat("look at its log at ", old.location(), "; it is never killed from here"));
}

// It has ended. What it committed is the truth however it ended, as output and offsets are one transaction; but an end
// that nobody reviewed is gone on from only when asked to.
Step RecordClose(const Look& look, const v1::ReplaceRunner& replace, const v1::GenerationFacts& old) {
  const v1::GroupOffsets* offsets = OffsetsOf(look, replace);
  // `closed` does not prove that the member left.
  if (std::optional<Step> step = CheckQuiet(look, offsets, replace.offsets())) return *step;
  const bool never_ran = old.state() == v1::GenerationFacts::CREATED;
  const bool clean = never_ran || ClosedCleanly(old);
  const bool reviewed = replace.ended() && !look.Crossed(Do::kStopGeneration);
  if (!clean && !reviewed && !look.progress.resuming) {
    return Blocked("UNCLEAN_END",
                   absl::StrCat("runner ", replace.application_id(), " did not close cleanly: ", HowItEnded(old)),
                   "its committed offsets are the truth all the same; resume to go on, marked unclean");
  }
  Step step = Record(look, v1::Checkpoint::GENERATION_CLOSED);
  step.record.set_generation_id(replace.generation_id());
  step.record.set_exit_code_known(old.exit_code_known());
  step.record.set_exit_code(old.exit_code());
  KeepOffsets(offsets, step.record.mutable_vector());
  if (!clean) step.record.set_unclean(HowItEnded(old));
  return step;
}

Step Close(const Look& look, const v1::ReplaceRunner& replace) {
  const v1::GenerationFacts* found = nullptr;
  if (std::optional<Step> step = CheckOld(look, replace, &found)) return *step;
  if (found->state() == v1::GenerationFacts::RUNNING) return Stop(look, replace, *found);
  const v1::GroupOffsets* offsets = OffsetsOf(look, replace);
  if (std::optional<Step> step = CheckReadable(look, offsets)) return *step;
  if (std::optional<Step> step = CheckStayed(look, offsets)) return *step;
  return RecordClose(look, replace, *found);
}

// Nothing runs between the close and the new one's start.
std::optional<Step> CheckStill(const Look& look, const v1::ReplaceRunner& replace, const v1::Checkpoint& closed) {
  const v1::GroupOffsets* offsets = OffsetsOf(look, replace);
  if (std::optional<Step> step = CheckQuiet(look, offsets, replace.offsets())) return step;
  return CheckNotMoved(look, offsets, closed.vector());
}

Step Remove(const Look& look, const v1::ReplaceRunner& replace) {
  const v1::Checkpoint& closed = *look.last;
  if (look.facts.host.generations().empty()) {
    if (std::optional<Step> step = CheckStill(look, replace, closed)) return *step;
    Step step = Record(look, v1::Checkpoint::GENERATION_REMOVED);
    step.record.set_generation_id(replace.generation_id());
    return step;
  }
  const v1::GenerationFacts* found = nullptr;
  if (std::optional<Step> step = CheckOld(look, replace, &found)) return *step;
  // Somebody started it: it went on with the old plan, from where it had closed, so it can be closed again.
  if (found->state() == v1::GenerationFacts::RUNNING) {
    if (look.progress.resuming) return Stop(look, replace, *found);
    return Blocked("RUNNER_RUNS_AGAIN", RunsAgain(replace), "find out who started it; resume to close it once more");
  }
  if (std::optional<Step> step = CheckStill(look, replace, closed)) {
    const bool ran_since = found->status().updated_at_ms() > closed.at_ms();
    if (step->code == "OFFSETS_MOVED" && look.progress.resuming && ran_since) return RecordClose(look, replace, *found);
    return *step;
  }
  if (!look.Crossed(Do::kRemoveGeneration)) return Cross(Do::kRemoveGeneration);
  return Wait(look, kCloseBoundMs, "REMOVAL_NOT_SEEN",
              absl::StrCat("generation ", replace.generation_id(), " was removed and is still there"),
              absl::StrCat("look at ", found->location()));
}

// `read`: the new one may have.
Step Finish(const Look& look, const v1::ReplaceRunner& replace, const v1::Checkpoint& closed, bool read,
            const std::string& failure) {
  v1::OwnedResource owned = look.action.prior();
  v1::OwnedRunner& runner = *owned.mutable_runner();
  *runner.mutable_plan() = replace.plan();
  runner.set_plan_sha256(replace.plan_sha256());
  runner.set_runner_sha256(replace.runner_sha256());
  runner.set_generation_id(GenerationId(look.progress.operation_id, look.action.index()));
  runner.set_initialized_partitions(replace.input_partitions());
  runner.set_running(replace.running());
  runner.clear_closed();
  runner.clear_restored();
  if (!read && closed.unclean().empty()) *runner.mutable_closed() = closed.vector();
  Step step = RecordOwned(look, owned);
  step.record.set_failure(failure);
  return step;
}

Step StartAndWait(const Look& look, const v1::ReplaceRunner& replace) {
  const v1::Checkpoint& closed = *Find(look, v1::Checkpoint::GENERATION_CLOSED);
  const v1::HostFacts& host = look.facts.host;
  const bool before_start = look.reached() == v1::Checkpoint::GENERATION_CREATED && host.generations_size() == 1 &&
                            host.generations(0).state() == v1::GenerationFacts::CREATED;
  if (before_start && !look.Crossed(Do::kStartGeneration)) {
    if (std::optional<Step> step = CheckStill(look, replace, closed)) return *step;
  }
  if (!replace.running()) {
    const v1::GenerationFacts* found = nullptr;
    const std::string id = GenerationId(look.progress.operation_id, look.action.index());
    if (std::optional<Step> step = CheckGeneration(look, id, replace.plan_sha256(), &found)) return *step;
    if (before_start) return Finish(look, replace, closed, /*read=*/false, "");
    return Blocked(
        "RUNNER_NOT_OURS",
        absl::StrCat("generation ", id, " at ", found->location(), " was started, and not by this operation"),
        "find out who started it, and stop it");
  }
  Started started;
  if (std::optional<Step> step = StartCandidate(look, CandidateOf(replace), closed.vector(), &started)) return *step;
  const v1::GroupOffsets* offsets = OffsetsOf(look, replace);
  if (std::optional<Step> step = CheckReadable(look, offsets)) return *step;
  if (std::optional<Step> step = CheckNotBehind(look, offsets, closed.vector())) return *step;
  const bool read = started.failure.empty() || !ReadNothing(*started.generation);
  return Finish(look, replace, closed, read, started.failure);
}

}  // namespace

Step NextReplaceRunner(const Look& look, const v1::ReplaceRunner& replace) {
  if (std::optional<Step> step = CheckPlaces(look, replace)) return *step;
  if (std::optional<Step> step = CheckVolume(look, Prior(look).volume_instance())) return *step;
  const Candidate candidate = CandidateOf(replace);
  const v1::Checkpoint::Name reached = look.reached();
  const bool made = reached == v1::Checkpoint::GENERATION_CREATED || reached == v1::Checkpoint::GENERATION_STARTED;
  if (made) return StartAndWait(look, replace);
  if (std::optional<Step> step = CheckMeans(look, candidate)) return *step;
  if (reached == v1::Checkpoint::NAME_UNSPECIFIED) return Begin(look, replace);
  if (reached == v1::Checkpoint::STARTED) return Close(look, replace);
  if (reached == v1::Checkpoint::GENERATION_CLOSED) return Remove(look, replace);
  if (std::optional<Step> step = CheckStill(look, replace, *Find(look, v1::Checkpoint::GENERATION_CLOSED))) {
    return *step;
  }
  return MakeCandidate(look, candidate, Prior(look).volume_instance());
}

}  // namespace st::transition
