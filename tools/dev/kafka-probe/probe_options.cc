#include "tools/dev/kafka-probe/probe_options.h"

#include <getopt.h>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace st::probe {

const std::string_view kUsage =
    R"(Looks at a Kafka cluster, writes to it and reads from it; for tests and demonstrations.

usage: kafka-probe BOOTSTRAP_SERVERS COMMAND [NAME] [OPTIONS]

  topics                names, one a line
  topic NAME            id, partitions with their offsets, configs set on the topic; as JSON
  create NAME           --partitions N (1), --replication-factor N (the broker's), --config KEY=VALUE ...
  delete NAME
  produce TOPIC         one value a line, from --file FILE or standard input
                        --key-separator TEXT   key before it, value behind it; no key in a line without it
                        --null TEXT            stands for a null key or value
                        --partition N, --timestamp MS, --header KEY=VALUE ...
  consume TOPIC         from the beginning, until --timeout unless one of these comes first
                        --exit-at-end          when everything that was written is read
                        --count N              when N records are read
                        --committed            without records of open and aborted transactions
                        --format json          an object a record: partition, offset, timestamp, key, value, headers
                                               (bytes in base64); else values, a line each
                        --partition N          that one alone
  group NAME            state, members, committed offsets; as JSON

  --property KEY=VALUE  of the client (security.protocol and so on); may be repeated
  --timeout SECONDS     60

exit codes: 0 done, 1 failed or timed out, 2 wrong use
)";

namespace {

enum Id {
  kCommitted = 1,
  kConfig,
  kCount,
  kExitAtEnd,
  kFile,
  kFormat,
  kHeader,
  kKeySeparator,
  kNull,
  kPartition,
  kPartitions,
  kProperty,
  kReplicationFactor,
  kTimeout,
  kTimestamp,
};

constexpr option kLong[] = {
    {"committed", no_argument, nullptr, kCommitted},
    {"config", required_argument, nullptr, kConfig},
    {"count", required_argument, nullptr, kCount},
    {"exit-at-end", no_argument, nullptr, kExitAtEnd},
    {"file", required_argument, nullptr, kFile},
    {"format", required_argument, nullptr, kFormat},
    {"header", required_argument, nullptr, kHeader},
    {"key-separator", required_argument, nullptr, kKeySeparator},
    {"null", required_argument, nullptr, kNull},
    {"partition", required_argument, nullptr, kPartition},
    {"partitions", required_argument, nullptr, kPartitions},
    {"property", required_argument, nullptr, kProperty},
    {"replication-factor", required_argument, nullptr, kReplicationFactor},
    {"timeout", required_argument, nullptr, kTimeout},
    {"timestamp", required_argument, nullptr, kTimestamp},
    {nullptr, 0, nullptr, 0},
};

bool AddPair(std::string_view text, Pairs& pairs) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  pairs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  return true;
}

template <typename Number>
bool SetNumber(std::string_view text, Number least, auto& value) {
  Number number = 0;
  if (!absl::SimpleAtoi(text, &number) || number < least) return false;
  value = number;
  return true;
}

bool SetText(std::string_view text, auto& value) {
  value = std::string(text);
  return !text.empty();
}

bool SetTimeout(std::string_view text, Options& options) {
  int seconds = 0;
  if (!SetNumber(text, 1, seconds) || seconds > 3600) return false;
  options.timeout_ms = seconds * 1000;
  return true;
}

bool SetFormat(std::string_view text, Options& options) {
  options.json = text == "json";
  return options.json || text == "values";
}

bool Set(int id, std::string_view text, Options& options) {
  switch (id) {
    case kCommitted:
      return options.committed = true;
    case kConfig:
      return AddPair(text, options.configs);
    case kCount:
      return SetNumber<int64_t>(text, 1, options.count);
    case kExitAtEnd:
      return options.exit_at_end = true;
    case kFile:
      return SetText(text, options.file);
    case kFormat:
      return SetFormat(text, options);
    case kHeader:
      return AddPair(text, options.headers);
    case kKeySeparator:
      return SetText(text, options.key_separator);
    case kNull:
      return SetText(text, options.null_text);
    case kPartition:
      return SetNumber(text, 0, options.partition);
    case kPartitions:
      return SetNumber(text, 1, options.partitions);
    case kProperty:
      return AddPair(text, options.properties);
    case kReplicationFactor:
      return SetNumber(text, 1, options.replication_factor);
    case kTimeout:
      return SetTimeout(text, options);
    case kTimestamp:
      return SetNumber<int64_t>(text, 0, options.timestamp_ms);
    default:
      return false;
  }
}

}  // namespace

absl::StatusOr<Options> ParseOptions(int argc, char** argv) {
  Options options;
  int index = 0;
  opterr = 0;
  for (int id; (id = getopt_long(argc, argv, "", kLong, &index)) != -1;) {
    if (id == '?') return absl::InvalidArgumentError(absl::StrCat("unknown option or no value: ", argv[optind - 1]));
    if (!Set(id, optarg == nullptr ? "" : optarg, options)) {
      return absl::InvalidArgumentError(absl::StrCat("wrong value of --", kLong[index].name, ": ", optarg));
    }
  }
  const std::vector<std::string> words(argv + optind, argv + argc);
  if (words.size() < 2) return absl::InvalidArgumentError("no command: see --help");
  options.bootstrap_servers = words[0];
  options.command = words[1];
  const size_t wanted = options.command == "topics" ? 2 : 3;
  if (words.size() != wanted) return absl::InvalidArgumentError(absl::StrCat("wrong arguments of ", options.command));
  if (wanted == 3) options.name = words[2];
  return options;
}

}  // namespace st::probe
