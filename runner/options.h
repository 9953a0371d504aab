// The flags of st-runner. Main thread.
#ifndef ST_RUNNER_OPTIONS_H_
#define ST_RUNNER_OPTIONS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "lib/cli/cli.h"

namespace st::runner {

struct Options {
  std::string plan_path;
  std::string properties_path;
  std::string application_id;
  std::string state_dir;
  std::string cluster_id;
  std::string input_topic_id;
  std::string output_topic_id;
  int64_t initialized_partitions = 0;
  int64_t commit_interval_ms = 100;
  int64_t keep_alive_s = 86400;
  bool validate_only = false;
};

extern const cli::ToolInfo kRunnerInfo;

// `options` outlives `flags`.
void AddFlags(cli::Flags* flags, Options* options);

// InvalidArgument that names the flag which is missing or cannot be. --validate-only needs plan and properties alone.
absl::Status CheckOptions(const cli::Flags& flags, const Options& options);

}  // namespace st::runner

#endif  // ST_RUNNER_OPTIONS_H_
