#include "lib/kafka/admin.h"

#include "lib/kafka/admin_client.h"
#include "lib/kafka/defaults.h"
#include "lib/kafka/groups.h"
#include "lib/kafka/topics.h"
#include "lib/kafka/writes.h"

namespace st::kafka {
namespace {

class KafkaAdmin : public ClusterAdmin {
 public:
  explicit KafkaAdmin(std::unique_ptr<AdminClient> client) : client_(std::move(client)) {}

  absl::StatusOr<v1::ClusterFacts> DescribeCluster() override { return kafka::DescribeCluster(*client_); }

  absl::StatusOr<v1::BrokerDefaults> DescribeDefaults() override { return kafka::DescribeDefaults(*client_); }

  absl::StatusOr<std::vector<std::string>> ListTopics() override { return kafka::ListTopics(*client_); }

  absl::StatusOr<std::vector<v1::TopicFacts>> DescribeTopics(const std::vector<std::string>& names) override {
    return kafka::DescribeTopics(*client_, names);
  }

  absl::StatusOr<std::vector<std::vector<int64_t>>> FindByTime(const std::vector<std::pair<std::string, int>>& topics,
                                                               int64_t since_ms) override {
    return kafka::FindByTime(*client_, topics, since_ms);
  }

  absl::StatusOr<std::vector<std::string>> ListGroups() override { return kafka::ListGroups(*client_); }

  absl::StatusOr<v1::GroupFacts> DescribeGroup(const std::string& group,
                                               const std::vector<std::pair<std::string, int>>& topics) override {
    return kafka::DescribeGroup(*client_, group, topics);
  }

  absl::StatusOr<std::vector<v1::TopicVerdict>> ValidateCreate(const std::vector<v1::CreateTopic>& topics) override {
    return kafka::ValidateCreate(*client_, topics);
  }

  absl::StatusOr<v1::TopicVerdict> ValidateUpdate(const std::string& topic, const ConfigValues& set,
                                                  const std::vector<std::string>& unset, int partitions) override {
    return kafka::ValidateUpdate(*client_, topic, set, unset, partitions);
  }

  absl::Status CreateTopic(const v1::CreateTopic& topic) override { return kafka::CreateTopic(*client_, topic); }

  absl::Status AlterConfigs(const std::string& topic, const ConfigValues& set,
                            const std::vector<std::string>& unset) override {
    return kafka::AlterConfigs(*client_, topic, set, unset);
  }

  absl::Status CreatePartitions(const std::string& topic, int total) override {
    return kafka::CreatePartitions(*client_, topic, total);
  }

  absl::Status CommitOffsets(const std::string& group, const std::string& topic,
                             const std::vector<v1::PartitionOffset>& offsets, const std::string& metadata) override {
    return kafka::CommitOffsets(*client_, group, topic, offsets, metadata);
  }

 private:
  std::unique_ptr<AdminClient> client_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ClusterAdmin>> OpenAdmin(const Properties& properties, const std::string& client_id) {
  absl::StatusOr<std::unique_ptr<AdminClient>> client = AdminClient::Open(properties, client_id);
  if (!client.ok()) return client.status();
  return std::make_unique<KafkaAdmin>(*std::move(client));
}

}  // namespace st::kafka
