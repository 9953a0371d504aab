// A small world of facts for the table tests: one cluster, topics `in` and `out`, one runner. Test-only.
#ifndef ST_LIB_TRANSITION_SCENE_H_
#define ST_LIB_TRANSITION_SCENE_H_

#include <string>
#include <utility>

#include "lib/transition/transition.h"

namespace st::transition {

inline constexpr char kOperation[] = "11111111-2222-4333-8444-555555555555";
inline constexpr char kPlanHash[] = "planhash";

inline v1::TopicFacts Topic(const std::string& name, const std::string& id, int partitions) {
  v1::TopicFacts topic;
  topic.set_name(name);
  topic.set_presence(v1::PRESENT);
  topic.set_topic_id(id);
  for (int i = 0; i < partitions; ++i) {
    v1::TopicFacts::Partition& partition = *topic.add_partitions();
    partition.set_partition(i);
    partition.set_replicas(1);
  }
  return topic;
}

struct Scene {
  Scene() {
    progress.operation_id = kOperation;
    progress.cluster_id = "cluster";
    progress.run_started_ms = 1'000'000;
    facts.now_ms = 1'000'000;
    facts.cluster.set_cluster_id("cluster");
    facts.input = Topic("in", "in-id", 2);
    facts.output = Topic("out", "out-id", 2);
    for (v1::TopicFacts::Partition& partition : *facts.input.mutable_partitions()) {
      partition.set_begin_offset(5);
      partition.set_end_offset(50);
    }
    facts.group.set_group_id("st.p.e.m");
    facts.group.set_state(v1::GroupFacts::NONE);
    facts.host.set_kind(v1::PROCESS);
    facts.host.set_host_id("host");
    facts.host.set_runner_sha256("binary");
  }

  Step Ask() const { return Next(action, progress, facts); }

  // Follows kRecord steps until the answer is another.
  Step Settle() {
    for (;;) {
      Step step = Ask();
      if (step.kind != Step::Kind::kRecord) return step;
      step.record.set_at_ms(facts.now_ms);
      progress.checkpoints.push_back(std::move(step.record));
      progress.crossed.clear();
    }
  }

  v1::Checkpoint::Name Reached() const {
    const v1::Checkpoint* last = LastCheckpoint(progress, action.index());
    return last == nullptr ? v1::Checkpoint::NAME_UNSPECIFIED : last->name();
  }

  void CommitVector(int64_t offset, const std::string& metadata) {
    facts.group.set_state(v1::GroupFacts::EMPTY);
    facts.group.clear_topics();
    v1::GroupOffsets& offsets = *facts.group.add_topics();
    offsets.set_topic("in");
    for (int i = 0; i < facts.input.partitions_size(); ++i) {
      v1::GroupOffset& entry = *offsets.add_offsets();
      entry.set_partition(i);
      entry.set_offset(offset);
      entry.set_metadata(metadata);
    }
  }

  v1::GenerationFacts& Generation(v1::GenerationFacts::State state) {
    facts.host.clear_generations();
    v1::GenerationFacts& generation = *facts.host.add_generations();
    generation.set_generation_id(GenerationId(kOperation, action.index()));
    generation.set_application_id("st.p.e.m");
    generation.set_operation_id(kOperation);
    generation.set_action_index(action.index());
    generation.set_state(state);
    generation.set_plan_sha256(kPlanHash);
    generation.set_binary_sha256("binary");
    generation.set_input_topic_id("in-id");
    generation.set_output_topic_id("out-id");
    generation.set_initialized_partitions(2);
    generation.set_volume_instance("instance");
    generation.set_location("/somewhere");
    return generation;
  }

  // Runs, is alone in its group and has all partitions.
  v1::GenerationFacts& Running() {
    v1::GenerationFacts& generation = Generation(v1::GenerationFacts::RUNNING);
    generation.set_pid(77);
    v1::RunnerStatus& status = *generation.mutable_status();
    status.set_state(v1::RunnerStatus::RUNNING);
    status.set_plan_sha256(kPlanHash);
    status.set_generation_id(generation.generation_id());
    status.set_updated_at_ms(facts.now_ms - 500);
    status.set_member_id("member");
    status.set_pid(77);
    facts.group.set_state(v1::GroupFacts::STABLE);
    facts.group.clear_members();
    v1::GroupMember& member = *facts.group.add_members();
    member.set_member_id("member");
    v1::GroupAssignment& assignment = *member.add_assignments();
    assignment.set_topic("in");
    assignment.add_partitions(0);
    assignment.add_partitions(1);
    return generation;
  }

  // Ended, with that last status; nobody is in the group.
  v1::GenerationFacts& Ended(v1::RunnerStatus::State last) {
    v1::GenerationFacts& generation = Running();
    generation.set_state(v1::GenerationFacts::EXITED);
    generation.clear_pid();
    generation.mutable_status()->set_state(last);
    facts.group.set_state(v1::GroupFacts::EMPTY);
    facts.group.clear_members();
    return generation;
  }

  template <typename Runner>
  void Bind(Runner* runner) {
    action.set_resource("st://p/e/model/m");
    runner->set_application_id("st.p.e.m");
    if constexpr (requires { runner->plan_sha256(); }) runner->set_plan_sha256(kPlanHash);
    runner->mutable_input()->set_name("in");
    runner->mutable_input()->set_topic_id("in-id");
    runner->mutable_output()->set_name("out");
    runner->mutable_output()->set_topic_id("out-id");
    runner->set_host(v1::PROCESS);
    runner->set_host_id("host");
  }

  v1::Action action;
  Progress progress;
  Facts facts;
};

}  // namespace st::transition

#endif  // ST_LIB_TRANSITION_SCENE_H_
