// A world in memory for the loop's tests: a cluster and a runner host that know each other, so that a started runner
// joins its group. What a test reads and spoils is public. Test-only.
#ifndef ST_LIB_EXECUTE_FAKE_WORLD_H_
#define ST_LIB_EXECUTE_FAKE_WORLD_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/clock.h"
#include "lib/host/host.h"
#include "lib/kafka/admin.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::execute {

class FakeClock : public base::Clock {
 public:
  int64_t NowMs() override { return now_ms; }
  int64_t MonotonicMs() override { return now_ms; }
  void SleepMs(int64_t ms) override { now_ms += ms; }
  int64_t now_ms = 1'000'000;
};

class FakeCluster : public kafka::ClusterAdmin {
 public:
  absl::StatusOr<v1::ClusterFacts> DescribeCluster() override;
  absl::StatusOr<std::vector<std::string>> ListTopics() override;
  absl::StatusOr<std::vector<v1::TopicFacts>> DescribeTopics(const std::vector<std::string>& names) override;
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

  v1::TopicFacts& AddTopic(const std::string& name, int partitions);

  std::string cluster_id = "cluster";
  std::map<std::string, v1::TopicFacts> topics;
  std::map<std::string, v1::GroupFacts> groups;
  int creates = 0;        // topics made
  int offset_writes = 0;  // vectors written
  // Answer of the next write instead of its own; with `after`, the write happens all the same.
  absl::Status next_answer;
  bool after = false;

 private:
  // True: the caller gives `*answer` without doing anything, or having done it.
  bool Intercept(bool done, absl::Status* answer);
};

class FakeHost : public host::RunnerHost {
 public:
  FakeHost(FakeCluster* cluster, base::Clock* clock) : cluster_(cluster), clock_(clock) {}
  absl::StatusOr<v1::HostFacts> Identify() override;
  absl::StatusOr<std::vector<v1::GenerationFacts>> Inventory(const std::vector<std::string>& application_ids,
                                                             host::Depth depth) override;
  absl::StatusOr<std::vector<v1::VolumeFacts>> Volumes(const std::vector<std::string>& application_ids) override;
  absl::StatusOr<std::string> CreateVolume(const std::string& application_id, const std::string& operation_id) override;
  absl::Status Create(const host::GenerationSpec& spec) override;
  absl::Status Start(const std::string& application_id, const std::string& generation_id) override;
  absl::Status Stop(const std::string& application_id, const std::string& generation_id) override;
  absl::Status Remove(const std::string& application_id, const std::string& generation_id) override;

  std::map<std::string, v1::GenerationFacts> generations;
  std::map<std::string, v1::VolumeFacts> volumes;
  int starts = 0;
  bool fails_at_start = false;  // a started runner ends at once

 private:
  FakeCluster* cluster_;
  base::Clock* clock_;
};

}  // namespace st::execute

#endif  // ST_LIB_EXECUTE_FAKE_WORLD_H_
