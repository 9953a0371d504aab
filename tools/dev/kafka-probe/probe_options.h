// The command line of kafka-probe.
#ifndef ST_TOOLS_DEV_KAFKA_PROBE_PROBE_OPTIONS_H_
#define ST_TOOLS_DEV_KAFKA_PROBE_PROBE_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace st::probe {

extern const std::string_view kUsage;

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct Options {
  std::string bootstrap_servers;
  std::string command;
  std::string name;  // topic or group; empty for `topics`
  Pairs properties;  // of the client
  int timeout_ms = 60'000;

  // create
  int partitions = 1;
  int replication_factor = -1;  // the broker's default
  Pairs configs;

  // produce
  std::string file = "-";
  std::optional<std::string> key_separator;
  std::optional<std::string> null_text;
  std::optional<int64_t> timestamp_ms;
  Pairs headers;

  // produce, consume
  std::optional<int> partition;

  // consume
  bool committed = false;
  bool exit_at_end = false;
  bool json = false;
  std::optional<int64_t> count;
};

// InvalidArgument with a sentence when it is wrong.
absl::StatusOr<Options> ParseOptions(int argc, char** argv);

}  // namespace st::probe

#endif  // ST_TOOLS_DEV_KAFKA_PROBE_PROBE_OPTIONS_H_
