// A transactional producer for one topic. Values are not copied: they stay where they are until the transaction's end
// is confirmed.
#ifndef ST_LIB_KAFKA_PRODUCER_H_
#define ST_LIB_KAFKA_PRODUCER_H_

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/kafka/consumer.h"
#include "lib/kafka/fault.h"
#include "lib/kafka/handle.h"

namespace st::kafka {

// How a transactional call ended, with the error's name and words for people (empty when it went well).
struct TxnResult {
  TxnOutcome outcome = TxnOutcome::kOk;
  std::string error;
};

struct OutputRecord {
  int32_t partition = 0;
  std::string_view value;
  const void* key = nullptr;  // null: none; not null with size 0: the empty key
  size_t key_size = 0;
  int64_t timestamp_ms = 0;               // Unix time; 0: now
  rd_kafka_headers_t* headers = nullptr;  // null: none
  uint64_t mark = 0;                      // comes back with a failure
};

struct FailedDelivery {
  rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;
  uint64_t mark = 0;
};

struct ProducerSettings {
  std::string transactional_id;
  std::string topic;
  int transaction_timeout_ms = 60000;
  // The topic's max.message.bytes: it bounds a batch, and the producer's batches stay below it.
  int64_t max_batch_bytes = 1000000;
  // Hands over record by record although the client library takes many at once: to compare both.
  bool one_by_one = false;
};

// One thread, but handle() and Trouble().
class Producer : public Events {
 public:
  static absl::StatusOr<std::unique_ptr<Producer>> Open(const Properties& properties, const ProducerSettings& settings);
  ~Producer() override;

  // For admin requests and probes by other threads.
  rd_kafka_t* handle() const { return handle_.get(); }

  // Each waits up to `timeout_ms`; kRetry means that the same call must go on. Init ends what a producer with the same
  // id left open, and fences it.
  TxnResult Init(int timeout_ms);
  TxnResult Begin();
  // Waits until all that was produced is written or has failed: kOk or kRetry. Failures are in failures().
  TxnResult Flush(int timeout_ms);
  // `metadata`: of the generation in which the records were read.
  TxnResult SendOffsets(const std::string& input_topic, const std::vector<Position>& positions,
                        const rd_kafka_consumer_group_metadata_t* metadata, int timeout_ms);
  TxnResult Commit(int timeout_ms);
  // Confirmed when kOk: every produced record is gone then, and so is the need for its value.
  TxnResult Abort(int timeout_ms);
  // Why the open transaction can only be aborted; kFatal with words about its state when it is not so.
  TxnResult WhyBroken();

  // Takes a record for the next Send; its key stays where it is until then. `headers` are taken over.
  void Stage(const OutputRecord& record);
  // Hands over what is staged, in order within each partition. After _QUEUE_FULL what was not taken is still staged
  // (Serve, then again). After MSG_SIZE_TOO_LARGE or another error some records were handed over and the rest are
  // dropped: the transaction is to be aborted; `mark` is of the first one that was not taken.
  struct Sent {
    rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;
    uint64_t mark = 0;
  };
  Sent Send();
  // Drops what is staged.
  void Unstage();
  // Takes in reports of failed deliveries; waits up to `timeout_ms` for one.
  void Serve(int timeout_ms);
  const std::vector<FailedDelivery>& failures() const { return failures_; }
  void ClearFailures() { failures_.clear(); }

 private:
  // Of one partition: as the client library wants to be given them.
  struct Staged {
    std::vector<rd_kafka_message_t> messages;
    std::vector<int64_t> timestamps;
    std::vector<rd_kafka_headers_t*> headers;
    bool has_headers = false;

    void DropFirst(ptrdiff_t count);
    void Clear();
  };

  Producer() = default;
  // From the first on, until one is not taken; `err` of each message says so. Gives how many were taken.
  size_t HandOver(int32_t partition, Staged* staged);
  size_t HandOverOneByOne(int32_t partition, Staged* staged);
  void OnDeliveryFailure(const rd_kafka_message_t& message) override;
  TxnResult Ended(rd_kafka_error_t* error) const;

  Handle handle_;
  rd_kafka_topic_t* topic_ = nullptr;
  bool one_by_one_ = false;
  std::vector<Staged> staged_;  // by partition
  std::vector<FailedDelivery> failures_;
};

}  // namespace st::kafka

#endif  // ST_LIB_KAFKA_PRODUCER_H_
