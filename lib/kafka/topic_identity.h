// Which cluster and which topics these really are. A topic that was deleted and made again has the same name and
// another id, and the client library does not notice.
#ifndef ST_LIB_KAFKA_TOPIC_IDENTITY_H_
#define ST_LIB_KAFKA_TOPIC_IDENTITY_H_

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace st::kafka {

struct TopicIdentity {
  bool exists = false;
  std::string id;  // as topic_id.h writes it
  int partitions = 0;
};

// Unavailable when no broker answered in time.
absl::StatusOr<std::string> ClusterId(rd_kafka_t* handle, int timeout_ms);

// The topic's max.message.bytes, which bounds a batch. PermissionDenied without the right to describe its configs.
// `go_on` is asked before each piece of the waiting; Cancelled when it says no.
absl::StatusOr<int64_t> MaxMessageBytes(rd_kafka_t* handle, const std::string& topic, int timeout_ms,
                                        const std::function<bool()>& go_on);

// Asks for topics, again and again, on a handle that is used for other things too. One thread.
class TopicProbe {
 public:
  // `handle` outlives it.
  TopicProbe(rd_kafka_t* handle, std::vector<std::string> topics);
  ~TopicProbe();
  TopicProbe(const TopicProbe&) = delete;
  TopicProbe& operator=(const TopicProbe&) = delete;

  // Sends the question. Not while an answer is awaited.
  void Ask(int timeout_ms);
  bool awaiting() const { return awaiting_; }
  // Waits up to `wait_ms` for the answer: nothing yet; or the topics in order; or DeadlineExceeded (nobody answered),
  // Unavailable (a broker answered that it cannot tell) or PermissionDenied. From the first two nothing may be
  // concluded.
  std::optional<absl::StatusOr<std::vector<TopicIdentity>>> Take(int wait_ms);

 private:
  rd_kafka_t* handle_;
  std::vector<std::string> topics_;
  rd_kafka_queue_t* queue_;
  bool awaiting_ = false;
};

}  // namespace st::kafka

#endif  // ST_LIB_KAFKA_TOPIC_IDENTITY_H_
