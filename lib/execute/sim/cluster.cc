#include "absl/strings/str_cat.h"
#include "lib/execute/sim/faces.h"
#include "lib/execute/sim/runner.h"

namespace st::sim {
namespace {

// Of a call that changes something.
constexpr int64_t kCallMs = 10;

void AddOffsets(const Group& group, const std::string& topic, int partitions, v1::GroupFacts* facts) {
  v1::GroupOffsets& offsets = *facts->add_topics();
  offsets.set_topic(topic);
  auto committed = group.offsets.find(topic);
  for (int i = 0; i < partitions; ++i) {
    v1::GroupOffset& entry = *offsets.add_offsets();
    entry.set_partition(i);
    entry.set_offset(-1);
    entry.set_leader_epoch(-1);
    if (committed != group.offsets.end() && committed->second.contains(i)) entry = committed->second.at(i);
    entry.set_unstable(group.open.has_value() && group.open->next.contains(i));
  }
}

}  // namespace

void Clock::SleepMs(int64_t ms) { SleepThrough(state_, ms); }

bool Cluster::Intercept(bool done, absl::Status* answer) {
  if (state_->next_answer.ok() || state_->after != done) return false;
  *answer = std::exchange(state_->next_answer, absl::OkStatus());
  return true;
}

absl::StatusOr<v1::ClusterFacts> Cluster::DescribeCluster() {
  v1::ClusterFacts facts;
  facts.set_cluster_id(state_->cluster_id);
  facts.set_brokers(1);
  return facts;
}

// For a plan's warnings only; plans of this world are made without.
absl::StatusOr<v1::BrokerDefaults> Cluster::DescribeDefaults() { return absl::InternalError("not asked for"); }

absl::StatusOr<std::vector<std::vector<int64_t>>> Cluster::FindByTime(const std::vector<std::pair<std::string, int>>&,
                                                                      int64_t) {
  return absl::InternalError("not asked for");
}

absl::StatusOr<std::vector<std::string>> Cluster::ListTopics() {
  std::vector<std::string> names;
  for (const auto& [name, topic] : state_->topics) names.push_back(name);
  return names;
}

absl::StatusOr<std::vector<v1::TopicFacts>> Cluster::DescribeTopics(const std::vector<std::string>& names) {
  std::vector<v1::TopicFacts> facts;
  for (const std::string& name : names) {
    auto it = state_->topics.find(name);
    if (it != state_->topics.end()) {
      facts.push_back(it->second);
      continue;
    }
    facts.emplace_back().set_name(name);
    facts.back().set_presence(v1::ABSENT);
  }
  return facts;
}

absl::StatusOr<std::vector<std::string>> Cluster::ListGroups() {
  std::vector<std::string> names;
  for (const auto& [name, group] : state_->groups) names.push_back(name);
  return names;
}

absl::StatusOr<v1::GroupFacts> Cluster::DescribeGroup(const std::string& name,
                                                      const std::vector<std::pair<std::string, int>>& topics) {
  Step(state_);
  v1::GroupFacts facts;
  facts.set_group_id(name);
  auto it = state_->groups.find(name);
  const bool known = it != state_->groups.end() && (!it->second.offsets.empty() || !it->second.members.empty());
  facts.set_state(known ? v1::GroupFacts::EMPTY : v1::GroupFacts::NONE);
  const Group group = known ? it->second : Group();
  for (const Member& member : group.members) {
    facts.set_state(v1::GroupFacts::STABLE);
    v1::GroupMember& entry = *facts.add_members();
    entry.set_member_id(member.member_id);
    entry.set_client_id("st-runner");
    entry.set_host("/10.0.0.1");
    v1::GroupAssignment& assignment = *entry.add_assignments();
    assignment.set_topic(member.topic);
    for (int i = 0; i < member.partitions; ++i) assignment.add_partitions(i);
  }
  // One who joins waits for the session of one who was killed.
  for (const auto& [id, process] : state_->processes) {
    const bool joins = process.phase == Process::Phase::kJoining && !group.members.empty() &&
                       state_->generations.at(id).application_id() == name;
    if (joins) facts.set_state(v1::GroupFacts::REBALANCING);
  }
  for (const auto& [topic, partitions] : topics) {
    auto committed = group.offsets.find(topic);
    const bool whole = partitions != kWhatIsCommitted;
    if (whole || committed != group.offsets.end()) {
      AddOffsets(group, topic, whole ? partitions : static_cast<int>(committed->second.size()), &facts);
    }
  }
  return facts;
}

absl::StatusOr<std::vector<v1::TopicVerdict>> Cluster::ValidateCreate(const std::vector<v1::CreateTopic>& asked) {
  return std::vector<v1::TopicVerdict>(asked.size());
}

absl::StatusOr<v1::TopicVerdict> Cluster::ValidateUpdate(const std::string&,
                                                         const std::vector<std::pair<std::string, std::string>>&,
                                                         const std::vector<std::string>&, int) {
  return v1::TopicVerdict();
}

absl::Status Cluster::CreateTopic(const v1::CreateTopic& create) {
  absl::Status answer;
  if (Intercept(false, &answer)) return answer;
  state_->Pass(kCallMs);
  if (state_->topics.contains(create.name())) return absl::AlreadyExistsError("TOPIC_ALREADY_EXISTS");
  *state_->AddTopic(create.name(), static_cast<int>(create.partitions())).mutable_configs() = create.configs();
  state_->Note({.kind = Event::Kind::kTopicMade, .subject = create.name()});
  if (Intercept(true, &answer)) return answer;
  return absl::OkStatus();
}

absl::Status Cluster::AlterConfigs(const std::string& name, const std::vector<std::pair<std::string, std::string>>& set,
                                   const std::vector<std::string>& unset) {
  state_->Pass(kCallMs);
  auto it = state_->topics.find(name);
  if (it == state_->topics.end()) return absl::FailedPreconditionError("UNKNOWN_TOPIC_OR_PARTITION");
  std::map<std::string, std::string> configs;
  for (const v1::TopicConfig& config : it->second.configs()) configs[config.name()] = config.value();
  for (const auto& [key, value] : set) configs[key] = value;
  for (const std::string& key : unset) configs.erase(key);
  it->second.clear_configs();
  for (const auto& [key, value] : configs) {
    v1::TopicConfig& config = *it->second.add_configs();
    config.set_name(key);
    config.set_value(value);
  }
  state_->Note({.kind = Event::Kind::kConfigsSet, .subject = name});
  return absl::OkStatus();
}

absl::Status Cluster::CreatePartitions(const std::string& name, int total) {
  state_->Pass(kCallMs);
  auto it = state_->topics.find(name);
  if (it == state_->topics.end()) return absl::FailedPreconditionError("UNKNOWN_TOPIC_OR_PARTITION");
  if (it->second.partitions_size() >= total) return absl::InvalidArgumentError("INVALID_PARTITIONS");
  for (int i = it->second.partitions_size(); i < total; ++i) {
    v1::TopicFacts::Partition& partition = *it->second.add_partitions();
    partition.set_partition(i);
    partition.set_replicas(1);
  }
  state_->Note({.kind = Event::Kind::kPartitionsAdded, .subject = name});
  return absl::OkStatus();
}

absl::Status Cluster::CommitOffsets(const std::string& name, const std::string& topic,
                                    const std::vector<v1::PartitionOffset>& vector, const std::string& metadata) {
  absl::Status answer;
  if (Intercept(false, &answer)) return answer;
  state_->Pass(kCallMs);
  Group& group = state_->groups[name];
  if (!group.members.empty()) return absl::FailedPreconditionError("UNKNOWN_MEMBER_ID");
  ++state_->offset_writes;
  Event event{.kind = Event::Kind::kOffsetsWritten, .subject = name, .text = metadata};
  for (const v1::PartitionOffset& entry : vector) {
    v1::GroupOffset& offset = group.offsets[topic][entry.partition()];
    offset.set_partition(entry.partition());
    offset.set_offset(entry.offset());
    offset.set_leader_epoch(entry.leader_epoch());
    offset.set_metadata(metadata);
    event.to[entry.partition()] = entry.offset();
  }
  state_->Note(std::move(event));
  if (Intercept(true, &answer)) return answer;
  return absl::OkStatus();
}

}  // namespace st::sim
