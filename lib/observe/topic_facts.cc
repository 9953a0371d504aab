#include "lib/observe/topic_facts.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::observe {
namespace {

// Kept of all that is in force, beside what is declared: what a plan looks at.
constexpr std::array<std::string_view, 5> kLookedAt = {"cleanup.policy", "max.message.bytes", "message.timestamp.type",
                                                       "min.insync.replicas", "retention.ms"};

// Topics whose full configs are held at once.
constexpr size_t kTopicsAtOnce = 500;

using Configs = std::map<std::string_view, std::string_view>;

Configs ByName(const google::protobuf::RepeatedPtrField<v1::TopicConfig>& configs) {
  Configs by_name;
  for (const v1::TopicConfig& config : configs) by_name[config.name()] = config.value();
  return by_name;
}

absl::flat_hash_set<std::string_view> InputsOfModels(const v1::Topology& topology) {
  absl::flat_hash_set<std::string_view> inputs;
  for (const v1::CompiledModel& model : topology.models()) {
    if (model.has_plan()) inputs.insert(model.plan().input_topic());
  }
  return inputs;
}

void KeepLookedAt(const v1::CompiledTopic& declared, v1::TopicFacts* facts) {
  Configs named = ByName(declared.configs());
  auto* effective = facts->mutable_effective();
  effective->erase(std::remove_if(effective->begin(), effective->end(),
                                  [&](const v1::TopicConfig& config) {
                                    return !named.contains(config.name()) &&
                                           std::find(kLookedAt.begin(), kLookedAt.end(), config.name()) ==
                                               kLookedAt.end();
                                  }),
                   effective->end());
}

// What we set on this very topic once and do not declare any more.
std::vector<std::string> NoLongerDeclared(const v1::CompiledTopic& declared, const v1::TopicFacts& facts,
                                          const v1::OwnedTopic& owned) {
  std::vector<std::string> names;
  if (owned.topic_id() != facts.topic_id()) return names;
  Configs wanted = ByName(declared.configs());
  Configs there = ByName(facts.configs());
  for (const v1::OwnedConfig& config : owned.configs()) {
    if (!wanted.contains(config.name()) && there.contains(config.name())) names.push_back(config.name());
  }
  return names;
}

absl::Status AskChange(const v1::CompiledTopic& declared, const v1::TopicFacts& facts, const v1::OwnedTopic& owned,
                       kafka::ClusterReader& cluster, v1::Observation* observation) {
  std::vector<std::pair<std::string, std::string>> set;
  Configs there = ByName(facts.configs());
  for (const v1::TopicConfig& config : declared.configs()) {
    auto found = there.find(config.name());
    if (found == there.end() || found->second != config.value()) set.emplace_back(config.name(), config.value());
  }
  std::vector<std::string> unset = NoLongerDeclared(declared, facts, owned);
  // Fewer partitions are no question to the broker: the plan refuses them.
  bool grows = static_cast<int>(declared.partitions()) > facts.partitions_size();
  if (set.empty() && unset.empty() && !grows) return absl::OkStatus();
  absl::StatusOr<v1::TopicVerdict> verdict =
      cluster.ValidateUpdate(declared.name(), set, unset, grows ? static_cast<int>(declared.partitions()) : 0);
  if (!verdict.ok()) return verdict.status();
  *observation->add_verdicts() = *std::move(verdict);
  return absl::OkStatus();
}

v1::CreateTopic ToCreate(const v1::CompiledTopic& declared) {
  v1::CreateTopic create;
  create.set_name(declared.name());
  create.set_partitions(declared.partitions());
  create.set_replication_factor(declared.replication_factor());
  *create.mutable_configs() = declared.configs();
  return create;
}

}  // namespace

bool IsOurs(const v1::CompiledTopic& topic) { return topic.mode() == v1::MANAGED || topic.mode() == v1::ADOPTED; }

absl::Status LookAtTopics(const v1::Topology& topology, kafka::ClusterReader& cluster, const Scope& scope,
                          v1::Observation* observation) {
  absl::flat_hash_set<std::string_view> inputs = InputsOfModels(topology);
  std::vector<const v1::CompiledTopic*> wanted;
  for (const v1::CompiledTopic& topic : topology.topics()) {
    if (scope.externals || IsOurs(topic) || inputs.contains(topic.name())) wanted.push_back(&topic);
  }
  for (size_t begin = 0; begin < wanted.size(); begin += kTopicsAtOnce) {
    size_t end = std::min(begin + kTopicsAtOnce, wanted.size());
    std::vector<std::string> names;
    for (size_t i = begin; i < end; ++i) names.push_back(wanted[i]->name());
    absl::StatusOr<std::vector<v1::TopicFacts>> facts = cluster.DescribeTopics(names);
    if (!facts.ok()) return facts.status();
    if (facts->size() != names.size())
      return absl::InternalError("the cluster answered about another number of topics");
    for (size_t i = begin; i < end; ++i) {
      KeepLookedAt(*wanted[i], &(*facts)[i - begin]);
      *observation->add_topics() = std::move((*facts)[i - begin]);
    }
  }
  std::sort(observation->mutable_topics()->begin(), observation->mutable_topics()->end(),
            [](const auto& a, const auto& b) { return a.name() < b.name(); });
  return absl::OkStatus();
}

absl::Status AskVerdicts(const v1::Topology& topology, kafka::ClusterReader& cluster, v1::Observation* observation) {
  absl::flat_hash_map<std::string_view, const v1::TopicFacts*> facts;
  for (const v1::TopicFacts& topic : observation->topics()) facts[topic.name()] = &topic;
  absl::flat_hash_map<std::string_view, const v1::OwnedTopic*> owned;
  for (const v1::OwnedResource& resource : observation->state().resources()) {
    if (resource.has_topic()) owned[resource.resource()] = &resource.topic();
  }
  std::vector<v1::CreateTopic> creates;
  for (const v1::CompiledTopic& topic : topology.topics()) {
    auto found = facts.find(topic.name());
    if (!IsOurs(topic) || found == facts.end()) continue;
    if (found->second->presence() == v1::ABSENT) creates.push_back(ToCreate(topic));
    if (found->second->presence() != v1::PRESENT) continue;
    auto ours = owned.find(topic.resource());
    const v1::OwnedTopic& record = ours == owned.end() ? v1::OwnedTopic::default_instance() : *ours->second;
    absl::Status status = AskChange(topic, *found->second, record, cluster, observation);
    if (!status.ok()) return status;
  }
  if (!creates.empty()) {
    absl::StatusOr<std::vector<v1::TopicVerdict>> verdicts = cluster.ValidateCreate(creates);
    if (!verdicts.ok()) return verdicts.status();
    for (v1::TopicVerdict& verdict : *verdicts) *observation->add_verdicts() = std::move(verdict);
  }
  std::sort(observation->mutable_verdicts()->begin(), observation->mutable_verdicts()->end(),
            [](const auto& a, const auto& b) { return a.topic() < b.topic(); });
  return absl::OkStatus();
}

}  // namespace st::observe
