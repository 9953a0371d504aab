// The runner under fire: whatever happens, the output is the input put through the model, each record once, in order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "e2e/runner/load.h"
#include "e2e/runner/world.h"
#include "lib/base/clock.h"

namespace st::e2e {
namespace {

using Status = v1::RunnerStatus;

constexpr int kPartitions = 3;
constexpr int kRate = 3000;

// $ST_TEST_SEED, or a new one; printed either way.
uint64_t Seed() {
  uint64_t seed = std::random_device()();
  const char* text = std::getenv("ST_TEST_SEED");
  EXPECT_TRUE(text == nullptr || absl::SimpleAtoi(text, &seed));
  std::cout << "ST_TEST_SEED=" << seed << std::endl;
  return seed;
}

int64_t Sum(const std::vector<int64_t>& values) {
  int64_t sum = 0;
  for (int64_t value : values) sum += value;
  return sum;
}

// A runner that is started again whenever it ends, until everything is read; then stopped.
void ReadToTheEnd(World& world, int64_t count) {
  RunnerProcess runner(*world.model);
  runner.Await([&](const Status& status) {
    int64_t committed = 0;
    for (const auto& partition : status.partitions()) committed += partition.committed();
    return status.partitions_size() == kPartitions && committed == count;
  });
  EXPECT_EQ(runner.Stop(), 0);
}

TEST(Fault, TwentyKillsUnderLoad) {
  constexpr int kKills = 20;
  constexpr int kMostMs = 1500;
  const v1::RecordPlan plan = Kept("kill-in", "kill-out");
  World world("kill", plan, kPartitions, kPartitions);
  std::mt19937_64 random(Seed());
  Load load(Servers(), world.input, kPartitions, kRate);
  int after_progress = 0;
  int64_t committed = 0;
  for (int kill = 0; kill < kKills; ++kill) {
    RunnerProcess runner(*world.model);
    // Most while records flow, some while it starts.
    if (kill % 5 != 0) runner.AwaitRunning();
    base::RealClock().SleepMs(static_cast<int64_t>(random() % kMostMs));
    runner.Signal(SIGKILL);
    EXPECT_EQ(runner.Wait(), -SIGKILL);
    const int64_t now = Sum(world.Committed());
    EXPECT_GE(now, committed);
    if (now > committed) ++after_progress;
    committed = now;
  }
  const int64_t count = load.Stop();
  EXPECT_LT(committed, count);
  ReadToTheEnd(world, count);
  EXPECT_EQ(CheckOutput(plan, count, kPartitions, world.Output()), "");
  // It was under load: most kills met a runner that had got on, and some an open transaction.
  EXPECT_GE(after_progress, kKills / 2);
  const size_t aborted = world.cluster.ReadAll(world.output, kPartitions).size() - world.Output().size();
  std::cout << count << " records, " << after_progress << " kills after progress, " << aborted
            << " records of cut-off transactions" << std::endl;
  EXPECT_GT(aborted, 0u);
}

// A broker of its own, as it goes down.
TEST(Fault, BrokerRestarts) {
  const v1::RecordPlan plan = Kept("restart-in", "restart-out");
  World world("restart", plan, kPartitions, kPartitions);
  int64_t count = 20000;
  std::vector<Record> records;
  for (int64_t n = 0; n < count; ++n) records.push_back(LoadRecord(n, kPartitions));
  world.cluster.Produce(world.input, records);
  auto runner = std::make_unique<RunnerProcess>(*world.model);
  runner->AwaitRunning();
  int survived = 0;
  for (int round = 0; round < 3; ++round) {
    if (round == 1) {
      ASSERT_TRUE(SharedBroker().Kill().ok());
      ASSERT_TRUE(SharedBroker().Restart().ok());
    } else {
      ASSERT_TRUE(SharedBroker().Restart().ok());
    }
    records.clear();
    for (int64_t n = count; n < count + 5000; ++n) records.push_back(LoadRecord(n, kPartitions));
    world.cluster.Produce(world.input, records);
    count += 5000;
    // Idle or between transactions it lives on; cut off in one whose end is not known, it says so and ends.
    if (!runner->Poll().has_value()) {
      ++survived;
      continue;
    }
    EXPECT_THAT(runner->Status().reason(),
                testing::AnyOf(Status::TRANSACTION_UNKNOWN, Status::BROKER_UNREACHABLE, Status::FENCED))
        << runner->Status().DebugString();
    runner = std::make_unique<RunnerProcess>(*world.model);
    runner->AwaitRunning();
  }
  std::cout << "lived through " << survived << " of 3 restarts" << std::endl;
  runner.reset();
  ReadToTheEnd(world, count);
  EXPECT_EQ(CheckOutput(plan, count, kPartitions, world.Output()), "");
}

// Partitions whose marks it knows: those that it reads.
int Followed(const Status& status) {
  return static_cast<int>(std::count_if(status.partitions().begin(), status.partitions().end(),
                                        [](const auto& partition) { return partition.high_watermark() >= 0; }));
}

// Another member takes a partition away and gives it back, again and again, and never reads.
TEST(Fault, Rebalances) {
  const v1::RecordPlan plan = Kept("rebalance-in", "rebalance-out");
  World world("rebalance", plan, kPartitions, kPartitions);
  Load load(Servers(), world.input, kPartitions, kRate);
  RunnerProcess runner(*world.model);
  runner.AwaitRunning();
  for (int round = 0; round < 5; ++round) {
    {
      Member member(Servers(), world.application_id, world.input);
      member.AwaitAssignment();
      runner.Await([](const Status& s) { return Followed(s) < kPartitions; });
    }
    runner.Await([](const Status& s) { return Followed(s) == kPartitions; });
  }
  const int64_t count = load.Stop();
  EXPECT_EQ(runner.Stop(), 0);
  ReadToTheEnd(world, count);
  EXPECT_EQ(CheckOutput(plan, count, kPartitions, world.Output()), "");
}

// A process that is stopped, replaced, and goes on.
TEST(Fault, AZombieIsFenced) {
  const v1::RecordPlan plan = Kept("zombie-in", "zombie-out");
  World world("zombie", plan, kPartitions, kPartitions);
  Load load(Servers(), world.input, kPartitions, kRate);
  RunnerProcess zombie(*world.model);
  zombie.Await([](const Status& s) { return s.transactions() > 0; });
  zombie.Signal(SIGSTOP);
  Model other(&world.cluster, Servers(), plan, world.application_id, kPartitions);
  RunnerProcess runner(other);
  runner.Await([](const Status& s) { return s.transactions() > 0; });
  zombie.Signal(SIGCONT);
  EXPECT_EQ(zombie.Wait(), 3);
  EXPECT_EQ(zombie.Status().reason(), Status::FENCED) << zombie.Status().DebugString();
  const int64_t count = load.Stop();
  EXPECT_EQ(runner.Stop(), 0);
  ReadToTheEnd(world, count);
  EXPECT_EQ(CheckOutput(plan, count, kPartitions, world.Output()), "");
}

// An open transaction of somebody else holds the input back; the status shows it.
TEST(Fault, AStuckInputShows) {
  World world("stuck", Kept("stuck-in", "stuck-out"), 1, 1);
  OpenTransaction stuck(Servers(), world.input, {LoadRecord(1, 1)});
  world.cluster.Produce(world.input, {LoadRecord(2, 1), LoadRecord(3, 1)});
  RunnerProcess runner(*world.model);
  Status status =
      runner.Await([](const Status& s) { return s.partitions_size() == 1 && s.partitions(0).high_watermark() == 3; });
  EXPECT_EQ(status.partitions(0).last_stable_offset(), 0);
  EXPECT_EQ(status.partitions(0).position(), 0);
  EXPECT_EQ(runner.Stop(), 0);
}

TEST(Fault, ClosesInTimeUnderLoad) {
  const v1::RecordPlan plan = Kept("close-in", "close-out");
  World world("close", plan, kPartitions, kPartitions);
  Load load(Servers(), world.input, kPartitions, kRate);
  for (int round = 0; round < 5; ++round) {
    RunnerProcess runner(*world.model);
    runner.Await([](const Status& s) { return s.transactions() > 2; });
    runner.Signal(SIGTERM);
    EXPECT_EQ(runner.Wait(15), 0);
    Status status = runner.Status();
    EXPECT_EQ(status.state(), Status::CLOSED);
    std::vector<int64_t> committed = world.Committed();
    for (const auto& partition : status.partitions()) {
      EXPECT_EQ(partition.committed(), committed[static_cast<size_t>(partition.partition())]);
      EXPECT_EQ(partition.position(), partition.committed());
    }
    EXPECT_EQ(world.cluster.GroupState(world.application_id), "Empty");
  }
  const int64_t count = load.Stop();
  ReadToTheEnd(world, count);
  EXPECT_EQ(CheckOutput(plan, count, kPartitions, world.Output()), "");
}

}  // namespace
}  // namespace st::e2e
