// The simulated world as tools see it: a clock, a cluster and a runner host over one State. Test-only.
#ifndef ST_LIB_EXECUTE_SIM_FACES_H_
#define ST_LIB_EXECUTE_SIM_FACES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/clock.h"
#include "lib/execute/sim/state.h"
#include "lib/host/host.h"
#include "lib/kafka/admin.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::sim {

class Clock : public base::Clock {
 public:
  explicit Clock(State* state) : state_(state) {}
  int64_t NowMs() override { return state_->now_ms; }
  int64_t MonotonicMs() override { return state_->now_ms; }
  void SleepMs(int64_t ms) override;

 private:
  State* state_;
};

class Cluster : public kafka::ClusterAdmin {
 public:
  explicit Cluster(State* state) : state_(state) {}

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
  // True: the caller gives `*answer` without doing anything, or having done it.
  bool Intercept(bool done, absl::Status* answer);

  State* state_;
};

class Host : public host::RunnerHost {
 public:
  explicit Host(State* state) : state_(state) {}

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
  State* state_;
};

}  // namespace st::sim

#endif  // ST_LIB_EXECUTE_SIM_FACES_H_
