// One record through the plan, staged for the producer. One thread.
#ifndef ST_RUNNER_RECORD_STEP_H_
#define ST_RUNNER_RECORD_STEP_H_

#include <librdkafka/rdkafka.h>

#include <memory>
#include <string>

#include "lib/kafka/producer.h"
#include "lib/record/record.h"
#include "runner/failure.h"
#include "runner/partitioner.h"
#include "runner/transaction.h"

namespace st::runner {

enum class Taken {
  kDone,    // processed: written, filtered or dropped
  kStop,    // not processed: the runner stops at this record, what came before is good
  kAbort,   // something could not be written: the transaction has to be aborted
  kFailed,  // the process has to end
};

class RecordStep {
 public:
  // `plan` is the one that `program` was compiled from. `transaction` outlives it.
  RecordStep(const v1::RecordPlan& plan, std::shared_ptr<const record::Program> program, int output_partitions,
             Transaction* transaction);

  // Opens the transaction when there is something to write. The message's key is staged where it is: it lives until
  // Transaction::SendStaged. `why` is set on kStop and kFailed, and its detail on kAbort unless the producer has
  // failures to tell.
  Taken Take(rd_kafka_message_t* message, Failure* why);

 private:
  Taken Send(rd_kafka_message_t* message, std::string_view value, Failure* why);
  Taken Separate(const rd_kafka_message_t& message, Failure* why);
  Taken Flush(Failure* why);
  Failure Poison(const rd_kafka_message_t& message, const record::Fault& fault) const;
  Failure Refused(const rd_kafka_message_t& message, rd_kafka_resp_err_t code) const;

  const std::string input_topic_;
  // The output of a value is not longer than fixed_bytes_ + value_factor_ times the value.
  size_t fixed_bytes_ = 0;
  size_t value_factor_ = 0;
  record::Executor executor_;
  Partitioner partitioner_;
  Transaction* transaction_;
  size_t grouped_ = 0;  // suspects sent since the last flush
};

}  // namespace st::runner

#endif  // ST_RUNNER_RECORD_STEP_H_
