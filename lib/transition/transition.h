// The lifecycle tables: what may be done next for one action, given its checkpoints and fresh facts. Pure.
// The tables themselves: docs/journal.md.
#ifndef ST_LIB_TRANSITION_TRANSITION_H_
#define ST_LIB_TRANSITION_TRANSITION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/operation.pb.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::transition {

// What lib/execute saw just now, and only what the action touches.
struct Facts {
  int64_t now_ms = 0;
  v1::ClusterFacts cluster;
  v1::TopicFacts input;  // runner actions; the topic itself for topic actions stands in `output`
  v1::TopicFacts output;
  v1::GroupFacts group;
  v1::HostFacts host;  // identity, generations, volumes of this application
};

// One boundary outside, crossed once.
enum class Do {
  kCreateTopic,
  kAlterConfigs,
  kCreatePartitions,
  kCommitOffsets,
  kCreateVolume,
  kCreateGeneration,
  kStartGeneration,
  kStopGeneration,
  kRemoveGeneration,
};

struct Step {
  enum class Kind { kDone, kBlocked, kWait, kRecord, kDo } kind = Kind::kBlocked;
  // kBlocked: stable code and sentence. kWait: what for.
  std::string code;
  std::string text;
  std::string way_out;  // kBlocked: what to do about it before another attempt; may be empty
  // kBlocked: what was reviewed is no longer there, so another attempt would meet the same.
  bool stale = false;
  int64_t wait_until_ms = 0;  // kWait: then kBlocked with `code`
  v1::Checkpoint record;      // kRecord: complete but for at_ms
  Do act = Do::kCreateTopic;  // kDo
};

// What this operation has reached, all actions together, in order.
struct Progress {
  std::string operation_id;
  std::string cluster_id;  // of the intent
  std::vector<v1::Checkpoint> checkpoints;
  bool resuming = false;       // this run is an explicit, authorized resume
  int64_t run_started_ms = 0;  // waits are bounded from here or from the last checkpoint of any action
  // Nothing is crossed any more, as the operation is being settled (lib/recover): a generation that it made and
  // started, and that has ended without a word, counts as started and ended.
  bool settling = false;
  // Boundaries that this very run crossed since the last checkpoint, each with a good answer.
  std::vector<Do> crossed;
  // The same, answered with "exists already": what is there may be a late first one of ours.
  std::vector<Do> met;
};

// What the generation of a CREATE_RUNNER or REPLACE_RUNNER is called: g-<operation>-<action index>, so that a second
// create meets the first.
std::string GenerationId(const std::string& operation_id, uint32_t action_index);

// The bound topic's id: reviewed, or recorded by this operation when it made the topic; empty when not made yet.
std::string BoundTopicId(const v1::TopicBinding& binding, const Progress& progress);

// The last checkpoint of one action; null when there is none.
const v1::Checkpoint* LastCheckpoint(const Progress& progress, uint32_t action_index);

// Two spellings of one config value to a broker, which reads back what it parsed: equal text, equal integers (`+5`,
// `05`), equal doubles (`0.10`), equal booleans (`TRUE`) or equal lists (`delete, compact`).
bool SameConfigValue(std::string_view a, std::string_view b);

Step Next(const v1::Action& action, const Progress& progress, const Facts& facts);

// Before the intent: kBlocked where a fact that the action rests on is not as it was reviewed, else any other. What an
// earlier action of the plan has yet to make is not looked for.
Step LookAhead(const v1::Action& action, const std::string& cluster_id, const Facts& facts);

}  // namespace st::transition

#endif  // ST_LIB_TRANSITION_TRANSITION_H_
