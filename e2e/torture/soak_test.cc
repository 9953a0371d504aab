// One runner for a long time at half of its top speed, restarted now and then: every record comes out once, in order,
// memory stays flat within each life, no descriptor leaks, status and log do not grow. Half a minute here, where memory
// is printed and not judged; an hour with tools/dev/torture --soak 60.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/types.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/log/absl_check.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/broker.h"
#include "e2e/runner/cluster.h"
#include "e2e/runner/plans.h"
#include "e2e/runner/runner_process.h"
#include "e2e/torture/stream.h"

namespace st::e2e {
namespace {

using Status = v1::RunnerStatus;

constexpr int kPartitions = 3;
constexpr int kBound = 10;
// Of a life's begin, in which buffers find their size.
constexpr double kWarmUp = 0.25;
// A leak of one part in a hundred would be more.
constexpr double kMostKilobytesAMinute = 200;
constexpr int64_t kMostLogBytesALife = 4096;
constexpr absl::Duration kLook = absl::Milliseconds(100);

struct Sample {
  double minutes = 0;
  int64_t resident_kb = 0;
  int64_t proportional_kb = 0;
  int64_t descriptors = 0;
  int64_t status_bytes = 0;
  int64_t metrics_bytes = 0;
};

// `field: N kB` of a file of proc(5).
int64_t Kilobytes(const std::string& path, const std::string& field) {
  std::ifstream file(path);
  int64_t kilobytes = -1;
  for (std::string word; file >> word;) {
    if (word == field && file >> kilobytes) break;
  }
  return kilobytes;
}

int64_t FilesIn(const std::string& folder) {
  std::error_code error;
  const std::filesystem::directory_iterator files(folder, error);
  return error ? -1 : std::distance(begin(files), end(files));
}

int64_t Bytes(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  return error ? -1 : static_cast<int64_t>(bytes);
}

// Kilobytes a minute within a life, over all lives, with its standard error.
struct Slope {
  double value = 0;
  double error = 0;
};

Slope SlopeWithinLives(const std::vector<std::vector<Sample>>& lives) {
  double xx = 0, xy = 0, yy = 0;
  double freedom = -1;
  for (const auto& all : lives) {
    const std::vector<Sample> life(all.begin() + static_cast<ptrdiff_t>(static_cast<double>(all.size()) * kWarmUp),
                                   all.end());
    double x = 0, y = 0;
    const auto count = static_cast<double>(life.size());
    for (const Sample& sample : life) {
      x += sample.minutes / count;
      y += static_cast<double>(sample.resident_kb) / count;
    }
    for (const Sample& sample : life) {
      const double dx = sample.minutes - x;
      const double dy = static_cast<double>(sample.resident_kb) - y;
      xx += dx * dx;
      xy += dx * dy;
      yy += dy * dy;
    }
    freedom += count - 1;
  }
  if (xx <= 0 || freedom <= 0) return {};
  const double slope = xy / xx;
  return {slope, std::sqrt(std::max(0.0, yy - slope * xy) / freedom / xx)};
}

class Soak : public testing::Test {
 protected:
  // Little is kept on the disk: what is read, and a minute of what is not.
  static Configs Kept(int64_t bytes) {
    return {{"segment.bytes", absl::StrCat(bytes / 4)}, {"retention.bytes", absl::StrCat(bytes)}};
  }

  void SetUp() override {
    auto broker = Broker::Start({"log.retention.check.interval.ms=5000", "log.segment.delete.delay.ms=1000"});
    ABSL_CHECK_OK(broker.status());
    broker_ = *std::move(broker);
    cluster_ = std::make_unique<Cluster>(broker_->bootstrap());
    cluster_->CreateTopic("soak-in", kPartitions, Kept(int64_t{1} << 30));
    cluster_->CreateTopic("soak-out", kPartitions, Kept(int64_t{1} << 29));
    cluster_->CommitOffsets("st.t.dev.soak", "soak-in", std::vector<int64_t>(kPartitions, 0));
    model_ = std::make_unique<Model>(cluster_.get(), broker_->bootstrap(), AtLeast("soak-in", "soak-out", kBound),
                                     "st.t.dev.soak", kPartitions);
    stream_ = std::make_unique<Stream>(broker_->bootstrap(), "soak-in", kPartitions);
    follower_ = std::make_unique<Follower>(broker_->bootstrap(), "soak-out", kPartitions, kBound);
  }

