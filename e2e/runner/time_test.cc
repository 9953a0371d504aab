// What time does to a runner that is left alone: an input that grows, an id that the broker forgets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "e2e/runner/world.h"
#include "lib/base/clock.h"

namespace st::e2e {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAreArray;
using Status = v1::RunnerStatus;

constexpr int kForgottenSeconds = 3;
constexpr char kRenewal[] = "makes its transactional id known again";

// A broker that forgets soon.
void StartBroker() {
  SharedBroker({absl::StrCat("transactional.id.expiration.ms=", kForgottenSeconds * 1000),
                "transaction.remove.expired.transaction.cleanup.interval.ms=500"});
}

// One kept record for each partition from 0.
std::vector<Record> OneEach(int partitions, int64_t first_id) {
  std::vector<Record> records;
  for (int i = 0; i < partitions; ++i) records.push_back({.partition = i, .value = KeptValue(first_id + i, true)});
  return records;
}

std::vector<std::string> Outputs(int64_t count) {
  std::vector<std::string> outputs;
  for (int64_t i = 0; i < count; ++i) outputs.push_back(KeptOutput(i));
  return outputs;
}

class Grown : public testing::Test {
 protected:
  static void SetUpTestSuite() { StartBroker(); }

  static std::unique_ptr<World> Make(const std::string& name) {
    auto world = std::make_unique<World>(name, Kept(name + "-in", name + "-out"), 1, 1);
    world->model->flags["keep-alive-s"] = "1";
    return world;
  }
};

TEST_F(Grown, UnderARunningRunner) {
  const std::unique_ptr<World> made = Make("growing");
  World& world = *made;
  RunnerProcess runner(*world.model);
  runner.AwaitRunning();
  world.cluster.Produce(world.input, OneEach(1, 0));
  runner.Await(In(1));
  world.cluster.AddPartitions(world.input, 3);
  world.in = 3;
  world.cluster.Produce(world.input, OneEach(3, 1));
  const Status status = runner.Await(In(4));
  EXPECT_EQ(status.state(), Status::RUNNING);
  ASSERT_EQ(status.partitions_size(), 3);
  EXPECT_THAT(runner.Log(), HasSubstr("takes over the new partition 1, 2 of growing-in from offset 0"));
  EXPECT_EQ(runner.Stop(), 0);
  EXPECT_THAT(world.Committed(), ElementsAre(2, 1, 1));
  EXPECT_THAT(Values(world.Output()), UnorderedElementsAreArray(Outputs(4)));

  // A start with the number of then finds them with offsets, like all others.
  world.cluster.Produce(world.input, OneEach(3, 4));
  RunnerProcess again(*world.model);
  again.Await(In(3));
  EXPECT_EQ(again.Stop(), 0);
  EXPECT_THAT(Values(world.Output()), UnorderedElementsAreArray(Outputs(7)));
}

TEST_F(Grown, WhileNothingRan) {
  const std::unique_ptr<World> made = Make("grown");
  World& world = *made;
  world.cluster.AddPartitions(world.input, 2);
  world.in = 2;
  world.cluster.Produce(world.input, OneEach(2, 0));
  RunnerProcess runner(*world.model);
  runner.Await(In(2));
  EXPECT_EQ(runner.Stop(), 0);
  EXPECT_THAT(world.Committed(), ElementsAre(1, 1));
  EXPECT_THAT(Values(world.Output()), UnorderedElementsAreArray(Outputs(2)));
}

// With the other offsets gone, nobody can tell a new partition from one whose offset is gone, too.
TEST_F(Grown, WhereOffsetsAreMissing) {
  const std::unique_ptr<World> made = Make("grown-missing");
  World& world = *made;
  world.cluster.AddPartitions(world.input, 2);
  world.in = 2;
  world.application_id = "st.t.dev.without";
  Model model(&world.cluster, Servers(), Kept(world.input, world.output), world.application_id, 1);
  RunnerProcess runner(model);
  EXPECT_EQ(runner.Wait(), 2);
  EXPECT_EQ(runner.Status().reason(), Status::OFFSET_MISSING) << runner.Status().DebugString();
  EXPECT_THAT(runner.Status().detail(), HasSubstr("partition 0 of"));
  EXPECT_THAT(world.Committed(), Each(-1));
}

// The offset of the partition that was taken over is gone, and nothing else: each start refuses to read it again,
// whatever the starts before it came to.
TEST_F(Grown, AFailedStartForgetsNothing) {
  const std::unique_ptr<World> made = Make("grown-lost");
  World& world = *made;
  world.cluster.AddPartitions(world.input, 2);
  world.in = 2;
  world.cluster.Produce(world.input, OneEach(2, 0));
  {
    RunnerProcess runner(*world.model);
    runner.Await(In(2));
    EXPECT_EQ(runner.Stop(), 0);
  }
  world.cluster.DeleteOffsets(world.application_id, world.input, 2);
  world.cluster.CommitOffsets(world.application_id, world.input, {1, -1});
  auto fail = [&](Status::Reason reason) {
    RunnerProcess runner(*world.model);
    EXPECT_EQ(runner.Wait(), 2);
    const Status status = runner.Status();
    EXPECT_EQ(status.reason(), reason) << status.DebugString();
    ASSERT_EQ(status.partitions_size(), 2) << status.DebugString();
    EXPECT_EQ(status.partitions(0).committed(), 1);
    EXPECT_EQ(status.partitions(1).committed(), 1);
    EXPECT_EQ(status.partitions(1).high_watermark(), -1);
  };
  std::string& output_id = world.model->flags["expected-output-topic-id"];
  const std::string right_id = std::exchange(output_id, world.cluster.TopicId(world.input));
  fail(Status::IDENTITY_MISMATCH);
  output_id = right_id;
  fail(Status::OFFSET_MISSING);
  fail(Status::OFFSET_MISSING);
  EXPECT_THAT(world.Committed(), ElementsAre(1, -1));
  EXPECT_THAT(Values(world.Output()), UnorderedElementsAreArray(Outputs(2)));
}

class Quiet : public testing::Test {
 protected:
  static void SetUpTestSuite() { StartBroker(); }

