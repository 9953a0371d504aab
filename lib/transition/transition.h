// The lifecycle tables: what may be done next for one action, given its checkpoints and fresh facts. Pure.
// The tables themselves: docs/journal.md.
#ifndef ST_LIB_TRANSITION_TRANSITION_H_
#define ST_LIB_TRANSITION_TRANSITION_H_

#include <cstdint>
#include <string>
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
};

struct Step {
  enum class Kind { kDone, kBlocked, kWait, kRecord, kDo } kind = Kind::kBlocked;
  // kBlocked: stable code and sentence. kWait: what for.
  std::string code;
  std::string text;
  int64_t wait_until_ms = 0;  // kWait: then kBlocked with `code`
  v1::Checkpoint record;      // kRecord: complete but for at_ms
  Do act = Do::kCreateTopic;  // kDo
  bool repeat = false;        // kDo: this boundary may have been crossed before; only an explicit resume may go on
};

// What this operation has reached, all actions together, in order.
struct Progress {
  std::string operation_id;
  std::string cluster_id;
  std::vector<v1::Checkpoint> checkpoints;
  bool resuming = false;  // an authorization stands after the last checkpoint
  int64_t resumed_at_ms = 0;
  // Boundaries crossed by this very run since the last checkpoint: crossed once, answer known to be good.
  std::vector<Do> done_in_this_run;
};

Step Next(const v1::Action& action, const Progress& progress, const Facts& facts);

}  // namespace st::transition

#endif  // ST_LIB_TRANSITION_TRANSITION_H_
