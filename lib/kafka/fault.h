// What an error of the client library means for one who reads, transforms and writes in transactions. Pure tables.
#ifndef ST_LIB_KAFKA_FAULT_H_
#define ST_LIB_KAFKA_FAULT_H_

#include <librdkafka/rdkafka.h>

#include <string_view>

namespace st::kafka {

// Of a consumer, in place of a record.
enum class ConsumeFault {
  kPassing,     // the client goes on by itself
  kNoPosition,  // no offset, one out of range, or a log that was cut: with auto.offset.reset=error said once
  kTopicGone,   // perhaps: the metadata did not have it
  kDenied,      // a right is missing
  kFatal,
};
ConsumeFault ClassifyConsume(rd_kafka_resp_err_t code);

// Of a record that was not written.
enum class DeliveryFault {
  kRefused,      // the broker does not take this record, or one in its batch
  kConsequence,  // of something else: purged by an abort, another record in the batch, too late
  kTopicGone,
  kDenied,
  kFenced,
  kExpired,  // the broker does not know the producer's id any more
};
DeliveryFault ClassifyDelivery(rd_kafka_resp_err_t code);

// How a transactional call ended.
enum class TxnOutcome {
  kOk,
  kRetry,    // not known yet: the same call again, nothing else
  kAbort,    // the transaction can only be aborted
  kFenced,   // another producer has the id, or the transaction timed out: it cannot be told which
  kExpired,  // the broker does not know the producer's id any more
  kDenied,
  kFatal,
};
// `fatal`, `abort`, `retriable`: the flags of the error.
TxnOutcome ClassifyTxn(rd_kafka_resp_err_t code, bool fatal, bool abort, bool retriable);

// What a runner's principal lacks when the broker denies it something, as the end of a sentence: "; the runner's
// principal needs the right Read on the input topic". Empty for a code that denies nothing.
enum class Denied { kReading, kWriting, kLooking };
std::string_view RunnerRight(rd_kafka_resp_err_t code, Denied at);

}  // namespace st::kafka

#endif  // ST_LIB_KAFKA_FAULT_H_
