#include "runner/options.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runner/refusal_search.h"

namespace st::runner {

const cli::ToolInfo kRunnerInfo = {
    .name = "st-runner",
    .sentence = "Executes one record plan: reads a topic, writes a topic, each record exactly once, until SIGTERM.",
    .usage = "--plan=FILE --client-properties=FILE --application-id=ID --state-dir=DIR --expected-...=ID ...",
    .reads = "st.v1.RecordPlan (--plan)",
    .writes = "st.v1.RunnerStatus (status.textproto in --state-dir), a line on standard output for each transition",
    .exit_codes =
        "0 closed after SIGTERM\n2 refused before start: flags, plan, properties, identities, offsets\n"
        "3 failed while running, or the broker could not be reached: see status.textproto",
    .example = "st-runner --plan=plan.textproto --client-properties=client.properties --validate-only",
};

void AddFlags(cli::Flags* flags, Options* options) {
  constexpr int64_t kMostPartitions = kMaxPartition + 1;
  constexpr int64_t kLeastCommitMs = 10;
  constexpr int64_t kMostCommitMs = 10000;
  constexpr int64_t kWeekSeconds = 7 * 86400;
  flags->Text("plan", &options->plan_path, "FILE", "the record plan");
  flags->Text("client-properties", &options->properties_path, "FILE", "name=value a line: servers, security");
  flags->Text("application-id", &options->application_id, "ID", "consumer group and transactional id");
  flags->Text("state-dir", &options->state_dir, "DIR", "for status, identity and lock");
  flags->Text("expected-cluster-id", &options->cluster_id, "ID", "no other cluster is touched");
  flags->Text("expected-input-topic-id", &options->input_topic_id, "ID", "no other topic is read");
  flags->Text("expected-output-topic-id", &options->output_topic_id, "ID", "no other topic is written");
  flags->Int("initialized-partitions", &options->initialized_partitions, 1, kMostPartitions, "N",
             "input partitions with offsets");
  flags->Int("commit-interval-ms", &options->commit_interval_ms, kLeastCommitMs, kMostCommitMs, "N",
             "length of a transaction (100)");
  flags->Int("keep-alive-s", &options->keep_alive_s, 1, kWeekSeconds, "N",
             "an idle runner ends a transaction this often (86400)");
  flags->Bool("validate-only", &options->validate_only, "check plan and properties, open no socket, write no file");
}

absl::Status CheckOptions(const cli::Flags& flags, const Options& options) {
  if (!flags.positional().empty()) {
    return absl::InvalidArgumentError(absl::StrCat("st-runner takes no argument `", flags.positional().front(), "`"));
  }
  std::pair<std::string_view, const std::string*> always[] = {{"plan", &options.plan_path},
                                                              {"client-properties", &options.properties_path}};
  for (auto [name, value] : always) {
    if (value->empty()) return absl::InvalidArgumentError(absl::StrCat("--", name, " is missing"));
  }
  if (options.validate_only) return absl::OkStatus();
  std::pair<std::string_view, const std::string*> needed[] = {{"application-id", &options.application_id},
                                                              {"state-dir", &options.state_dir},
                                                              {"expected-cluster-id", &options.cluster_id},
                                                              {"expected-input-topic-id", &options.input_topic_id},
                                                              {"expected-output-topic-id", &options.output_topic_id}};
  for (auto [name, value] : needed) {
    if (value->empty()) return absl::InvalidArgumentError(absl::StrCat("--", name, " is missing"));
  }
  if (options.initialized_partitions == 0) {
    return absl::InvalidArgumentError("--initialized-partitions is missing");
  }
  return absl::OkStatus();
}

}  // namespace st::runner