  std::string InState(const std::string& name) const { return model_->flags.at("state-dir") + "/" + name; }

  static int64_t Committed(const Status& status) {
    int64_t sum = 0;
    for (const auto& partition : status.partitions()) sum += partition.committed();
    return sum;
  }

  // Records a second, of a full topic with nobody else about.
  double TopSpeed(int64_t records) {
    stream_->SetBound(records);
    stream_->SetRate(records);
    while (stream_->handed_over() < records) absl::SleepFor(kLook);
    stream_->SetRate(0);
    stream_->Flush();
    runner_ = std::make_unique<RunnerProcess>(*model_);
    const Status first = runner_->Await([](const Status& s) { return s.transactions() > 0; });
    const Status last = runner_->Await([&](const Status& s) { return Committed(s) == records; });
    EXPECT_EQ(runner_->Stop(), 0);
    const int64_t ms = std::max<int64_t>(last.updated_at_ms() - first.updated_at_ms(), 1);
    return static_cast<double>(Committed(last) - Committed(first)) * 1000 / static_cast<double>(ms);
  }

  Sample Look() const {
    const std::string proc = absl::StrCat("/proc/", runner_->pid());
    return {.minutes = absl::ToDoubleMinutes(absl::Now() - begun_),
            .resident_kb = Kilobytes(proc + "/status", "VmRSS:"),
            .proportional_kb = Kilobytes(proc + "/smaps_rollup", "Pss:"),
            .descriptors = FilesIn(proc + "/fd"),
            .status_bytes = Bytes(InState("status.textproto")),
            .metrics_bytes = Bytes(InState("metrics.prom"))};
  }

  // One process from its start to its end, which is by SIGTERM or SIGKILL.
  void Live(absl::Duration length, absl::Duration pause, bool kill) {
    runner_ = std::make_unique<RunnerProcess>(*model_);
    runner_->Await([](const Status& s) { return s.transactions() > 0; });
    std::vector<Sample> life;
    const absl::Time end = absl::Now() + length;
    for (absl::Time next = absl::Now() + pause; absl::Now() < end; absl::SleepFor(kLook)) {
      // So far behind as retention lets it or the reader be, the stream waits. Half of the records pass.
      stream_->SetBound(std::min(Committed(runner_->Status()), 2 * follower_->seen()) + kMostBehind);
      ASSERT_FALSE(runner_->Poll().has_value()) << runner_->Status().DebugString() << runner_->Log();
      ASSERT_EQ(follower_->Wrong(), "");
      if (absl::Now() < next) continue;
      next += pause;
      life.push_back(Look());
      Print(life.back());
    }
    ASSERT_GE(life.size(), 2u);
    lives_.push_back(std::move(life));
    runner_->Signal(kill ? SIGKILL : SIGTERM);
    EXPECT_EQ(runner_->Wait(), kill ? -SIGKILL : 0);
  }

  void Print(const Sample& sample) const {
    std::cout
        << absl::StreamFormat(
               "%7.2f min: RSS %d kB, PSS %d kB, %d descriptors, status %d B, metrics %d B, log %d B, %d in, %d out",
               sample.minutes, sample.resident_kb, sample.proportional_kb, sample.descriptors, sample.status_bytes,
               sample.metrics_bytes, Bytes(model_->folder() + "/log"), stream_->handed_over(), follower_->seen())
        << std::endl;
  }

