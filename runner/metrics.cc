#include "runner/metrics.h"

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "schemas/st/v1/runner_status.pb.h"

namespace st::runner {
namespace {

using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;
using Partition = v1::RunnerStatus::Partition;

std::string Escaped(std::string_view label) {
  return absl::StrReplaceAll(label, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}});
}

std::string SecondsOfMs(int64_t ms) { return absl::StrFormat("%d.%03d", ms / 1000, ms % 1000); }
std::string SecondsOfUs(int64_t us) { return absl::StrFormat("%d.%06d", us / 1'000'000, us % 1'000'000); }

// Families one after the other, each with its series.
class Writer {
 public:
  explicit Writer(const v1::RunnerStatus& status)
      : base_(absl::StrCat("application_id=\"", Escaped(status.application_id()), "\"")) {
    if (status.generation_id().empty()) return;
    absl::StrAppend(&base_, ",generation_id=\"", Escaped(status.generation_id()), "\"");
  }

  // `help` has neither backslash nor line end.
  void Family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    absl::StrAppend(&text_, "# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n");
  }
  template <typename Value>
  void Series(const Labels& labels, const Value& value, std::string_view suffix = {}) {
    absl::StrAppend(&text_, name_, suffix, "{", base_);
    for (const auto& [name, label] : labels) absl::StrAppend(&text_, ",", name, "=\"", Escaped(label), "\"");
    absl::StrAppend(&text_, "} ", value, "\n");
  }
  template <typename Value>
  void One(std::string_view name, std::string_view type, std::string_view help, const Value& value) {
    Family(name, type, help);
    Series({}, value);
  }

  std::string Take() { return std::move(text_); }

 private:
  std::string base_;
  std::string_view name_;
  std::string text_;
};

void WriteState(const v1::RunnerStatus& status, Writer* out) {
  out->Family("st_runner_info", "gauge", "What runs; always 1.");
  out->Series({{"version", status.version()},
               {"plan_sha256", status.plan_sha256()},
               {"input_topic_id", status.input_topic_id()},
               {"output_topic_id", status.output_topic_id()}},
              1);
  out->Family("st_runner_state", "gauge", "1 for the state that the runner is in, 0 for the others.");
  const auto* states = v1::RunnerStatus::State_descriptor();
  for (int i = 1; i < states->value_count(); ++i) {
    out->Series({{"state", absl::AsciiStrToLower(states->value(i)->name())}},
                states->value(i)->number() == status.state() ? 1 : 0);
  }
  if (status.state() == v1::RunnerStatus::FAILED) {
    out->Family("st_runner_failure", "gauge", "Why it failed; there only when it did.");
    out->Series({{"reason", absl::AsciiStrToLower(v1::RunnerStatus::Reason_Name(status.reason()))}}, 1);
  }
  out->One("st_runner_start_time_seconds", "gauge", "When the process started, in Unix time.",
           SecondsOfMs(status.started_at_ms()));
  out->One("st_runner_updated_timestamp_seconds", "gauge", "When these figures were written, in Unix time.",
           SecondsOfMs(status.updated_at_ms()));
}

void WriteCounters(const v1::RunnerStatus& status, Writer* out) {
  constexpr char kCounter[] = "counter";
  out->One("st_runner_records_in_total", kCounter, "Records read, of committed transactions.", status.records_in());
  out->One("st_runner_records_out_total", kCounter, "Records written, of committed transactions.",
           status.records_out());
  out->One("st_runner_records_filtered_total", kCounter, "Records that the filter dropped, of committed transactions.",
           status.filtered());
  out->One("st_runner_tombstones_total", kCounter, "Null values that were dropped, of committed transactions.",
           status.tombstones());
  out->One("st_runner_transactions_committed_total", kCounter, "Transactions that were committed.",
           status.transactions());
  out->One("st_runner_transactions_aborted_total", kCounter,
           "Transactions that were aborted; what they read is read "
           "again.",
           status.transactions_aborted());
  out->One("st_runner_errors_total", kCounter, "Warnings and errors, also those that the log left out.",
           status.last_error().errors());
  if (status.has_last_error()) {
    out->One("st_runner_last_error_timestamp_seconds", "gauge", "When the last warning or error was, in Unix time.",
             SecondsOfMs(status.last_error().at_ms()));
  }
}

void WriteCommits(const CommitTimes& commits, Writer* out) {
  out->Family("st_runner_commit_duration_seconds", "histogram",
              "How long the end of a transaction took, from writing out what is queued to the word of the broker.");
  for (size_t i = 0; i < CommitTimes::kBoundsUs.size(); ++i) {
    out->Series({{"le", SecondsOfUs(CommitTimes::kBoundsUs[i])}}, commits.Within(i), "_bucket");
  }
  out->Series({{"le", "+Inf"}}, commits.count(), "_bucket");
  out->Series({}, SecondsOfUs(commits.sum_us()), "_sum");
  out->Series({}, commits.count(), "_count");
}

// -1: not known.
void WritePartitions(const v1::RunnerStatus& status, std::string_view name, std::string_view help,
                     int64_t (Partition::*value)() const, Writer* out) {
  bool begun = false;
  for (const Partition& partition : status.partitions()) {
    if ((partition.*value)() < 0) continue;
    if (!std::exchange(begun, true)) out->Family(name, "gauge", help);
    out->Series({{"partition", absl::StrCat(partition.partition())}}, (partition.*value)());
  }
}

}  // namespace

std::string MetricsText(const v1::RunnerStatus& status, const CommitTimes& commits) {
  Writer out(status);
  WriteState(status, &out);
  WriteCounters(status, &out);
  WriteCommits(commits, &out);
  WritePartitions(status, "st_runner_lag_records", "Offsets from the committed one to the high watermark.",
                  &Partition::lag_records, &out);
  WritePartitions(status, "st_runner_committed_offset", "The next offset to read, as last committed.",
                  &Partition::committed, &out);
  WritePartitions(status, "st_runner_position_offset", "The next offset to process.", &Partition::position, &out);
  WritePartitions(status, "st_runner_last_stable_offset", "Where open transactions on the input begin.",
                  &Partition::last_stable_offset, &out);
  WritePartitions(status, "st_runner_high_watermark_offset", "The end of the input.", &Partition::high_watermark, &out);
  return out.Take();
}

}  // namespace st::runner
