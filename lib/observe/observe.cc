#include "lib/observe/observe.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"
#include "lib/kafka/outrun.h"
#include "lib/observe/group_facts.h"
#include "lib/observe/record_ages.h"
#include "lib/observe/topic_facts.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/operation.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::observe {
namespace {

absl::Status Unreadable(std::string_view what, std::string_view address) {
  return absl::DataLossError(absl::StrCat("the ", what, " of ", address,
                                          " in the state store cannot be read; restore the store from its backup"));
}

// Where an open operation stands: as much as a person needs to decide whether to resume it.
absl::Status DescribeOperation(const state::Snapshot& snapshot, const std::string& address, v1::StateFacts* facts) {
  facts->set_open_operation_id(snapshot.operation_id);
  v1::Intent intent;
  if (!intent.ParseFromString(snapshot.intent)) return Unreadable("intent", address);
  facts->set_copied_to(intent.copied_to());
  facts->set_open_operation_checkpoint("its intent, and nothing after it");
  for (const state::Frame& frame : snapshot.frames) {
    if (frame.kind != state::Frame::Kind::kCheckpoint) continue;
    v1::Checkpoint checkpoint;
    if (!checkpoint.ParseFromString(frame.payload)) return Unreadable("journal", address);
    int index = static_cast<int>(checkpoint.action_index());
    std::string resource = index < intent.actions_size() ? intent.actions(index).resource() : "an unknown action";
    facts->set_open_operation_checkpoint(absl::StrCat(v1::Checkpoint::Name_Name(checkpoint.name()), " of ", resource));
  }
  return absl::OkStatus();
}

absl::Status LookAtState(const v1::Topology& topology, state::StateStore* store, v1::StateFacts* facts) {
  if (store == nullptr) return absl::InternalError("no state store was opened");
  std::string address = absl::StrCat(topology.project(), "/", topology.environment());
  absl::StatusOr<state::Snapshot> snapshot = store->Read(address);
  if (!snapshot.ok()) return snapshot.status();
  v1::StateReference* reference = facts->mutable_reference();
  reference->set_store_id(snapshot->store_id);
  reference->set_address(address);
  reference->set_serial(snapshot->serial);
  if (snapshot->serial > 0) reference->set_checksum(base::Sha256Hex(snapshot->ownership));
  reference->set_location(snapshot->location);
  v1::OwnedResources owned;
  if (!owned.ParseFromString(snapshot->ownership)) return Unreadable("ownership", address);
  facts->mutable_resources()->Swap(owned.mutable_resources());
  if (snapshot->operation_id.empty()) return absl::OkStatus();
  return DescribeOperation(*snapshot, address, facts);
}

// One question for all of them, however many there are.
absl::Status LookAtApplications(const std::vector<std::string>& application_ids, host::RunnerHost& host,
                                v1::HostFacts* facts) {
  absl::StatusOr<std::vector<v1::GenerationFacts>> generations = host.Inventory(application_ids, host::Depth::kShallow);
  if (!generations.ok()) return generations.status();
  for (v1::GenerationFacts& generation : *generations) *facts->add_generations() = std::move(generation);
  absl::StatusOr<std::vector<v1::VolumeFacts>> volumes = host.Volumes(application_ids);
  if (!volumes.ok()) return volumes.status();
  for (v1::VolumeFacts& volume : *volumes) *facts->add_volumes() = std::move(volume);
  return absl::OkStatus();
}

absl::Status LookAtHost(const v1::Topology& topology, host::RunnerHost* host, v1::HostFacts* facts) {
  if (host == nullptr) return absl::InternalError("no runner host was opened");
  absl::StatusOr<v1::HostFacts> identity = host->Identify();
  if (!identity.ok()) return identity.status();
  *facts = *std::move(identity);
  std::vector<std::string> application_ids;
  for (const v1::CompiledModel& model : topology.models()) {
    if (model.has_plan()) application_ids.push_back(model.application_id());
  }
  return LookAtApplications(application_ids, *host, facts);
}

bool HasRunners(const v1::Topology& topology) {
  return std::any_of(topology.models().begin(), topology.models().end(),
                     [](const v1::CompiledModel& model) { return model.has_plan(); });
}

// A topic whose end was seen before its readers went past it is looked at again: nothing is out of range for that.
absl::Status LookAgainWhereOutrun(kafka::ClusterReader& cluster, v1::Observation* observation) {
  absl::flat_hash_map<std::string_view, v1::TopicFacts*> topics;
  for (v1::TopicFacts& topic : *observation->mutable_topics()) topics[topic.name()] = &topic;
  std::map<std::string, v1::TopicFacts*> outrun;
  for (const v1::GroupFacts& group : observation->groups()) {
    for (const v1::GroupOffsets& read : group.topics()) {
      const auto topic = topics.find(read.topic());
      if (topic != topics.end() && kafka::IsOutrun(*topic->second, read)) outrun.insert(*topic);
    }
  }
  if (outrun.empty()) return absl::OkStatus();
  std::vector<std::string> names;
  for (const auto& [name, topic] : outrun) names.push_back(name);
  absl::StatusOr<std::vector<v1::TopicFacts>> again = cluster.DescribeTopics(names);
  if (!again.ok()) return again.status();
  if (again->size() != names.size()) return absl::InternalError("the cluster answered about another number of topics");
  auto answer = again->begin();
  for (const auto& [name, topic] : outrun) {
    if (answer->topic_id() == topic->topic_id()) topic->mutable_partitions()->Swap(answer->mutable_partitions());
    ++answer;
  }
  return absl::OkStatus();
}

absl::Status LookAtCluster(const v1::Topology& topology, const World& world, const Scope& scope,
                           v1::Observation* observation) {
  if (world.cluster == nullptr) return absl::InternalError("no cluster was opened");
  absl::StatusOr<v1::ClusterFacts> cluster = world.cluster->DescribeCluster();
  if (!cluster.ok()) return cluster.status();
  *observation->mutable_cluster() = *std::move(cluster);
  if (absl::Status status = LookAtTopics(topology, *world.cluster, scope, observation); !status.ok()) return status;
  if (absl::Status status = AskVerdicts(topology, *world.cluster, observation); !status.ok()) return status;
  if (absl::Status status = LookAtGroups(topology, *world.cluster, observation); !status.ok()) return status;
  if (absl::Status status = LookAgainWhereOutrun(*world.cluster, observation); !status.ok()) return status;
  if (!HasRunners(topology)) return absl::OkStatus();
  absl::StatusOr<v1::BrokerDefaults> defaults = world.cluster->DescribeDefaults();
  if (!defaults.ok()) return defaults.status();
  *observation->mutable_cluster()->mutable_defaults() = *std::move(defaults);
  return LookAtRecordAges(topology, *world.cluster, observation);
}

}  // namespace

absl::Status Observe(const v1::Topology& topology, const World& world, const Scope& scope,
                     v1::Observation* observation) {
  observation->Clear();
  observation->set_observed_at_ms(world.clock->NowMs());
  if (absl::Status status = LookAtState(topology, world.store, observation->mutable_state()); !status.ok()) {
    return status;
  }
  if (HasRunners(topology)) {
    if (absl::Status status = LookAtHost(topology, world.host, observation->mutable_host()); !status.ok())
      return status;
  }
  return LookAtCluster(topology, world, scope, observation);
}

void Offline(v1::Observation* observation) {
  observation->Clear();
  observation->set_offline(true);
}

}  // namespace st::observe
