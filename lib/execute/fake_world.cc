#include "lib/execute/fake_world.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"
#include "lib/docio/docio.h"

namespace st::execute {

bool FakeCluster::Intercept(bool done, absl::Status* answer) {
  if (next_answer.ok() || after != done) return false;
  *answer = std::exchange(next_answer, absl::OkStatus());
  return true;
}

absl::StatusOr<v1::ClusterFacts> FakeCluster::DescribeCluster() {
  v1::ClusterFacts facts;
  facts.set_cluster_id(cluster_id);
  facts.set_brokers(1);
  return facts;
}

absl::StatusOr<std::vector<std::string>> FakeCluster::ListTopics() {
  std::vector<std::string> names;
  for (const auto& [name, topic] : topics) names.push_back(name);
  return names;
}

absl::StatusOr<std::vector<v1::TopicFacts>> FakeCluster::DescribeTopics(const std::vector<std::string>& names) {
  std::vector<v1::TopicFacts> facts;
  for (const std::string& name : names) {
    auto it = topics.find(name);
    if (it != topics.end()) {
      facts.push_back(it->second);
      continue;
    }
    facts.emplace_back().set_name(name);
    facts.back().set_presence(v1::ABSENT);
  }
  return facts;
}

absl::StatusOr<std::vector<std::string>> FakeCluster::ListGroups() { return std::vector<std::string>(); }

absl::StatusOr<v1::GroupFacts> FakeCluster::DescribeGroup(const std::string& group,
                                                          const std::vector<std::pair<std::string, int>>&) {
  auto it = groups.find(group);
  if (it != groups.end()) return it->second;
  v1::GroupFacts facts;
  facts.set_group_id(group);
  facts.set_state(v1::GroupFacts::NONE);
  return facts;
}

absl::StatusOr<std::vector<v1::TopicVerdict>> FakeCluster::ValidateCreate(const std::vector<v1::CreateTopic>& asked) {
  return std::vector<v1::TopicVerdict>(asked.size());
}

absl::StatusOr<v1::TopicVerdict> FakeCluster::ValidateUpdate(const std::string&,
                                                             const std::vector<std::pair<std::string, std::string>>&,
                                                             const std::vector<std::string>&, int) {
  return v1::TopicVerdict();
}

v1::TopicFacts& FakeCluster::AddTopic(const std::string& name, int partitions) {
  v1::TopicFacts& topic = topics[name];
  topic.set_name(name);
  topic.set_presence(v1::PRESENT);
  topic.set_topic_id(absl::StrCat("id-", name, "-", ++creates));
  for (int i = 0; i < partitions; ++i) {
    v1::TopicFacts::Partition& partition = *topic.add_partitions();
    partition.set_partition(i);
    partition.set_replicas(1);
  }
  return topic;
}

absl::Status FakeCluster::CreateTopic(const v1::CreateTopic& create) {
  absl::Status answer;
  if (Intercept(false, &answer)) return answer;
  if (topics.contains(create.name())) return absl::AlreadyExistsError("TOPIC_ALREADY_EXISTS");
  *AddTopic(create.name(), static_cast<int>(create.partitions())).mutable_configs() = create.configs();
  if (Intercept(true, &answer)) return answer;
  return absl::OkStatus();
}

absl::Status FakeCluster::AlterConfigs(const std::string& name,
                                       const std::vector<std::pair<std::string, std::string>>& set,
                                       const std::vector<std::string>& unset) {
  std::map<std::string, std::string> configs;
  v1::TopicFacts& topic = topics[name];
  for (const v1::TopicConfig& config : topic.configs()) configs[config.name()] = config.value();
  for (const auto& [key, value] : set) configs[key] = value;
  for (const std::string& key : unset) configs.erase(key);
  topic.clear_configs();
  for (const auto& [key, value] : configs) {
    v1::TopicConfig& config = *topic.add_configs();
    config.set_name(key);
    config.set_value(value);
  }
  return absl::OkStatus();
}

absl::Status FakeCluster::CreatePartitions(const std::string& name, int total) {
  v1::TopicFacts& topic = topics[name];
  for (int i = topic.partitions_size(); i < total; ++i) {
    topic.add_partitions()->set_partition(i);
    topic.mutable_partitions(i)->set_replicas(1);
  }
  return absl::OkStatus();
}

absl::Status FakeCluster::CommitOffsets(const std::string& group, const std::string& topic,
                                        const std::vector<v1::PartitionOffset>& vector, const std::string& metadata) {
  absl::Status answer;
  if (Intercept(false, &answer)) return answer;
  ++offset_writes;
  v1::GroupFacts& facts = groups[group];
  facts.set_group_id(group);
  facts.set_state(v1::GroupFacts::EMPTY);
  facts.clear_topics();
  v1::GroupOffsets& offsets = *facts.add_topics();
  offsets.set_topic(topic);
  for (const v1::PartitionOffset& entry : vector) {
    v1::GroupOffset& offset = *offsets.add_offsets();
    offset.set_partition(entry.partition());
    offset.set_offset(entry.offset());
    offset.set_leader_epoch(entry.leader_epoch());
    offset.set_metadata(metadata);
  }
  if (Intercept(true, &answer)) return answer;
  return absl::OkStatus();
}

absl::StatusOr<v1::HostFacts> FakeHost::Identify() {
  v1::HostFacts facts;
  facts.set_kind(v1::PROCESS);
  facts.set_host_id("host");
  facts.set_runner_sha256("binary");
  return facts;
}

absl::StatusOr<std::vector<v1::GenerationFacts>> FakeHost::Inventory(const std::vector<std::string>& application_ids,
                                                                     host::Depth) {
  std::vector<v1::GenerationFacts> found;
  for (auto& [id, generation] : generations) {
    if (!absl::c_linear_search(application_ids, generation.application_id())) continue;
    if (generation.state() == v1::GenerationFacts::RUNNING) {
      generation.mutable_status()->set_updated_at_ms(clock_->NowMs());
    }
    found.push_back(generation);
  }
  return found;
}

absl::StatusOr<std::vector<v1::VolumeFacts>> FakeHost::Volumes(const std::vector<std::string>& application_ids) {
  std::vector<v1::VolumeFacts> found;
  for (const std::string& application_id : application_ids) {
    if (volumes.contains(application_id)) found.push_back(volumes[application_id]);
  }
  return found;
}

absl::StatusOr<std::string> FakeHost::CreateVolume(const std::string& application_id, const std::string& operation_id) {
  if (volumes.contains(application_id)) return absl::AlreadyExistsError("volume");
  v1::VolumeFacts& volume = volumes[application_id];
  volume.set_application_id(application_id);
  volume.set_instance_id("instance-of-" + operation_id);
  volume.set_operation_id(operation_id);
  return volume.instance_id();
}

absl::Status FakeHost::Create(const host::GenerationSpec& spec) {
  if (generations.contains(spec.generation_id)) return absl::AlreadyExistsError("generation");
  v1::GenerationFacts& generation = generations[spec.generation_id];
  generation.set_generation_id(spec.generation_id);
  generation.set_application_id(spec.application_id);
  generation.set_operation_id(spec.operation_id);
  generation.set_action_index(spec.action_index);
  generation.set_state(v1::GenerationFacts::CREATED);
  v1::RecordPlan plan;
  diag::Diagnostics diagnostics;
  // What was really handed over, as the real host hashes what really lies there.
  docio::Read(spec.plan_document, "plan", docio::Trailer::kRequired, &plan, &diagnostics);
  generation.set_plan_sha256(base::Checksum(plan));
  generation.set_binary_sha256(spec.runner_sha256);
  generation.set_volume_instance(spec.volume_instance);
  generation.set_input_topic_id(spec.input_topic_id);
  generation.set_output_topic_id(spec.output_topic_id);
  generation.set_initialized_partitions(spec.initialized_partitions);
  generation.set_location("/fake/" + spec.generation_id);
  return absl::OkStatus();
}

absl::Status FakeHost::Start(const std::string& application_id, const std::string& generation_id) {
  v1::GenerationFacts& generation = generations[generation_id];
  if (generation.state() == v1::GenerationFacts::RUNNING) return absl::FailedPreconditionError("already running");
  ++starts;
  v1::RunnerStatus& status = *generation.mutable_status();
  status.set_generation_id(generation_id);
  status.set_plan_sha256(generation.plan_sha256());
  status.set_pid(static_cast<uint32_t>(100 + starts));
  if (fails_at_start) {
    generation.set_state(v1::GenerationFacts::EXITED);
    status.set_state(v1::RunnerStatus::FAILED);
    status.set_reason(v1::RunnerStatus::POISON_RECORD);
    return absl::OkStatus();
  }
  generation.set_state(v1::GenerationFacts::RUNNING);
  generation.set_pid(status.pid());
  status.set_state(v1::RunnerStatus::RUNNING);
  status.set_member_id(absl::StrCat("member-", starts));
  v1::GroupFacts& group = cluster_->groups[application_id];
  group.set_state(v1::GroupFacts::STABLE);
  group.clear_members();
  v1::GroupMember& member = *group.add_members();
  member.set_member_id(status.member_id());
  v1::GroupAssignment& assignment = *member.add_assignments();
  assignment.set_topic(group.topics(0).topic());
  for (const v1::GroupOffset& offset : group.topics(0).offsets()) assignment.add_partitions(offset.partition());
  return absl::OkStatus();
}

absl::Status FakeHost::Stop(const std::string& application_id, const std::string& generation_id) {
  v1::GenerationFacts& generation = generations[generation_id];
  if (generation.state() != v1::GenerationFacts::RUNNING) return absl::FailedPreconditionError("not running");
  generation.set_state(v1::GenerationFacts::EXITED);
  generation.clear_pid();
  generation.mutable_status()->set_state(v1::RunnerStatus::CLOSED);
  cluster_->groups[application_id].set_state(v1::GroupFacts::EMPTY);
  cluster_->groups[application_id].clear_members();
  return absl::OkStatus();
}

absl::Status FakeHost::Remove(const std::string&, const std::string& generation_id) {
  return generations.erase(generation_id) == 1 ? absl::OkStatus() : absl::NotFoundError("generation");
}

}  // namespace st::execute
