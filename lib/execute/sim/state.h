// All that the simulated world is made of: plain data that can be copied, kept and put back. Test-only.
//
// Its faces are Clock, Cluster and Host; its runners move in runner.h. Time passes and input arrives only when a tool
// changes something or sleeps, and runners make half a step at each look: equal calls make equal worlds.
#ifndef ST_LIB_EXECUTE_SIM_STATE_H_
#define ST_LIB_EXECUTE_SIM_STATE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::sim {

// Who acts. Runs of the driver count from 1.
inline constexpr int kNobody = 0;
inline constexpr int kAnotherOperator = -1;

using Vector = std::map<int32_t, int64_t>;  // partition to offset

// What happened, in order. Who checks a run reads this and never asks the driver.
struct Event {
  enum class Kind {
    kTopicMade,
    kConfigsSet,
    kPartitionsAdded,
    kOffsetsWritten,  // by a tool; `to` is the vector, `text` its metadata
    kVolumeMade,
    kGenerationMade,  // `text`: the operation of its label
    kGenerationStarted,
    kStopAsked,
    kGenerationRemoved,  // `text`: running, closed, failed or killed
    kCommitted,          // by a runner: `from` to `to`
    kClosed,             // cleanly, at `to`
    kFailed,
    kKilled,
    kStored,      // `subject`: begin, checkpoint, authorization, complete; `revision`: of its entry
    kAsked,       // a driver crosses the boundary `subject`
    kAnswerLost,  // of the boundary `subject`
    kLooked,      // a driver saw the `subject`: group, generations, volumes, topics (`text`: a blank before each name)
    kLockLost,    // of a driver that is crossing nothing outside just then
  };
  Kind kind;
  int actor = kNobody;
  std::string subject = {};
  std::string text = {};
  Vector from = {};
  Vector to = {};
  uint64_t revision = 0;
};

// A record of an output topic, and what it was made from.
struct Output {
  int32_t partition = 0;
  int64_t offset = 0;
  int64_t value = 0;
  std::string generation_id;
};

// A runner's open transaction: output and offsets, both or neither.
struct Transaction {
  std::string generation_id;
  std::string output_topic_id;
  Vector next;
  std::vector<Output> outputs;
  int64_t until_ms = 0;  // 0: its producer lives
};

struct Member {
  std::string member_id;
  std::string generation_id;
  std::string topic;
  int partitions = 0;
  int64_t until_ms = 0;  // 0: it lives
};

struct Group {
  std::map<std::string, std::map<int32_t, v1::GroupOffset>> offsets;  // by topic
  std::vector<Member> members;
  std::optional<Transaction> open;
};

// What runs, by generation id.
struct Process {
  // kLoading: it has written no status of its own yet, so what shows is that of the process before it.
  enum class Phase { kLoading, kJoining, kRunning, kClosing } phase = Phase::kLoading;
  std::string member_id;
};

struct State {
  v1::TopicFacts& AddTopic(const std::string& name, int partitions);
  const v1::TopicFacts* TopicOfId(const std::string& id) const;
  // A value of the input, made from its place.
  int64_t ValueAt(const std::string& topic, int32_t partition, int64_t offset) const;
  void Note(Event event);
  // A moment passes and a record arrives on every partition of the fed topic.
  void Pass(int64_t ms);
  void CarryOutLate();

  uint64_t seed = 1;
  int64_t now_ms = 1'000'000;
  std::string cluster_id = "cluster";
  std::map<std::string, v1::TopicFacts> topics;
  std::map<std::string, Group> groups;
  std::map<std::string, std::vector<Output>> outputs;      // by topic id
  std::map<std::string, v1::GenerationFacts> generations;  // by generation id
  std::map<std::string, v1::RecordPlan> plans;             // that generations hold, by generation id
  std::map<std::string, Process> processes;
  std::map<std::string, v1::VolumeFacts> volumes;  // by application id
  std::string fed;                                 // topic that still gets records
  int feed_left = 0;                               // records for each partition
  std::vector<Event> events;
  int actor = kNobody;

  int creates = 0;        // topics made
  int offset_writes = 0;  // vectors written by tools
  int starts = 0;
  // A call whose answer was lost, and that is still to be carried out.
  struct Late {
    std::string name;  // of its boundary
    int actor = kNobody;
    std::function<void(State*)> call;
  };
  std::optional<Late> late;
  bool fails_at_start = false;  // a started runner ends at once
  // Answer of the next topic or offset write instead of its own; with `after`, the write happens all the same.
  absl::Status next_answer;
  bool after = false;
};

}  // namespace st::sim

#endif  // ST_LIB_EXECUTE_SIM_STATE_H_