  // Time is the subject here: pauses that are long enough for the broker to forget, each with one record after it,
  // until the runner's log says `what`. Kept ones meet the broker as records, the others as offsets alone.
  void ForgetUntil(RunnerProcess* runner, bool keep, const std::string& what) {
    for (int pause = 0; pause < 20 && !absl::StrContains(runner->Log(), what); ++pause) {
      base::RealClock().SleepMs((kForgottenSeconds + 2) * 1000);
      world_.cluster.Produce(world_.input, {{.value = KeptValue(written_, keep)}});
      ++written_;
      const int64_t deadline = base::RealClock().MonotonicMs() + 20'000;
      while (!runner->Poll().has_value() && runner->Status().records_in() < written_) {
        ASSERT_LT(base::RealClock().MonotonicMs(), deadline) << runner->Log();
        base::RealClock().SleepMs(20);
      }
      if (keep) expected_.push_back(KeptOutput(written_ - 1));
    }
    ASSERT_THAT(runner->Log(), HasSubstr(what));
  }

  World world_{absl::StrCat("quiet-", Name()), Kept(Name() + "-in", Name() + "-out"), 1, 1};
  int64_t written_ = 0;
  std::vector<std::string> expected_;

 private:
  static std::string Name() { return testing::UnitTest::GetInstance()->current_test_info()->name(); }
};

TEST_F(Quiet, RecordsForAForgottenId) {
  RunnerProcess runner(*world_.model);
  runner.AwaitRunning();
  ForgetUntil(&runner, /*keep=*/true, "INVALID_PRODUCER_ID_MAPPING");
  EXPECT_EQ(runner.Stop(), 0);
  EXPECT_EQ(Values(world_.Output()), expected_);
  EXPECT_THAT(runner.Log(), Not(HasSubstr(kRenewal)));
}

TEST_F(Quiet, OffsetsForAForgottenId) {
  RunnerProcess runner(*world_.model);
  runner.AwaitRunning();
  ForgetUntil(&runner, /*keep=*/false, kRenewal);
  EXPECT_EQ(runner.Status().state(), Status::RUNNING);
  world_.cluster.Produce(world_.input, {{.value = KeptValue(written_++, true)}});
  expected_.push_back(KeptOutput(written_ - 1));
  runner.Await(In(written_));

  // A second time within the hour is the end, with everything as it was.
  ForgetUntil(&runner, /*keep=*/false, "failed producer_expired");
  EXPECT_EQ(runner.Wait(), 3);
  EXPECT_EQ(runner.Status().reason(), Status::PRODUCER_EXPIRED) << runner.Status().DebugString();
  RunnerProcess next(*world_.model);
  next.Await([&](const Status& s) { return s.partitions_size() == 1 && s.partitions(0).committed() >= written_; });
  EXPECT_EQ(next.Stop(), 0);
  EXPECT_EQ(Values(world_.Output()), expected_);
}

TEST_F(Quiet, AnIdleRunnerKeepsItsId) {
  World& world = world_;
  world.model->flags["keep-alive-s"] = "1";
  RunnerProcess runner(*world.model);
  world.cluster.Produce(world.input, {{.value = KeptValue(0, true)}});
  runner.Await(In(1));
  // One a second, or less: more time than the broker needs to forget.
  const int64_t before = runner.Status().transactions();
  runner.Await([&](const Status& s) { return s.transactions() >= before + 2 * kForgottenSeconds + 1; });
  EXPECT_THAT(world.Committed(), ElementsAre(1));
  world.cluster.Produce(world.input, {{.value = KeptValue(1, true)}});
  runner.Await(In(2));
  EXPECT_EQ(runner.Stop(), 0);
  EXPECT_THAT(runner.Log(), Not(HasSubstr("INVALID_PRODUCER_ID_MAPPING")));
  EXPECT_THAT(Values(world.Output()), ElementsAre(KeptOutput(0), KeptOutput(1)));
}

}  // namespace
}  // namespace st::e2e
