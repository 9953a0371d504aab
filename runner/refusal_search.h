// Finds the one record that the output's broker does not take. Brokers refuse whole batches, so: the records of a
// refused batch are suspects, the transaction is aborted and replayed with the suspects in smaller batches, again and
// again, until one is refused alone. Then the replay stops at that record. Pure; one thread.
#ifndef ST_RUNNER_REFUSAL_SEARCH_H_
#define ST_RUNNER_REFUSAL_SEARCH_H_

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lib/kafka/consumer.h"
#include "lib/kafka/producer.h"

namespace st::runner {

// Where an output record comes from, in 64 bits: 16 of partition, 48 of offset.
inline uint64_t MarkOf(int32_t partition, int64_t offset) {
  return static_cast<uint64_t>(partition) << 48 | static_cast<uint64_t>(offset);
}
inline int32_t PartitionOf(uint64_t mark) { return static_cast<int32_t>(mark >> 48); }
inline int64_t OffsetOf(uint64_t mark) { return static_cast<int64_t>(mark & 0xffffffffffff); }
inline constexpr int32_t kMaxPartition = (1 << 16) - 1;

class RefusalSearch {
 public:
  // What was reported as failed since the transaction began. True when it brought something new.
  bool Note(const std::vector<kafka::FailedDelivery>& failures);
  // This record is refused for sure.
  void Convict(int32_t partition, int64_t offset, rd_kafka_resp_err_t code);

  // Nothing was ever refused, or all suspects were written: the common case, one branch for each record.
  bool idle() const { return suspects_.empty() && convicts_.empty(); }
  // To be sent in a batch of no more than GroupSize() suspects and nothing else.
  bool IsSuspect(int32_t partition, int64_t offset) const { return suspects_.contains(MarkOf(partition, offset)); }
  // To stop at, with the broker's code.
  std::optional<rd_kafka_resp_err_t> Convicted(int32_t partition, int64_t offset) const;
  size_t GroupSize() const;
  // Suspects before these positions were written after all.
  void Committed(const std::vector<kafka::Position>& positions);

 private:
  absl::flat_hash_set<uint64_t> suspects_;
  absl::flat_hash_map<uint64_t, rd_kafka_resp_err_t> convicts_;
};

}  // namespace st::runner

#endif  // ST_RUNNER_REFUSAL_SEARCH_H_
