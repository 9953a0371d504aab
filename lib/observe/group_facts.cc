#include "lib/observe/group_facts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/observe/topic_facts.h"

namespace st::observe {
namespace {

// Topics by name, each with its number of partitions.
using Partitions = std::map<std::string, int>;

Partitions PresentTopics(const v1::Observation& observation) {
  Partitions present;
  for (const v1::TopicFacts& topic : observation.topics()) {
    if (topic.presence() == v1::PRESENT) present[topic.name()] = topic.partitions_size();
  }
  return present;
}

// The groups that the topology names, each with the topics that it should read.
std::map<std::string, std::set<std::string>> NamedGroups(const v1::Topology& topology) {
  std::map<std::string, std::set<std::string>> named;
  absl::flat_hash_map<std::string_view, std::string_view> topic_of;
  for (const v1::CompiledSource& source : topology.sources()) topic_of[source.resource()] = source.topic();
  for (const v1::CompiledModel& model : topology.models()) {
    topic_of[model.resource()] = model.topic();
    if (model.has_plan()) named[model.application_id()].insert(model.plan().input_topic());
  }
  for (const v1::CompiledExposure& exposure : topology.exposures()) {
    if (exposure.consumer_group().empty()) continue;
    std::set<std::string>& topics = named[exposure.consumer_group()];
    for (const std::string& resource : exposure.consumes()) {
      if (auto found = topic_of.find(resource); found != topic_of.end()) topics.insert(std::string(found->second));
    }
  }
  return named;
}

bool Reads(const v1::GroupFacts& group, const Partitions& ours) {
  for (const v1::GroupMember& member : group.members()) {
    for (const v1::GroupAssignment& assignment : member.assignments()) {
      if (ours.contains(assignment.topic())) return true;
    }
  }
  for (const v1::GroupOffsets& topic : group.topics()) {
    for (const v1::GroupOffset& offset : topic.offsets()) {
      if (offset.offset() >= 0 || offset.unstable()) return true;
    }
  }
  return false;
}

// What somebody else's group does with topics that are not ours is not our business.
void KeepOurs(const Partitions& ours, v1::GroupFacts* group) {
  for (v1::GroupMember& member : *group->mutable_members()) {
    auto* assignments = member.mutable_assignments();
    assignments->erase(std::remove_if(assignments->begin(), assignments->end(),
                                      [&](const auto& assignment) { return !ours.contains(assignment.topic()); }),
                       assignments->end());
  }
}

absl::Status LookAtNamed(const std::map<std::string, std::set<std::string>>& named, const Partitions& present,
                         kafka::ClusterReader& cluster, v1::Observation* observation) {
  for (const auto& [group, topics] : named) {
    std::vector<std::pair<std::string, int>> asked;
    for (const std::string& topic : topics) {
      if (auto found = present.find(topic); found != present.end()) asked.emplace_back(*found);
    }
    absl::StatusOr<v1::GroupFacts> facts = cluster.DescribeGroup(group, asked);
    if (!facts.ok()) return facts.status();
    *observation->add_groups() = *std::move(facts);
  }
  return absl::OkStatus();
}

absl::Status LookForReaders(const std::map<std::string, std::set<std::string>>& named, const Partitions& ours,
                            kafka::ClusterReader& cluster, v1::Observation* observation) {
  if (ours.empty()) return absl::OkStatus();
  absl::StatusOr<std::vector<std::string>> listed = cluster.ListGroups();
  if (!listed.ok()) return listed.status();
  std::vector<std::pair<std::string, int>> asked;
  for (const auto& [topic, partitions] : ours) asked.emplace_back(topic, kafka::ClusterReader::kWhatIsCommitted);
  for (const std::string& group : *listed) {
    if (named.contains(group)) continue;
    absl::StatusOr<v1::GroupFacts> facts = cluster.DescribeGroup(group, asked);
    if (!facts.ok()) return facts.status();
    // One that we may not see may read them.
    if (facts->state() != v1::GroupFacts::INVISIBLE && !Reads(*facts, ours)) continue;
    KeepOurs(ours, &*facts);
    *observation->add_groups() = *std::move(facts);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status LookAtGroups(const v1::Topology& topology, kafka::ClusterReader& cluster, v1::Observation* observation) {
  Partitions present = PresentTopics(*observation);
  std::map<std::string, std::set<std::string>> named = NamedGroups(topology);
  if (absl::Status status = LookAtNamed(named, present, cluster, observation); !status.ok()) return status;
  Partitions ours;
  for (const v1::CompiledTopic& topic : topology.topics()) {
    if (auto found = present.find(topic.name()); IsOurs(topic) && found != present.end()) ours.insert(*found);
  }
  if (absl::Status status = LookForReaders(named, ours, cluster, observation); !status.ok()) return status;
  std::sort(observation->mutable_groups()->begin(), observation->mutable_groups()->end(),
            [](const auto& a, const auto& b) { return a.group_id() < b.group_id(); });
  return absl::OkStatus();
}

}  // namespace st::observe
