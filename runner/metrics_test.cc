// The text is read by a parser that is not ours.
#include "runner/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/fs/file.h"
#include "schemas/st/v1/runner_status.pb.h"

namespace st::runner {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using Status = v1::RunnerStatus;

constexpr char kLabels[] = R"("application_id": "st.a.b.c", "generation_id": "g-1")";

// One series a line, as parse_metrics.py prints them.
std::vector<std::string> Parse(const std::string& text) {
  const std::string path = testing::TempDir() + "/metrics.prom";
  EXPECT_TRUE(fs::WriteFileAtomically(path, text, 0600, fs::Existing::kReplace).ok());
  std::FILE* pipe = popen(absl::StrCat("runner/parse_metrics.py ", path, " 2>&1").c_str(), "r");
  std::string output;
  char buffer[4096];
  for (size_t got; (got = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) output.append(buffer, got);
  EXPECT_EQ(pclose(pipe), 0) << output << text;
  return absl::StrSplit(output, '\n', absl::SkipEmpty());
}

Status Running() {
  Status status;
  status.set_state(Status::RUNNING);
  status.set_application_id("st.a.b.c");
  status.set_generation_id("g-1");
  status.set_version("1.2");
  status.set_records_in(9'007'199'254'740'993);  // more than a double holds
  status.set_records_out(7);
  status.set_filtered(5);
  status.set_tombstones(3);
  status.set_transactions(2);
  status.set_transactions_aborted(1);
  status.set_started_at_ms(1'780'000'000'007);
  status.set_updated_at_ms(1'780'000'001'230);
  return status;
}

std::string Series(std::string_view name, std::string_view value, std::string_view more = {}) {
  return absl::StrCat(name, " {", kLabels, more, "} ", value);
}

TEST(Metrics, EachFigure) {
  Status status = Running();
  status.mutable_last_error()->set_errors(4);
  status.mutable_last_error()->set_at_ms(1'780'000'000'500);
  status.mutable_last_error()->set_text("not for a label");
  CommitTimes commits;
  commits.Add(0, 17'000);
  commits.Add(0, 40'000'000);
  const std::string text = MetricsText(status, commits);
  EXPECT_THAT(text, HasSubstr(" 9007199254740993\n"));
  EXPECT_THAT(text, HasSubstr(" 1780000001.230\n"));
  EXPECT_THAT(text, Not(HasSubstr("not for a label")));
  const std::vector<std::string> series = Parse(text);
  for (const std::string& wanted : {
           Series("st_runner_state", "1.000000", R"(, "state": "running")"),
           Series("st_runner_state", "0.000000", R"(, "state": "failed")"),
           Series("st_runner_start_time_seconds", "1780000000.007000"),
           Series("st_runner_updated_timestamp_seconds", "1780000001.230000"),
           Series("st_runner_records_out_total", "7.000000"),
           Series("st_runner_records_filtered_total", "5.000000"),
           Series("st_runner_tombstones_total", "3.000000"),
           Series("st_runner_transactions_committed_total", "2.000000"),
           Series("st_runner_transactions_aborted_total", "1.000000"),
           Series("st_runner_errors_total", "4.000000"),
           Series("st_runner_last_error_timestamp_seconds", "1780000000.500000"),
           Series("st_runner_commit_duration_seconds_sum", "40.017000"),
           Series("st_runner_commit_duration_seconds_count", "2.000000"),
           Series("st_runner_commit_duration_seconds_bucket", "0.000000", R"(, "le": "0.010000")"),
           Series("st_runner_commit_duration_seconds_bucket", "1.000000", R"(, "le": "0.025000")"),
           Series("st_runner_commit_duration_seconds_bucket", "1.000000", R"(, "le": "30.000000")"),
           Series("st_runner_commit_duration_seconds_bucket", "2.000000", R"(, "le": "+Inf")"),
       }) {
    EXPECT_THAT(series, Contains(wanted));
  }
}

TEST(Metrics, APartitionAndWhatIsNotKnownOfIt) {
  Status status = Running();
  for (int i = 0; i < 2; ++i) {
    auto* partition = status.add_partitions();
    partition->set_partition(i);
    partition->set_committed(i == 0 ? 90 : -1);
    partition->set_position(95 + i);
    partition->set_last_stable_offset(-1);
    partition->set_high_watermark(i == 0 ? 100 : -1);
    partition->set_lag_records(i == 0 ? 0 : -1);
  }
  std::vector<std::string> found;
  for (std::string& line : Parse(MetricsText(status, {}))) {
    if (absl::StrContains(line, "\"partition\"")) found.push_back(std::move(line));
  }
  const std::string first = R"(, "partition": "0")";
  EXPECT_THAT(found, ElementsAre(Series("st_runner_lag_records", "0.000000", first),
                                 Series("st_runner_committed_offset", "90.000000", first),
                                 Series("st_runner_position_offset", "95.000000", first),
                                 Series("st_runner_position_offset", "96.000000", R"(, "partition": "1")"),
                                 Series("st_runner_high_watermark_offset", "100.000000", first)));
}

TEST(Metrics, AFailureSaysWhy) {
  Status status = Running();
  const auto failures = [&] {
    std::vector<std::string> found;
    for (std::string& line : Parse(MetricsText(status, {}))) {
      if (absl::StartsWith(line, "st_runner_failure")) found.push_back(std::move(line));
    }
    return found;
  };
  EXPECT_THAT(failures(), IsEmpty());
  status.set_state(Status::FAILED);
  status.set_reason(Status::POISON_RECORD);
  EXPECT_THAT(failures(), ElementsAre(Series("st_runner_failure", "1.000000", R"(, "reason": "poison_record")")));
}

TEST(Metrics, LabelsAreEscaped) {
  Status status = Running();
  status.set_version("a\\n\"b\"\n{c}=\xC3\xA4,");
  EXPECT_THAT(Parse(MetricsText(status, {})),
              Contains(AllOf(StartsWith("st_runner_info"), HasSubstr(R"("version": "a\\n\"b\"\n{c}=\u00e4,")"))));
}

TEST(Metrics, ByHandThereIsNoGeneration) {
  Status status = Running();
  status.clear_generation_id();
  EXPECT_THAT(Parse(MetricsText(status, {})),
              Contains(R"(st_runner_records_out_total {"application_id": "st.a.b.c"} 7.000000)"));
}

}  // namespace
}  // namespace st::runner
