#include "lib/execute/sim/gated.h"

#include "absl/strings/str_cat.h"
#include "lib/execute/sim/faces.h"

namespace st::sim {
namespace {

using Kind = Boundary::Kind;

class GatedLease : public state::Lease {
 public:
  GatedLease(std::unique_ptr<state::Lease> inner, Gate* gate) : inner_(std::move(inner)), gate_(gate) {}
  const std::string& address() const override { return inner_->address(); }
  uint64_t epoch() const override { return inner_->epoch(); }
  absl::Status Check() override {
    return gate_->Cross("lease_check", Kind::kLeaseCheck, [&] { return inner_->Check(); });
  }
  const state::Lease& inner() const { return *inner_; }

 private:
  std::unique_ptr<state::Lease> inner_;
  Gate* gate_;
};

// Only leases of a GatedStore come back to it.
const state::Lease& Inner(const state::Lease& lease) { return static_cast<const GatedLease&>(lease).inner(); }

}  // namespace

absl::StatusOr<v1::ClusterFacts> GatedCluster::DescribeCluster() {
  return gate_->Cross("describe_cluster", Kind::kRead, [&] { return inner_->DescribeCluster(); });
}

absl::StatusOr<v1::BrokerDefaults> GatedCluster::DescribeDefaults() {
  return gate_->Cross("describe_defaults", Kind::kRead, [&] { return inner_->DescribeDefaults(); });
}

absl::StatusOr<std::vector<std::vector<int64_t>>> GatedCluster::FindByTime(
    const std::vector<std::pair<std::string, int>>& topics, int64_t since_ms) {
  return gate_->Cross("find_by_time", Kind::kRead, [&] { return inner_->FindByTime(topics, since_ms); });
}

absl::StatusOr<std::vector<std::string>> GatedCluster::ListTopics() {
  return gate_->Cross("list_topics", Kind::kRead, [&] { return inner_->ListTopics(); });
}

absl::StatusOr<std::vector<v1::TopicFacts>> GatedCluster::DescribeTopics(const std::vector<std::string>& names) {
  return gate_->Cross("describe_topics", Kind::kRead, [&] {
    std::string text;
    for (const std::string& name : names) absl::StrAppend(&text, " ", name);
    gate_->NoteLook("topics", std::move(text));
    return inner_->DescribeTopics(names);
  });
}

absl::StatusOr<std::vector<std::string>> GatedCluster::ListGroups() {
  return gate_->Cross("list_groups", Kind::kRead, [&] { return inner_->ListGroups(); });
}

absl::StatusOr<v1::GroupFacts> GatedCluster::DescribeGroup(const std::string& group,
                                                           const std::vector<std::pair<std::string, int>>& topics) {
  return gate_->Cross("describe_group", Kind::kRead, [&] {
    gate_->NoteLook("group");
    return inner_->DescribeGroup(group, topics);
  });
}

absl::StatusOr<std::vector<v1::TopicVerdict>> GatedCluster::ValidateCreate(const std::vector<v1::CreateTopic>& topics) {
  return gate_->Cross("validate_create", Kind::kRead, [&] { return inner_->ValidateCreate(topics); });
}

absl::StatusOr<v1::TopicVerdict> GatedCluster::ValidateUpdate(
    const std::string& topic, const std::vector<std::pair<std::string, std::string>>& set,
    const std::vector<std::string>& unset, int partitions) {
  return gate_->Cross("validate_update", Kind::kRead,
                      [&] { return inner_->ValidateUpdate(topic, set, unset, partitions); });
}

absl::Status GatedCluster::CreateTopic(const v1::CreateTopic& topic) {
  return gate_->Cross(
      "create_topic", Kind::kWrite, [&] { return inner_->CreateTopic(topic); },
      [topic](State* state) { (void)Cluster(state).CreateTopic(topic); });
}

absl::Status GatedCluster::AlterConfigs(const std::string& topic,
                                        const std::vector<std::pair<std::string, std::string>>& set,
                                        const std::vector<std::string>& unset) {
  return gate_->Cross(
      "alter_configs", Kind::kWrite, [&] { return inner_->AlterConfigs(topic, set, unset); },
      [topic, set, unset](State* state) { (void)Cluster(state).AlterConfigs(topic, set, unset); });
}

absl::Status GatedCluster::CreatePartitions(const std::string& topic, int total) {
  return gate_->Cross(
      "create_partitions", Kind::kWrite, [&] { return inner_->CreatePartitions(topic, total); },
      [topic, total](State* state) { (void)Cluster(state).CreatePartitions(topic, total); });
}

absl::Status GatedCluster::CommitOffsets(const std::string& group, const std::string& topic,
                                         const std::vector<v1::PartitionOffset>& offsets, const std::string& metadata) {
  return gate_->Cross(
      "commit_offsets", Kind::kWrite, [&] { return inner_->CommitOffsets(group, topic, offsets, metadata); },
      [group, topic, offsets, metadata](State* state) {
        (void)Cluster(state).CommitOffsets(group, topic, offsets, metadata);
      });
}

absl::StatusOr<v1::HostFacts> GatedHost::Identify() {
  return gate_->Cross("identify", Kind::kRead, [&] { return inner_->Identify(); });
}

absl::StatusOr<std::vector<v1::GenerationFacts>> GatedHost::Inventory(const std::vector<std::string>& application_ids,
                                                                      host::Depth depth) {
  return gate_->Cross("inventory", Kind::kRead, [&] {
    gate_->NoteLook("generations");
    return inner_->Inventory(application_ids, depth);
  });
}

absl::StatusOr<std::vector<v1::VolumeFacts>> GatedHost::Volumes(const std::vector<std::string>& application_ids) {
  return gate_->Cross("volumes", Kind::kRead, [&] {
    gate_->NoteLook("volumes");
    return inner_->Volumes(application_ids);
  });
}

absl::StatusOr<std::string> GatedHost::CreateVolume(const std::string& application_id,
                                                    const std::string& operation_id) {
  return gate_->Cross(
      "create_volume", Kind::kWrite, [&] { return inner_->CreateVolume(application_id, operation_id); },
      [application_id, operation_id](State* state) { (void)Host(state).CreateVolume(application_id, operation_id); });
}

absl::Status GatedHost::Create(const host::GenerationSpec& spec) {
  return gate_->Cross(
      "create_generation", Kind::kWrite, [&] { return inner_->Create(spec); },
      [spec](State* state) { (void)Host(state).Create(spec); });
}

absl::Status GatedHost::Start(const std::string& application_id, const std::string& generation_id) {
  return gate_->Cross(
      "start_generation", Kind::kWrite, [&] { return inner_->Start(application_id, generation_id); },
      [application_id, generation_id](State* state) { (void)Host(state).Start(application_id, generation_id); });
}

absl::Status GatedHost::Stop(const std::string& application_id, const std::string& generation_id) {
  return gate_->Cross(
      "stop_generation", Kind::kWrite, [&] { return inner_->Stop(application_id, generation_id); },
      [application_id, generation_id](State* state) { (void)Host(state).Stop(application_id, generation_id); });
}

absl::Status GatedHost::Remove(const std::string& application_id, const std::string& generation_id) {
  return gate_->Cross(
      "remove_generation", Kind::kWrite, [&] { return inner_->Remove(application_id, generation_id); },
      [application_id, generation_id](State* state) { (void)Host(state).Remove(application_id, generation_id); });
}

absl::StatusOr<uint64_t> GatedStore::Noted(const std::string& kind, absl::StatusOr<uint64_t> revision) {
  if (!revision.ok()) return revision;
  gate_->state()->actor = gate_->actor();
  gate_->state()->Note({.kind = Event::Kind::kStored, .subject = kind, .revision = *revision});
  return revision;
}

absl::StatusOr<state::Snapshot> GatedStore::Read(const std::string& address) {
  return gate_->Cross("read", Kind::kStoreRead, [&] { return inner_->Read(address); });
}

absl::StatusOr<std::unique_ptr<state::Lease>> GatedStore::Acquire(const std::string& address) {
  return gate_->Cross("acquire", Kind::kAcquire, [&]() -> absl::StatusOr<std::unique_ptr<state::Lease>> {
    absl::StatusOr<std::unique_ptr<state::Lease>> lease = inner_->Acquire(address);
    if (!lease.ok()) return lease.status();
    return std::make_unique<GatedLease>(*std::move(lease), gate_);
  });
}

absl::StatusOr<uint64_t> GatedStore::Begin(const state::Lease& lease, uint64_t revision,
                                           const std::string& operation_id, const std::string& intent) {
  return gate_->Cross("begin", Kind::kStoreWrite,
                      [&] { return Noted("begin", inner_->Begin(Inner(lease), revision, operation_id, intent)); });
}

absl::StatusOr<uint64_t> GatedStore::Append(const state::Lease& lease, uint64_t revision, const state::Frame& frame) {
  const char* kind = frame.kind == state::Frame::Kind::kCheckpoint ? "checkpoint" : "authorization";
  return gate_->Cross(kind, Kind::kStoreWrite,
                      [&] { return Noted(kind, inner_->Append(Inner(lease), revision, frame)); });
}

absl::StatusOr<uint64_t> GatedStore::Complete(const state::Lease& lease, uint64_t revision,
                                              const std::string& ownership, const std::string& receipt) {
  return gate_->Cross("complete", Kind::kStoreWrite,
                      [&] { return Noted("complete", inner_->Complete(Inner(lease), revision, ownership, receipt)); });
}

absl::StatusOr<std::vector<state::HistoryEntry>> GatedStore::History(const std::string& address) {
  return gate_->Cross("history", Kind::kStoreRead, [&] { return inner_->History(address); });
}

}  // namespace st::sim
