// The adapters behind a Gate: each call of the driver is one boundary. The faces behind them know nothing of faults.
// Test-only.
#ifndef ST_LIB_EXECUTE_SIM_GATED_H_
#define ST_LIB_EXECUTE_SIM_GATED_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/execute/sim/gate.h"
#include "lib/host/host.h"
#include "lib/kafka/admin.h"
#include "lib/state/state.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::sim {

class GatedCluster : public kafka::ClusterAdmin {
 public:
  GatedCluster(kafka::ClusterAdmin* inner, Gate* gate) : inner_(inner), gate_(gate) {}

  absl::StatusOr<v1::ClusterFacts> DescribeCluster() override;
  absl::StatusOr<v1::BrokerDefaults> DescribeDefaults() override;
  absl::StatusOr<std::vector<std::string>> ListTopics() override;
  absl::StatusOr<std::vector<v1::TopicFacts>> DescribeTopics(const std::vector<std::string>& names) override;
  absl::StatusOr<std::vector<std::vector<int64_t>>> FindByTime(const std::vector<std::pair<std::string, int>>& topics,
                                                               int64_t since_ms) override;
  absl::StatusOr<std::vector<std::string>> ListGroups() override;
  absl::StatusOr<v1::GroupFacts> DescribeGroup(const std::string& group,
                                               const std::vector<std::pair<std::string, int>>& topics) override;
  absl::StatusOr<std::vector<v1::TopicVerdict>> ValidateCreate(const std::vector<v1::CreateTopic>& topics) override;
  absl::StatusOr<v1::TopicVerdict> ValidateUpdate(const std::string& topic,
                                                  const std::vector<std::pair<std::string, std::string>>& set,
                                                  const std::vector<std::string>& unset, int partitions) override;
  absl::Status CreateTopic(const v1::CreateTopic& topic) override;
  absl::Status AlterConfigs(const std::string& topic, const std::vector<std::pair<std::string, std::string>>& set,
                            const std::vector<std::string>& unset) override;
  absl::Status CreatePartitions(const std::string& topic, int total) override;
  absl::Status CommitOffsets(const std::string& group, const std::string& topic,
                             const std::vector<v1::PartitionOffset>& offsets, const std::string& metadata) override;

 private:
  kafka::ClusterAdmin* inner_;
  Gate* gate_;
};

class GatedHost : public host::RunnerHost {
 public:
  GatedHost(host::RunnerHost* inner, Gate* gate) : inner_(inner), gate_(gate) {}

  absl::StatusOr<v1::HostFacts> Identify() override;
  absl::StatusOr<std::vector<v1::GenerationFacts>> Inventory(const std::vector<std::string>& application_ids,
                                                             host::Depth depth) override;
  absl::StatusOr<std::vector<v1::VolumeFacts>> Volumes(const std::vector<std::string>& application_ids) override;
  absl::StatusOr<std::string> CreateVolume(const std::string& application_id, const std::string& operation_id) override;
  absl::Status Create(const host::GenerationSpec& spec) override;
  absl::Status Start(const std::string& application_id, const std::string& generation_id) override;
  absl::Status Stop(const std::string& application_id, const std::string& generation_id) override;
  absl::Status Remove(const std::string& application_id, const std::string& generation_id) override;

 private:
  host::RunnerHost* inner_;
  Gate* gate_;
};

// Around a real store. Writes down each entry that was really made.
class GatedStore : public state::StateStore {
 public:
  GatedStore(state::StateStore* inner, Gate* gate) : inner_(inner), gate_(gate) {}

  absl::StatusOr<state::Snapshot> Read(const std::string& address) override;
  absl::StatusOr<std::unique_ptr<state::Lease>> Acquire(const std::string& address) override;
  absl::StatusOr<uint64_t> Begin(const state::Lease& lease, uint64_t revision, const std::string& operation_id,
                                 const std::string& intent) override;
  absl::StatusOr<uint64_t> Append(const state::Lease& lease, uint64_t revision, const state::Frame& frame) override;
  absl::StatusOr<uint64_t> Complete(const state::Lease& lease, uint64_t revision, const std::string& ownership,
                                    const std::string& receipt) override;
  absl::StatusOr<std::vector<state::HistoryEntry>> History(const std::string& address) override;

 private:
  absl::StatusOr<uint64_t> Noted(const std::string& kind, absl::StatusOr<uint64_t> revision);

  state::StateStore* inner_;
  Gate* gate_;
};

}  // namespace st::sim

#endif  // ST_LIB_EXECUTE_SIM_GATED_H_
