// What a runner costs while its broker is away, and that it goes on by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "e2e/runner/world.h"
#include "lib/base/clock.h"
#include "lib/fs/file.h"

namespace st::e2e {
namespace {

using testing::HasSubstr;

// User and system time of a process so far.
int64_t CpuMs(pid_t pid) {
  constexpr size_t kMostBytes = 4096;
  auto text = fs::ReadFile(absl::StrCat("/proc/", pid, "/stat"), kMostBytes);
  if (!text.ok()) return -1;
  // Behind the name come the fields from the third on; user and system time are the 14th and 15th.
  const std::vector<std::string> fields = absl::StrSplit(text->substr(text->rfind(')') + 2), ' ');
  int64_t user = 0;
  int64_t system = 0;
  if (fields.size() < 13 || !absl::SimpleAtoi(fields[11], &user) || !absl::SimpleAtoi(fields[12], &system)) return -1;
  return (user + system) * 1000 / sysconf(_SC_CLK_TCK);
}

int64_t Lines(const RunnerProcess& runner) {
  const std::string log = runner.Log();
  return std::count(log.begin(), log.end(), '\n');
}

// An idle runner asks for its topics once a minute, so the outage is longer than that.
TEST(Outage, AnIdleRunnerIsQuietAndGoesOn) {
  constexpr int kOutageSeconds = 75;
  constexpr size_t kWindowSeconds = 10;
  constexpr int64_t kMostMs = 1000;  // in a window
  constexpr int kSettledSeconds = 20;
  World world("outage", Kept("outage-in", "outage-out"), 1, 1);
  std::vector<Record> records(10, {.value = KeptValue(1, true)});
  world.cluster.Produce(world.input, records);
  RunnerProcess runner(*world.model);
  runner.Await(In(10));
  ASSERT_TRUE(SharedBroker().Stop().ok());

  std::deque<int64_t> cpu = {CpuMs(runner.pid())};
  int64_t most = 0;
  int64_t settled = 0;
  for (int second = 1; second <= kOutageSeconds; ++second) {
    base::RealClock().SleepMs(1000);
    cpu.push_back(CpuMs(runner.pid()));
    ASSERT_GE(cpu.back(), 0) << runner.Status().DebugString();
    if (cpu.size() > kWindowSeconds + 1) cpu.pop_front();
    most = std::max(most, cpu.back() - cpu.front());
    if (second == kSettledSeconds) settled = Lines(runner);
  }
  ASSERT_FALSE(runner.Poll().has_value());
  std::cout << "at most " << most << " ms of CPU in " << kWindowSeconds << " s, " << Lines(runner) << " lines of log"
            << std::endl;
  EXPECT_LT(most, kMostMs);
  // What went wrong is said at the beginning, and not again.
  EXPECT_LE(Lines(runner), settled + 2) << runner.Log();
  EXPECT_LT(settled, 30) << runner.Log();
  EXPECT_THAT(runner.Status().detail(), HasSubstr("no answer from the broker"));

  ASSERT_TRUE(SharedBroker().Restart().ok());
  world.cluster.Produce(world.input, records);
  runner.Await([](const v1::RunnerStatus& s) { return s.records_in() == 20 && s.detail().empty(); });
  EXPECT_EQ(runner.Stop(), 0);
  EXPECT_EQ(world.Output().size(), 20u);
}

}  // namespace
}  // namespace st::e2e
