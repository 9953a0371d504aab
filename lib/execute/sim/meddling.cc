#include "lib/execute/sim/meddling.h"

#include <string>
#include <utility>

#include "lib/execute/sim/runner.h"

namespace st::sim {
namespace {

bool MakeForeignGeneration(State* state) {
  if (state->generations.contains("foreign")) return false;
  v1::GenerationFacts& generation = state->generations["foreign"];
  generation.set_generation_id("foreign");
  generation.set_application_id(kApplication);
  generation.set_operation_id("99999999-2222-4333-8444-555555555555");
  generation.set_state(v1::GenerationFacts::EXITED);
  generation.set_location("/sim/foreign");
  state->Note({.kind = Event::Kind::kGenerationMade, .subject = "foreign", .text = generation.operation_id()});
  return true;
}

// To the end at even boundaries, to the beginning at odd ones.
bool MoveOffsets(int at, State* state) {
  auto topic = state->topics.find("in");
  Group& group = state->groups[kApplication];
  if (topic == state->topics.end() || !group.members.empty()) return false;
  Event event{.kind = Event::Kind::kOffsetsWritten, .subject = kApplication};
  bool changed = false;
  for (const v1::TopicFacts::Partition& partition : topic->second.partitions()) {
    changed = changed || !group.offsets["in"].contains(partition.partition());
    v1::GroupOffset& offset = group.offsets["in"][partition.partition()];
    const int64_t wanted = at % 2 == 0 ? partition.end_offset() : partition.begin_offset();
    changed = changed || offset.offset() != wanted || !offset.metadata().empty();
    offset.set_partition(partition.partition());
    offset.set_offset(wanted);
    offset.set_leader_epoch(0);
    offset.clear_metadata();
    event.to[partition.partition()] = wanted;
  }
  if (changed) state->Note(std::move(event));
  return changed;
}

bool MakeTopicAgain(const std::string& name, State* state) {
  auto topic = state->topics.find(name);
  // Where there is none, one of his own, with records in it.
  if (topic == state->topics.end()) {
    state->AddTopic(name, 4).mutable_partitions(0)->set_end_offset(7);
    state->Note({.kind = Event::Kind::kTopicMade, .subject = name});
    return true;
  }
  const v1::TopicFacts before = topic->second;
  v1::TopicFacts& again = state->AddTopic(name, before.partitions_size());
  *again.mutable_configs() = before.configs();
  for (auto& [id, group] : state->groups) group.offsets.erase(name);
  state->Note({.kind = Event::Kind::kTopicMade, .subject = name});
  return true;
}

// Each of them, as `end` does it.
bool EndRunners(void (*end)(State*, const std::string&), State* state) {
  if (state->processes.empty()) return false;
  while (!state->processes.empty()) end(state, std::string(state->processes.begin()->first));
  return true;
}

bool MakeVolumeAgain(State* state) {
  auto volume = state->volumes.find(kApplication);
  if (volume == state->volumes.end()) return false;
  volume->second.set_instance_id("instance-made-again");
  volume->second.set_operation_id("99999999-2222-4333-8444-555555555555");
  state->Note({.kind = Event::Kind::kVolumeMade, .subject = kApplication});
  return true;
}

}  // namespace

bool ActOnWorld(Fault fault, int at, const Scenario& scenario, State* state) {
  switch (fault) {
    case Fault::kForeignGeneration:
      return MakeForeignGeneration(state);
    case Fault::kOffsetsMoved:
      return MoveOffsets(at, state);
    case Fault::kTopicMadeAgain:
      return MakeTopicAgain(scenario.topic, state);
    case Fault::kRunnerKilled:
      return EndRunners(Kill, state);
    case Fault::kRunnerClosed:
      return EndRunners(Close, state);
    case Fault::kRunnerFailed:
      return EndRunners(Fail, state);
    case Fault::kVolumeMadeAgain:
      return MakeVolumeAgain(state);
    default:
      return false;
  }
}

}  // namespace st::sim
