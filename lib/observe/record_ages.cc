#include "lib/observe/record_ages.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "schemas/st/v1/state.pb.h"

namespace st::observe {
namespace {

using TopicConfigs = google::protobuf::RepeatedPtrField<v1::TopicConfig>;

const std::string* Find(const TopicConfigs& configs, std::string_view name) {
  for (const v1::TopicConfig& config : configs) {
    if (config.name() == name) return &config.value();
  }
  return nullptr;
}

// A topic as it will be: as declared, else as it is, else as the broker makes one.
class Output {
 public:
  Output(const v1::CompiledTopic& declared, const v1::TopicFacts& facts, const v1::BrokerDefaults& defaults)
      : declared_(declared), facts_(facts), defaults_(defaults) {}

  // Milliseconds; none when no record is removed for its age, or it is not known.
  std::optional<int64_t> Retention() const {
    const std::string* policy = InForce("cleanup.policy");
    const std::string* stamp = InForce("message.timestamp.type");
    const std::string* retention = InForce("retention.ms");
    int64_t ms = 0;
    if (policy == nullptr || !absl::StrContains(*policy, "delete")) return std::nullopt;
    if (stamp == nullptr || *stamp != "CreateTime") return std::nullopt;
    if (retention == nullptr || !absl::SimpleAtoi(*retention, &ms) || ms < 0) return std::nullopt;
    return ms;
  }

 private:
  const std::string* InForce(std::string_view name) const {
    if (const std::string* value = Find(declared_.configs(), name)) return value;
    if (facts_.presence() == v1::PRESENT) return Find(facts_.effective(), name);
    return Find(defaults_.topic_configs(), name);
  }

  const v1::CompiledTopic& declared_;
  const v1::TopicFacts& facts_;
  const v1::BrokerDefaults& defaults_;
};

struct Reader {
  const v1::CompiledModel* model;
  const v1::TopicFacts* input;
};

// The models with SQL whose input is there, by how long their outputs keep records.
std::map<int64_t, std::vector<Reader>> ByRetention(const v1::Topology& topology, const v1::Observation& observation) {
  absl::flat_hash_map<std::string_view, const v1::TopicFacts*> facts;
  for (const v1::TopicFacts& topic : observation.topics()) facts[topic.name()] = &topic;
  absl::flat_hash_map<std::string_view, const v1::CompiledTopic*> declared;
  for (const v1::CompiledTopic& topic : topology.topics()) declared[topic.name()] = &topic;
  std::map<int64_t, std::vector<Reader>> readers;
  for (const v1::CompiledModel& model : topology.models()) {
    if (!model.has_plan()) continue;
    auto input = facts.find(model.plan().input_topic());
    auto output = facts.find(model.topic());
    auto wanted = declared.find(model.topic());
    if (input == facts.end() || output == facts.end() || wanted == declared.end()) continue;
    if (input->second->presence() != v1::PRESENT) continue;
    std::optional<int64_t> retention =
        Output(*wanted->second, *output->second, observation.cluster().defaults()).Retention();
    if (retention.has_value()) readers[*retention].push_back({&model, input->second});
  }
  return readers;
}

// `young`: by partition, -1 where no record is that young.
v1::RecordAges AgesOf(const Reader& reader, int64_t retention, const std::vector<int64_t>& young) {
  v1::RecordAges ages;
  ages.set_model(reader.model->resource());
  ages.set_retention_ms(retention);
  for (const v1::TopicFacts::Partition& partition : reader.input->partitions()) {
    const int64_t offset = young.at(static_cast<size_t>(partition.partition()));
    v1::PartitionOffset& first = *ages.add_young();
    first.set_partition(partition.partition());
    first.set_offset(offset < 0 ? partition.end_offset() : offset);
    first.set_leader_epoch(-1);
  }
  return ages;
}

}  // namespace

absl::Status LookAtRecordAges(const v1::Topology& topology, kafka::ClusterReader& cluster,
                              v1::Observation* observation) {
  for (const auto& [retention, readers] : ByRetention(topology, *observation)) {
    std::vector<std::pair<std::string, int>> topics;
    absl::flat_hash_map<std::string_view, size_t> places;
    for (const Reader& reader : readers) {
      if (!places.try_emplace(reader.input->name(), topics.size()).second) continue;
      topics.emplace_back(reader.input->name(), reader.input->partitions_size());
    }
    absl::StatusOr<std::vector<std::vector<int64_t>>> found =
        cluster.FindByTime(topics, std::max<int64_t>(0, observation->observed_at_ms() - retention));
    if (!found.ok()) return found.status();
    if (found->size() != topics.size())
      return absl::InternalError("the cluster answered about another number of topics");
    for (const Reader& reader : readers) {
      *observation->add_record_ages() = AgesOf(reader, retention, (*found)[places[reader.input->name()]]);
    }
  }
  std::sort(observation->mutable_record_ages()->begin(), observation->mutable_record_ages()->end(),
            [](const auto& a, const auto& b) { return a.model() < b.model(); });
  return absl::OkStatus();
}

}  // namespace st::observe
