// What those who run it see: the figures in the status and for Prometheus, and the lines of the log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "absl/log/absl_check.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "e2e/command.h"
#include "e2e/runner/world.h"
#include "lib/base/clock.h"
#include "lib/fs/file.h"

namespace st::e2e {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::SizeIs;
using Status = v1::RunnerStatus;

constexpr char kLine[] =
    "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z (info|warning|error) st\\.t\\.dev\\.[a-z-]+ .+";
constexpr int kFailed = 3;

std::string InState(const World& world, const std::string& name) {
  return absl::StrCat(world.model->flags.at("state-dir"), "/", name);
}

std::string Read(const std::string& path) {
  constexpr size_t kMostBytes = size_t{1} << 22;
  return fs::ReadFile(path, kMostBytes).value_or("");
}

// By name and, after a blank, the value of the label that tells series of a name apart; read by Prometheus' own parser.
std::map<std::string, double> Metrics(const World& world) {
  auto parsed = RunCommand({"runner/parse_metrics.py", InState(world, "metrics.prom")});
  ABSL_CHECK(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->exit_code, 0) << parsed->error_text;
  std::map<std::string, double> metrics;
  for (std::string_view line : absl::StrSplit(parsed->output, '\n', absl::SkipEmpty())) {
    EXPECT_THAT(std::string(line), HasSubstr(absl::StrCat("\"application_id\": \"", world.application_id, "\"")));
    std::string name(line.substr(0, line.find(' ')));
    for (const char* label : {"\"partition\": \"", "\"state\": \"", "\"reason\": \"", "\"le\": \""}) {
      const size_t at = line.find(label);
      if (at == std::string_view::npos) continue;
      const std::string_view value = line.substr(at + std::string_view(label).size());
      absl::StrAppend(&name, " ", value.substr(0, value.find('"')));
    }
    ABSL_CHECK(absl::SimpleAtod(line.substr(line.rfind(' ') + 1), &metrics[name])) << line;
  }
  return metrics;
}

// The metrics are written after the status.
std::map<std::string, double> AwaitMetric(const World& world, const std::string& name, std::optional<double> value) {
  const int64_t until = base::RealClock().MonotonicMs() + 60'000;
  while (true) {
    std::map<std::string, double> metrics = Metrics(world);
    auto found = metrics.find(name);
    if (value.has_value() ? found != metrics.end() && found->second == *value : found == metrics.end()) return metrics;
    ABSL_CHECK_LT(base::RealClock().MonotonicMs(), until) << Read(InState(world, "metrics.prom"));
    base::RealClock().SleepMs(100);
  }
}

std::function<bool(const Status&)> Lag(int64_t records) {
  return [records](const Status& s) {
    return s.partitions_size() == 1 && s.partitions(0).has_lag_records() && s.partitions(0).lag_records() == records;
  };
}

std::vector<std::string> Lines(const RunnerProcess& runner) {
  return absl::StrSplit(runner.Log(), '\n', absl::SkipEmpty());
}

std::vector<Record> Records(int count) {
  std::vector<Record> records;
  for (int i = 0; i < count; ++i) records.push_back({.value = KeptValue(i, i % 2 == 0)});
  return records;
}

TEST(Figures, LagReachesToTheHighWatermark) {
  World world("lag", Kept("lag-in", "lag-out"), 1, 1);
  world.cluster.Produce(world.input, Records(2));
  std::optional<OpenTransaction> stuck;
  stuck.emplace(Servers(), world.input, Records(3));
  RunnerProcess runner(*world.model);
  const Status behind = runner.Await([](const Status& s) {
    return Lag(3)(s) && s.partitions(0).committed() == 2 && s.partitions(0).last_stable_offset() == 2;
  });
  EXPECT_EQ(behind.partitions(0).high_watermark(), 5);
  EXPECT_THAT(AwaitMetric(world, "st_runner_lag_records 0", 3), Contains(testing::Key("st_runner_info")));
  stuck.reset();
  // The transaction's end has an offset, too.
  const Status level = runner.Await([](const Status& s) { return Lag(0)(s) && s.partitions(0).high_watermark() >= 6; });
  EXPECT_EQ(level.partitions(0).committed(), level.partitions(0).high_watermark());
  AwaitMetric(world, "st_runner_lag_records 0", 0);
  EXPECT_EQ(runner.Stop(), 0);
}

TEST(Figures, WithoutABrokerLagIsNotKnown) {
  World world("away", Kept("away-in", "away-out"), 1, 1);
  world.cluster.Produce(world.input, Records(10));
  RunnerProcess runner(*world.model);
  runner.Await([](const Status& s) { return In(10)(s) && Lag(0)(s); });
  ASSERT_TRUE(SharedBroker().Stop().ok());
  const Status away = runner.Await([](const Status& s) { return Lag(-1)(s) && s.has_last_error(); });
  EXPECT_EQ(away.partitions(0).committed(), 10);
  EXPECT_FALSE(away.last_error().text().empty());
  EXPECT_GT(away.last_error().at_ms(), away.started_at_ms());
  const std::map<std::string, double> metrics = AwaitMetric(world, "st_runner_lag_records 0", std::nullopt);
  EXPECT_EQ(metrics.at("st_runner_committed_offset 0"), 10);
  EXPECT_GE(metrics.at("st_runner_errors_total"), 1);
  ASSERT_TRUE(SharedBroker().Restart().ok());
  runner.Await(Lag(0));
  AwaitMetric(world, "st_runner_lag_records 0", 0);
  EXPECT_EQ(runner.Stop(), 0);
  EXPECT_THAT(Lines(runner), Each(MatchesRegex(kLine)));
  EXPECT_THAT(runner.Log(), HasSubstr(" warning st.t.dev.away kafka client: FAIL: "));
}

TEST(Figures, StatusAndMetricsSayTheSame) {
  constexpr int kCount = 500;
  World world("same", Kept("same-in", "same-out"), 1, 1);
  world.cluster.Produce(world.input, Records(kCount));
  world.cluster.Produce(world.input, {{}});
  RunnerProcess runner(*world.model);
  const Status running =
      runner.Await([](const Status& s) { return In(kCount + 1)(s) && s.rates().window_ms() > 1000; });
  EXPECT_GT(running.rates().records_in_per_second(), 0);
  EXPECT_GE(running.rates().records_in_per_second(), running.rates().records_out_per_second());
  EXPECT_GT(running.commit_latency().last_us(), 0);
  EXPECT_GE(running.commit_latency().max_us(), running.commit_latency().last_us());
  EXPECT_EQ(running.commit_latency().window_ms(), 60'000);
  EXPECT_EQ(runner.Stop(), 0);
  const Status closed = runner.Status();
  std::map<std::string, double> metrics = Metrics(world);
  EXPECT_EQ(metrics.at("st_runner_records_in_total"), kCount + 1);
  EXPECT_EQ(metrics.at("st_runner_records_out_total"), kCount / 2);
  EXPECT_EQ(metrics.at("st_runner_records_filtered_total"), kCount / 2);
  EXPECT_EQ(metrics.at("st_runner_tombstones_total"), 1);
  EXPECT_EQ(metrics.at("st_runner_state closed"), 1);
  EXPECT_EQ(metrics.at("st_runner_state running"), 0);
  EXPECT_EQ(metrics.at("st_runner_transactions_committed_total"), static_cast<double>(closed.transactions()));
  EXPECT_EQ(metrics.at("st_runner_commit_duration_seconds_count"), static_cast<double>(closed.transactions()));
  EXPECT_GT(metrics.at("st_runner_commit_duration_seconds_sum"), 0);
  EXPECT_NEAR(metrics.at("st_runner_updated_timestamp_seconds"), static_cast<double>(closed.updated_at_ms()) / 1000,
              0.001);
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(world.model->flags.at("state-dir"))) {
    names.insert(entry.path().filename());
  }
  EXPECT_THAT(names, ElementsAre("identity.textproto", "lock", "metrics.prom", "status.textproto"));
  struct stat status {};
  ASSERT_EQ(stat(InState(world, "metrics.prom").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0644u);
}

// A collector reads at any moment.
TEST(Figures, MetricsAreAlwaysWhole) {
  World world("whole", Kept("whole-in", "whole-out"), 1, 1);
  world.cluster.Produce(world.input, Records(10));
  RunnerProcess runner(*world.model);
  runner.Await(Lag(0));
  AwaitMetric(world, "st_runner_high_watermark_offset 0", 10);
  std::set<std::string> versions;
  const int64_t until = base::RealClock().MonotonicMs() + 60'000;
  while (versions.size() < 4 && base::RealClock().MonotonicMs() < until) {
    const std::string text = Read(InState(world, "metrics.prom"));
    ASSERT_THAT(text, testing::EndsWith("partition=\"0\"} 10\n"));
    const size_t at = text.find("\nst_runner_updated_timestamp_seconds{");
    ASSERT_NE(at, std::string::npos);
    versions.insert(text.substr(at, text.find('\n', at + 1) - at));
  }
  EXPECT_EQ(versions.size(), 4u);
  EXPECT_EQ(runner.Stop(), 0);
}

// A folder has its name, as on a full disk nothing can take its place.
TEST(Figures, AStatusThatCannotBeWrittenStopsNothing) {
  World world("blind", Kept("blind-in", "blind-out"), 1, 1);
  RunnerProcess runner(*world.model);
  runner.AwaitRunning();
  const std::string path = InState(world, "status.textproto");
  // Between the two the runner may write once more.
  std::error_code made;
  do {
    std::filesystem::remove(path);
    std::filesystem::create_directory(path, made);
  } while (!std::filesystem::is_directory(path));
  world.cluster.Produce(world.input, Records(10));
  AwaitMetric(world, "st_runner_committed_offset 0", 10);
  EXPECT_THAT(world.Committed(), ElementsAre(10));
  EXPECT_FALSE(runner.Poll().has_value());
  AwaitMetric(world, "st_runner_errors_total", 1);
  EXPECT_THAT(runner.Log(), HasSubstr(absl::StrCat(" warning st.t.dev.blind ", path, ": ")));
  std::filesystem::remove(path);
  const Status status = runner.Await(In(10));
  EXPECT_THAT(status.last_error().text(), HasSubstr("status.textproto"));
  EXPECT_EQ(runner.Stop(), 0);
}

// All that it leaves, which nobody may find a record in.
void ExpectNothingOf(const World& world, const std::string& secret) {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(world.model->folder())) {
    if (!entry.is_regular_file()) continue;
    ++files;
    EXPECT_THAT(Read(entry.path()), Not(HasSubstr(secret))) << entry.path();
  }
  EXPECT_GE(files, 7);
}

TEST(Log, APoisonRecordIsOneErrorWithoutItsContent) {
  constexpr char kSecret[] = "4111-secret";
  World world("spoiled", Kept("spoiled-in", "spoiled-out"), 1, 1);
  world.cluster.Produce(world.input,
                        {{.key = kSecret, .value = KeptValue(0, true, kSecret)},
                         {.key = kSecret,
                          .value = absl::StrCat(R"({"id":1,"keep":")", kSecret, R"(","text":")", kSecret, R"("})"),
                          .headers = {{kSecret, kSecret}}}});
  RunnerProcess runner(*world.model);
  EXPECT_EQ(runner.Wait(), kFailed);
  EXPECT_EQ(runner.Status().last_error().text(), absl::StrCat("failed poison_record: ", runner.Status().detail()));
  const std::vector<std::string> lines = Lines(runner);
  EXPECT_THAT(lines, Each(MatchesRegex(kLine)));
  std::vector<std::string> errors;
  for (const std::string& line : lines) {
    if (absl::StrContains(line, " error ")) errors.push_back(line);
  }
  ASSERT_THAT(errors, SizeIs(1));
  EXPECT_THAT(errors[0], HasSubstr(" st.t.dev.spoiled failed poison_record: the record at topic spoiled-in, "
                                   "partition 0, offset 1 is poison: "));
  EXPECT_EQ(Metrics(world).at("st_runner_failure poison_record"), 1);
  ExpectNothingOf(world, kSecret);
}

TEST(Log, ARefusedRecordIsAnAbortAndAnErrorWithoutItsContent) {
  constexpr char kSecret[] = "4111-secret";
  World world("unloved", Kept("unloved-in", "unloved-out"), 1, 1, {{"cleanup.policy", "compact"}});
  world.cluster.Produce(world.input, {{.key = kSecret, .value = KeptValue(0, true, kSecret)},
                                      {.value = KeptValue(1, true, kSecret), .headers = {{kSecret, kSecret}}}});
  RunnerProcess runner(*world.model);
  EXPECT_EQ(runner.Wait(), kFailed);
  EXPECT_THAT(Lines(runner), Each(MatchesRegex(kLine)));
  EXPECT_THAT(runner.Log(), HasSubstr(" warning st.t.dev.unloved a transaction was aborted: "));
  EXPECT_THAT(runner.Log(), HasSubstr(" error st.t.dev.unloved failed output_refused: "));
  EXPECT_GE(runner.Status().transactions_aborted(), 1);
  EXPECT_GE(Metrics(world).at("st_runner_transactions_aborted_total"), 1);
  ExpectNothingOf(world, kSecret);
}

TEST(Log, WithoutABrokerTheClientLibrarySaysWhy) {
  World world("nobody", Kept("nobody-in", "nobody-out"), 1, 1);
  std::ofstream(world.model->flags["client-properties"]) << "bootstrap.servers=127.0.0.1:1\n";
  RunnerProcess runner(*world.model);
  EXPECT_EQ(runner.Wait(), kFailed);
  EXPECT_THAT(Lines(runner), Each(MatchesRegex(kLine)));
  EXPECT_THAT(runner.Log(), HasSubstr(" warning st.t.dev.nobody kafka client: FAIL: "));
  EXPECT_THAT(runner.Log(), HasSubstr(" error st.t.dev.nobody failed broker_unreachable: "));
}

}  // namespace
}  // namespace st::e2e
