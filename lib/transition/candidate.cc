#include "lib/transition/candidate.h"

#include "absl/strings/str_cat.h"
#include "lib/transition/ending.h"

namespace st::transition {
namespace {

std::string IdOf(const Look& look) { return GenerationId(look.progress.operation_id, look.action.index()); }

// Output and offsets are one transaction, so the very same generation may start again, when somebody says so.
Step StartAgain(const Look& look, const Candidate& candidate, const Offsets& bound, const v1::GenerationFacts& found) {
  if (look.progress.resuming && !look.Crossed(Do::kStartGeneration)) {
    const v1::GroupOffsets* offsets = InputOffsets(look.facts.group, candidate.input.name());
    if (std::optional<Step> step = CheckQuiet(look, offsets, bound)) return *step;
    return Cross(Do::kStartGeneration);
  }
  return Blocked("RUNNER_FAILED", absl::StrCat("runner ", candidate.application_id, " ended: ", HowItEnded(found)),
                 absl::StrCat("mend the cause (log at ", found.location(), ")"));
}

// Made by this action, of what was reviewed, and not changed since.
bool IsOurs(const Look& look, const Candidate& candidate, const v1::GenerationFacts& found) {
  return found.operation_id() == look.progress.operation_id && found.action_index() == look.action.index() &&
         found.binary_sha256() == candidate.runner_sha256 &&
         found.input_topic_id() == BoundTopicId(candidate.input, look.progress) &&
         found.output_topic_id() == BoundTopicId(candidate.output, look.progress) &&
         found.network_id() == candidate.network_id && found.initialized_partitions() == candidate.partitions;
}

Step NotOurs(const v1::GenerationFacts& found) {
  return Blocked("RUNNER_NOT_OURS",
                 absl::StrCat("generation ", found.generation_id(), " at ", found.location(),
                              " is not as this operation makes it"),
                 "somebody changed it: look at the host");
}

// Ended without a word, and it is to stay so. What it committed is the truth; that its offsets are in the log is for
// the plan that starts or replaces it.
std::optional<Step> CheckLeft(const Look& look, const Candidate& candidate, const Offsets& bound,
                              const v1::GenerationFacts& found) {
  if (!IsOurs(look, candidate, found)) return NotOurs(found);
  if (std::optional<Step> step = CheckSettled(look, candidate.input.name())) return step;
  return CheckNotBehind(look, InputOffsets(look.facts.group, candidate.input.name()), bound);
}

}  // namespace

std::optional<Step> CheckMeans(const Look& look, const Candidate& candidate) {
  const v1::HostFacts& host = look.facts.host;
  if (host.runner_sha256() != candidate.runner_sha256) {
    return Blocked("RUNNER_BINARY_CHANGED",
                   absl::StrCat("the reviewed st-runner (", candidate.runner_sha256, ") is not the one of this host (",
                                host.runner_sha256().empty() ? "none" : host.runner_sha256(), ")"),
                   candidate.host == v1::DOCKER ? "load the image that the plan was made with (docker load)"
                                                : "use the installation that the plan was made with");
  }
  if (host.network().id() != candidate.network_id) {
    return Blocked(
        "NETWORK_CHANGED",
        absl::StrCat("Docker network ", host.network().name(), " is not the reviewed one (id ", candidate.network_id,
                     "): it is ", host.network().present() ? host.network().id() : "gone"),
        "find out who made it again");
  }
  return std::nullopt;
}

Step MakeCandidate(const Look& look, const Candidate& candidate, const std::string& volume_instance) {
  const std::string id = IdOf(look);
  if (look.facts.host.generations().empty()) {
    // A late first create of ours is not listed before it is whole.
    if (look.Met(Do::kCreateGeneration)) {
      return Wait(look, kCloseBoundMs, "CONFLICT",
                  absl::StrCat("the name of generation ", id, " is taken, and no such one of ours shows"),
                  "find out who has that name, and give it back");
    }
    if (!look.Crossed(Do::kCreateGeneration)) return Cross(Do::kCreateGeneration);
    return Blocked("RUNNER_MISSING", absl::StrCat("generation ", id, " was made and is gone"), "look at the host");
  }
  const v1::GenerationFacts* found = nullptr;
  if (std::optional<Step> step = CheckGeneration(look, id, candidate.plan_sha256, &found)) return *step;
  const bool never_started = found->state() == v1::GenerationFacts::CREATED;
  if (!never_started || !IsOurs(look, candidate, *found) || found->volume_instance() != volume_instance) {
    return NotOurs(*found);
  }
  Step step = Record(look, v1::Checkpoint::GENERATION_CREATED);
  step.record.set_generation_id(id);
  return step;
}

std::optional<Step> StartCandidate(const Look& look, const Candidate& candidate, const Offsets& bound,
                                   Started* started) {
  const std::string id = IdOf(look);
  const v1::GenerationFacts* found = nullptr;
  if (std::optional<Step> step = CheckGeneration(look, id, candidate.plan_sha256, &found)) return step;
  if (look.reached() == v1::Checkpoint::GENERATION_CREATED) {
    if (found->state() == v1::GenerationFacts::CREATED) {
      if (!look.Crossed(Do::kStartGeneration)) return Cross(Do::kStartGeneration);
      return Wait(look, kReadyBoundMs, "RUNNER_NOT_READY",
                  absl::StrCat("generation ", id, " was started and does not show"),
                  absl::StrCat("look at ", found->location()));
    }
    Step step = Record(look, v1::Checkpoint::GENERATION_STARTED);
    step.record.set_generation_id(id);
    return step;
  }
  started->generation = found;
  if (FailedByItself(*found, /*since_ms=*/0)) {
    started->failure = HowItEnded(*found);
    return CheckSettled(look, candidate.input.name());
  }
  if (found->state() == v1::GenerationFacts::EXITED && look.progress.settling) {
    started->failure = HowItEnded(*found);
    return CheckLeft(look, candidate, bound, *found);
  }
  if (found->state() != v1::GenerationFacts::RUNNING) return StartAgain(look, candidate, bound, *found);
  return CheckReady(look, *found, candidate.plan_sha256);
}

}  // namespace st::transition