  void ExpectNoGrowth(bool judge_memory) const {
    const Sample& first = lives_.front().back();
    const Sample& last = lives_.back().back();
    const Slope slope = SlopeWithinLives(lives_);
    std::cout << absl::StreamFormat(
                     "figure: soak: memory %+.1f kB a minute (standard error %.1f) over %d lives, RSS at "
                     "the end of the first %d kB, of the last %d kB",
                     slope.value, slope.error, lives_.size(), first.resident_kb, last.resident_kb)
              << std::endl;
    if (judge_memory) {
      EXPECT_LT(slope.value - 2 * slope.error, kMostKilobytesAMinute);
      EXPECT_LT(last.resident_kb, first.resident_kb * 3 / 2);
    }
    for (const auto& life : lives_) {
      EXPECT_GT(life.front().descriptors, 3);
      EXPECT_LE(life.back().descriptors, life.front().descriptors + 2);
      EXPECT_LE(life.back().descriptors, first.descriptors + 2);
      EXPECT_LT(life.back().status_bytes, first.status_bytes * 5 / 4);
      EXPECT_LT(life.back().metrics_bytes, first.metrics_bytes * 5 / 4);
    }
    EXPECT_EQ(FilesIn(model_->flags.at("state-dir")), 4);
    EXPECT_LT(Bytes(model_->folder() + "/log"), kMostLogBytesALife * (static_cast<int64_t>(lives_.size()) + 1));
  }

  static constexpr int64_t kMostBehind = 12'000'000;

  const absl::Time begun_ = absl::Now();
  std::unique_ptr<Broker> broker_;
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<Follower> follower_;
  std::unique_ptr<RunnerProcess> runner_;
  std::vector<std::vector<Sample>> lives_;
};

TEST_F(Soak, AtHalfSpeedWithRestarts) {
  const char* given = getenv("ST_TORTURE_MINUTES");
  int minutes = 0;
  ASSERT_TRUE(given == nullptr || absl::SimpleAtoi(given, &minutes));
  const bool is_long = minutes > 0;
  // A status is a second old, so that a top speed takes some to be told.
  const double top = is_long ? TopSpeed(12'000'000) : 40'000;
  std::cout << absl::StreamFormat("top speed %.0f records/s\n", top);
  stream_->SetBound(stream_->handed_over() + kMostBehind);
  const int64_t before = stream_->handed_over();
  stream_->SetRate(static_cast<int64_t>(top / 2));
  const absl::Time begun = absl::Now();
  const absl::Time end = begun + (is_long ? absl::Minutes(minutes) : absl::Seconds(20));
  const absl::Duration life = is_long ? std::min(absl::Minutes(4), (end - begun) / 2) : absl::Seconds(6);
  for (int number = 0; absl::Now() < end && !HasFatalFailure(); ++number) {
    Live(life, is_long ? absl::Seconds(5) : absl::Seconds(1), /*kill=*/number % 2 == 1);
  }
  if (HasFatalFailure()) return;
  stream_->SetRate(0);
  stream_->Flush();
  const int64_t count = stream_->handed_over();
  std::cout << absl::StreamFormat("%.0f records/s on average\n",
                                  static_cast<double>(count - before) / absl::ToDoubleSeconds(absl::Now() - begun));
  runner_ = std::make_unique<RunnerProcess>(*model_);
  runner_->Await([&](const Status& s) { return Committed(s) == count; });
  EXPECT_EQ(runner_->Stop(), 0);
  const absl::Time deadline = absl::Now() + absl::Minutes(1);
  while (follower_->seen() < follower_->Expected(count) && absl::Now() < deadline) absl::SleepFor(kLook);
  EXPECT_EQ(follower_->seen(), follower_->Expected(count));
  EXPECT_EQ(follower_->Wrong(), "");
  ExpectNoGrowth(is_long);
}

}  // namespace
}  // namespace st::e2e
