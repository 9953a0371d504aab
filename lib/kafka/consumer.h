// A member of a consumer group that reads one topic for a transactional copy: read committed, positions explicit, never
// an offset chosen by the client.
//
// Rebalances are not acted on inside a poll: Poll notes one, the caller ends its transaction and then answers with
// Assign or Unassign. Until then no partition is given up, so a batch never mixes two assignments.
#ifndef ST_LIB_KAFKA_CONSUMER_H_
#define ST_LIB_KAFKA_CONSUMER_H_

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/kafka/handle.h"

namespace st::kafka {

// How long the group waits for a member that was killed. The least that brokers take by default
// (group.min.session.timeout.ms).
inline constexpr int kSessionTimeoutMs = 6000;

struct Position {
  int32_t partition = 0;
  int64_t offset = -1;  // next to read; -1: none
  int32_t leader_epoch = -1;
};

struct Watermarks {
  int32_t partition = 0;
  int64_t last_stable_offset = -1;  // -1: not known
  int64_t high_watermark = -1;
};

struct GroupMetadataDeleter {
  void operator()(rd_kafka_consumer_group_metadata_t* metadata) const;
};
using GroupMetadata = std::unique_ptr<rd_kafka_consumer_group_metadata_t, GroupMetadataDeleter>;

enum class Rebalance {
  kNone,
  kAssign,
  kRevoke,
  kLost,  // as kRevoke, but somebody else may already have the partitions
};

// One thread, but Trouble().
class Consumer : public Events {
 public:
  // `properties`: allowed ones, which ours override. InvalidArgument as Settings::Open.
  static absl::StatusOr<std::unique_ptr<Consumer>> Open(const Properties& properties, const std::string& group,
                                                        const std::string& topic);
  ~Consumer() override;

  // To ask for its settings.
  rd_kafka_t* handle() const { return handle_.get(); }

  absl::Status Subscribe();

  // Up to `max` messages into `out`, each to be destroyed by the caller; an error message has `err` set. What is queued
  // comes at once; else it waits up to `timeout_ms` for the first.
  size_t Poll(int timeout_ms, rd_kafka_message_t** out, size_t max);

  // The rebalance that was seen and not answered yet, with its partitions.
  Rebalance pending() const { return pending_; }
  const std::vector<int32_t>& pending_partitions() const { return pending_partitions_; }
  // Answers kAssign: reads from these.
  absl::Status Assign(const std::vector<Position>& positions);
  // Answers kRevoke and kLost.
  absl::Status Unassign();

  // Of the generation in which the current partitions were given, taken in the assign callback; null without one, or
  // when it has no generation or member id.
  const rd_kafka_consumer_group_metadata_t* metadata() const { return metadata_.get(); }
  std::string MemberId() const;
  // Somebody else may have the partitions although no rebalance was seen yet.
  bool Lost() const;

  // The stable committed offsets of partitions, each -1 where there is none. Fails as a whole when any is not known.
  absl::StatusOr<std::vector<Position>> Committed(const std::vector<int32_t>& partitions, int timeout_ms);
  // Where the log of each begins. All or a failure.
  absl::StatusOr<std::vector<Position>> Begins(const std::vector<int32_t>& partitions, int timeout_ms);
  // All or a failure; what was read ahead is dropped.
  absl::Status Seek(const std::vector<Position>& positions, int timeout_ms);
  // Where the client is: after the last record or control record that Poll passed. Fills in offset and epoch of
  // `positions`, -1 where it does not know.
  void Where(std::vector<Position>* positions) const;
  // As last reported by the brokers (every second).
  const std::vector<Watermarks>& watermarks() const { return watermarks_; }

  // Leaves the group. DeadlineExceeded when that did not end in time; to be called again or given up. The transaction
  // has ended before. Success does not prove that the leave was received.
  absl::Status Close(int timeout_ms);

 private:
  explicit Consumer(std::string topic);
  void OnRebalance(rd_kafka_resp_err_t what, const rd_kafka_topic_partition_list_t& partitions) override;
  void OnStatistics(std::string_view json) override;

  struct StatisticsReader;

  const std::string topic_;
  std::unique_ptr<StatisticsReader> statistics_;
  Handle handle_;
  rd_kafka_queue_t* queue_ = nullptr;
  rd_kafka_queue_t* close_queue_ = nullptr;
  Rebalance pending_ = Rebalance::kNone;
  std::vector<int32_t> pending_partitions_;
  GroupMetadata metadata_;
  std::vector<Watermarks> watermarks_;
  bool closing_ = false;
};

}  // namespace st::kafka

#endif  // ST_LIB_KAFKA_CONSUMER_H_
