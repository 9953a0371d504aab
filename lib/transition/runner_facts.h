// Questions about a runner that several tables ask. Internal to lib/transition.
#ifndef ST_LIB_TRANSITION_RUNNER_FACTS_H_
#define ST_LIB_TRANSITION_RUNNER_FACTS_H_

#include <optional>
#include <string>

#include "lib/transition/step.h"

namespace st::transition {

// The broker's transaction time-out of a runner and a margin: how long an offset may stay unstable.
inline constexpr int64_t kUnstableBoundMs = 75'000;
// A killed member stays in its group until its session ends (45 s by default), and a margin.
inline constexpr int64_t kMemberBoundMs = 60'000;
// From start to `running` with all partitions assigned.
inline constexpr int64_t kReadyBoundMs = 60'000;
// SIGTERM to exit: the runner promises 15 s.
inline constexpr int64_t kCloseBoundMs = 30'000;
// A status older than this is stale: it is written every second.
inline constexpr int64_t kFreshStatusMs = 15'000;

using Offsets = google::protobuf::RepeatedPtrField<v1::PartitionOffset>;

// The last of this action's checkpoints with that name; null: none.
const v1::Checkpoint* Find(const Look& look, v1::Checkpoint::Name name);

// The topic is there under the id that is bound, or the Step that says why not. One that the plan has yet to make is
// none that a look ahead misses.
std::optional<Step> CheckTopic(const Look& look, const v1::TopicBinding& binding, const v1::TopicFacts& topic);

// Committed offsets of the input topic; null when none are known.
const v1::GroupOffsets* InputOffsets(const v1::GroupFacts& group, const std::string& topic);

// Nothing is committed on any partition.
bool NoOffsets(const v1::GroupOffsets* offsets);

// Unstable or unreadable: the Step that waits or blocks.
std::optional<Step> CheckReadable(const Look& look, const v1::GroupOffsets* offsets);

// The group has no member, or the Step that waits for it.
std::optional<Step> CheckNoMembers(const Look& look);

// This is the reviewed host.
std::optional<Step> CheckHost(const Look& look, v1::HostKind kind, const std::string& host_id);

// The reviewed host, and both topics.
template <typename Runner>
std::optional<Step> CheckPlaces(const Look& look, const Runner& runner) {
  if (std::optional<Step> step = CheckHost(look, runner.host(), runner.host_id())) return step;
  if (std::optional<Step> step = CheckTopic(look, runner.input(), look.facts.input)) return step;
  return CheckTopic(look, runner.output(), look.facts.output);
}

// Every partition of the input has an offset inside its log and not behind `bound`, or the Step that says which has
// not. One that the input got since the runner was made, and that nobody has read, needs none.
std::optional<Step> CheckOffsets(const Look& look, const v1::GroupOffsets* offsets, const Offsets& bound);

// No offset is behind `bound`; one that is not known is not looked for.
std::optional<Step> CheckNotBehind(const Look& look, const v1::GroupOffsets* offsets, const Offsets& bound);

// Nothing ran since the runner stopped at `stopped`, so every offset is exactly that, or the Step that says which
// moved.
std::optional<Step> CheckNotMoved(const Look& look, const v1::GroupOffsets* offsets, const Offsets& stopped);

// The same of the runner that is owned before this action: where it closed cleanly, and where offsets were given back
// to it, and nothing where neither is known.
std::optional<Step> CheckStayed(const Look& look, const v1::GroupOffsets* offsets);

// Nobody reads, nothing is pending, and the offsets are where a runner can go on: present, in the log, not behind
// `bound`.
std::optional<Step> CheckQuiet(const Look& look, const v1::GroupOffsets* offsets, const Offsets& bound);

// Committed offsets as a checkpoint keeps them.
void KeepOffsets(const v1::GroupOffsets* offsets, Offsets* kept);

// The volume of this application is that instance, or the Step that says so.
std::optional<Step> CheckVolume(const Look& look, const std::string& instance);

// The only generation of this application is `generation_id`, made from `plan_sha256`, or the Step that says why not.
std::optional<Step> CheckGeneration(const Look& look, const std::string& generation_id, const std::string& plan_sha256,
                                    const v1::GenerationFacts** found);

// `running` by its own fresh status of that plan and process, and alone in its group: nothing; else waits or blocks.
std::optional<Step> CheckAlive(const Look& look, const v1::GenerationFacts& generation, const std::string& plan_sha256);

// `running` by its own fresh status, one member in the group, all partitions assigned: nothing; else waits or blocks.
std::optional<Step> CheckReady(const Look& look, const v1::GenerationFacts& generation, const std::string& plan_sha256);

// It has ended and said so itself, not before `since_ms` (an older status is that of an earlier run of the same
// generation): all that it did is committed or aborted. Its start is then as done as it will be; what to do about it is
// for the next plan.
bool FailedByItself(const v1::GenerationFacts& generation, int64_t since_ms);

// It failed, and never had an assignment: it has read nothing, and where the runner stopped before that still holds.
bool ReadNothing(const v1::GenerationFacts& generation);

// It ended, and all says that it closed: its own record, and where the host knows more, the exit code and no word of
// memory that ran out.
bool ClosedCleanly(const v1::GenerationFacts& generation);

// Nobody is in the group and no offset is pending, or the Step that waits for it.
std::optional<Step> CheckSettled(const Look& look, const std::string& input);

}  // namespace st::transition

#endif  // ST_LIB_TRANSITION_RUNNER_FACTS_H_
