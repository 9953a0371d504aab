// What has to be true before a consumer exists.
#ifndef ST_RUNNER_STARTUP_H_
#define ST_RUNNER_STARTUP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/kafka/properties.h"
#include "lib/kafka/topic_identity.h"
#include "runner/failure.h"
#include "runner/log.h"
#include "runner/pulse.h"

namespace st::runner {

// What this runner was made for.
struct Expected {
  std::string cluster_id = {};
  std::string input_topic = {};
  std::string input_topic_id = {};
  std::string output_topic = {};
  std::string output_topic_id = {};
  int initialized_partitions = 0;
  int input_partitions = 0;   // as found at start; 0 before. Later it may get more
  int output_partitions = 0;  // as found at start; 0 before
};

// Compares what the broker said of input and output (in this order) with what is expected. Pure.
MaybeFailure CheckTopics(const Expected& expected, const std::vector<kafka::TopicIdentity>& topics);
MaybeFailure CheckCluster(const Expected& expected, const std::string& cluster_id);

// Input and output, in this order, as a broker knows them. Cancelled when it was asked to stop meanwhile.
absl::StatusOr<std::vector<kafka::TopicIdentity>> AskTopics(rd_kafka_t* handle, const Expected& expected, Pulse* pulse);

// Asks on a client of its own, which is gone afterwards. Fills in both numbers of partitions, and `max_batch_bytes`
// (left as it is where the right to read it is missing). REASON_UNSPECIFIED when it was asked to stop meanwhile.
MaybeFailure CheckIdentities(const kafka::Properties& properties, Pulse* pulse, Log* log, Expected* expected,
                             int64_t* max_batch_bytes);

}  // namespace st::runner

#endif  // ST_RUNNER_STARTUP_H_
