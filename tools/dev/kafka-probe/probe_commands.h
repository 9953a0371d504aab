// What kafka-probe does: each command prints its answer on standard output.
#ifndef ST_TOOLS_DEV_KAFKA_PROBE_PROBE_COMMANDS_H_
#define ST_TOOLS_DEV_KAFKA_PROBE_PROBE_COMMANDS_H_

#include "absl/status/status.h"
#include "tools/dev/kafka-probe/probe_options.h"

namespace st::probe {

absl::Status Topics(const Options& options);
absl::Status Topic(const Options& options);
absl::Status Create(const Options& options);
absl::Status Delete(const Options& options);
absl::Status Group(const Options& options);
// Fails when any record was not delivered, and says how many were.
absl::Status Produce(const Options& options);
absl::Status Consume(const Options& options);

}  // namespace st::probe

#endif  // ST_TOOLS_DEV_KAFKA_PROBE_PROBE_COMMANDS_H_
