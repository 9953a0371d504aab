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

// Every partition of `topic` has an offset inside its log and not behind `bound`, or the Step that says which has not.
std::optional<Step> CheckOffsets(const Look& look, const v1::GroupOffsets* offsets, const v1::TopicFacts& topic,
                                 const google::protobuf::RepeatedPtrField<v1::PartitionOffset>& bound);

// The volume of this application is that instance, or the Step that says so.
std::optional<Step> CheckVolume(const Look& look, const std::string& instance);

// The only generation of this application is `generation_id`, made from `plan_sha256`, or the Step that says why not.
std::optional<Step> CheckGeneration(const Look& look, const std::string& generation_id, const std::string& plan_sha256,
                                    const v1::GenerationFacts** found);

// `running` by its own fresh status, one member in the group, all partitions assigned: nothing; else waits or blocks.
std::optional<Step> CheckReady(const Look& look, const v1::GenerationFacts& generation, const std::string& plan_sha256,
                               uint32_t partitions);

// It has ended and said so itself, not before `since_ms` (an older status is that of an earlier run of the same
// generation): all that it did is committed or aborted. Its start is then as done as it will be; what to do about it is
// for the next plan.
bool FailedByItself(const v1::GenerationFacts& generation, int64_t since_ms);

// Nobody is in the group and no offset is pending, or the Step that waits for it.
std::optional<Step> CheckSettled(const Look& look, const std::string& input);

// One sentence on how a generation ended, from its status.
std::string HowItEnded(const v1::GenerationFacts& generation);

}  // namespace st::transition

#endif  // ST_LIB_TRANSITION_RUNNER_FACTS_H_
