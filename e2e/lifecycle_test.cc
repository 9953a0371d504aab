// The create path on a real broker, as an operator sees it: deploy, no changes, drift, stop, start, and what is
// refused.
#include <sys/stat.h>

#include <string>
#include <thread>

#include "e2e/model_fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace st::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// Of 20 records 10 pass.
class LifecycleTest : public ModelFixture {
 protected:
  void SetUp() override {
    Declare("life");
    Feed(20);
  }
};

TEST_F(LifecycleTest, DeploysOnceThenNothingChangesThenDriftIsMended) {
  CommandResult planned = pipe_->Plan("p1");
  EXPECT_EQ(planned.exit_code, 10) << planned.error_text;
  // Lines for people, not one line with escapes in it.
  EXPECT_THAT(planned.error_text, HasSubstr("\n  + create topic "));
  struct stat info;
  ASSERT_EQ(stat(pipe_->Path("p1").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  CommandResult applied = pipe_->Apply("p1");
  ASSERT_EQ(applied.exit_code, 0) << applied.error_text;
  EXPECT_THAT(Output(10), SizeIs(10));
  EXPECT_EQ(pipe_->Plan("p2").exit_code, 0);
  EXPECT_EQ(pipe_->Apply("p2").exit_code, 0);

  // The same plan a second time is stale.
  applied = pipe_->Apply("p1");
  EXPECT_EQ(applied.exit_code, 1);
  EXPECT_THAT(applied.error_text, HasSubstr("stale"));

  ASSERT_THAT(pipe_->RunnerPids(), SizeIs(1));
  pipe_->KillRunners();
  planned = pipe_->Plan("p3");
  EXPECT_EQ(planned.exit_code, 11) << planned.error_text;
  applied = pipe_->Apply("p3");
  ASSERT_EQ(applied.exit_code, 0) << applied.error_text;
  EXPECT_THAT(pipe_->RunnerPids(), SizeIs(1));
  Feed(20);
  EXPECT_THAT(Output(20), SizeIs(20));
}

TEST_F(LifecycleTest, AReviewedStopAndStartGoOnWhereTheyStopped) {
  pipe_->Deploy("p1");
  EXPECT_THAT(Output(10), SizeIs(10));
  pipe_->Edit("running: true", "running: false");
  EXPECT_EQ(pipe_->Plan("p2").exit_code, 10);
  CommandResult applied = pipe_->Apply("p2");
  ASSERT_EQ(applied.exit_code, 0) << applied.error_text;
  EXPECT_THAT(pipe_->RunnerPids(), SizeIs(0));
  EXPECT_EQ(pipe_->Plan("p3").exit_code, 0);
  Feed(20);
  pipe_->Edit("running: false", "running: true");
  pipe_->Deploy("p4");
  EXPECT_THAT(Output(20), SizeIs(20));
  EXPECT_THAT(pipe_->Generations(), SizeIs(1));
}

TEST_F(LifecycleTest, TopicConfigsAndPartitionsAreUpdated) {
  pipe_->Deploy("p1");
  pipe_->Edit("retention.ms: 86400000", "retention.ms: +172800000, max.message.bytes: 2000000");
  EXPECT_EQ(pipe_->Plan("p2").exit_code, 10);
  CommandResult applied = pipe_->Apply("p2");
  ASSERT_EQ(applied.exit_code, 0) << applied.error_text;
  EXPECT_EQ(pipe_->Plan("p3").exit_code, 0);
  const std::string shown = Probe(broker_->bootstrap(), {"topic", output_});
  EXPECT_THAT(shown, HasSubstr("172800000"));
  EXPECT_THAT(shown, HasSubstr("2000000"));
  pipe_->Edit(", max.message.bytes: 2000000", "");
  pipe_->Deploy("p4");
  // Never under the runner that writes to it.
  pipe_->Edit("partitions: 1", "partitions: 3");
  CommandResult refused = pipe_->Plan("p5");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.error_text, HasSubstr("PARTITIONS_UNDER_RUNNER"));
  pipe_->Edit("partitions: 3", "partitions: 1");
  pipe_->Edit("running: true", "running: false");
  pipe_->Deploy("p6");
  pipe_->Edit("partitions: 1", "partitions: 3");
  pipe_->Deploy("p7");
  pipe_->Edit("running: false", "running: true");
  pipe_->Deploy("p8");
  CommandResult again = pipe_->Plan("p9");
  EXPECT_EQ(again.exit_code, 0) << again.error_text;
  EXPECT_THAT(Probe(broker_->bootstrap(), {"topic", output_}), testing::Not(HasSubstr("2000000")));
}

TEST_F(LifecycleTest, AnEditedProjectIsCaughtAtApply) {
  ASSERT_EQ(pipe_->Plan("p1").exit_code, 10);
  pipe_->Edit("n >= 10", "n >= 11");
  CommandResult applied = pipe_->Apply("p1");
  EXPECT_EQ(applied.exit_code, 1);
  EXPECT_THAT(applied.error_text, HasSubstr("project changed"));
  EXPECT_THAT(pipe_->Generations(), SizeIs(0));
}

TEST_F(LifecycleTest, WhatARunnerWasMadeWithDoesNotChangeUnderIt) {
  pipe_->Deploy("p1");
  pipe_->Edit("initial_offset: earliest", "initial_offset: latest");
  CommandResult planned = pipe_->Plan("p2");
  EXPECT_EQ(planned.exit_code, 1);
  EXPECT_THAT(planned.error_text, HasSubstr("UNSUPPORTED_RUNNER_CHANGE"));
  CommandResult applied = pipe_->Apply("p2");
  EXPECT_EQ(applied.exit_code, 1);
  EXPECT_THAT(pipe_->RunnerPids(), SizeIs(1));
}

TEST_F(LifecycleTest, AForeignTopicIsNeverTaken) {
  Probe(broker_->bootstrap(), {"create", output_});
  CommandResult planned = pipe_->Plan("p1");
  EXPECT_EQ(planned.exit_code, 1);
  EXPECT_THAT(planned.error_text, HasSubstr("ADOPTION_REQUIRED"));
}

TEST_F(LifecycleTest, ATopicThatWasMadeAgainIsFoundOut) {
  pipe_->Deploy("p1");
  pipe_->KillRunners();
  Probe(broker_->bootstrap(), {"delete", output_});
  Probe(broker_->bootstrap(), {"create", output_});
  CommandResult planned = pipe_->Plan("p2");
  EXPECT_EQ(planned.exit_code, 1);
  EXPECT_THAT(planned.error_text, HasSubstr("TOPIC_ID_CHANGED"));
}

TEST_F(LifecycleTest, AnInputThatWasMadeAgainBetweenPlanAndApplyIsRefused) {
  ASSERT_EQ(pipe_->Plan("p1").exit_code, 10);
  Probe(broker_->bootstrap(), {"delete", input_});
  Probe(broker_->bootstrap(), {"create", input_, "--partitions", "2"});
  CommandResult applied = pipe_->Apply("p1");
  EXPECT_EQ(applied.exit_code, 1) << applied.error_text;
  EXPECT_THAT(applied.error_text, HasSubstr("TOPIC_ID_CHANGED"));
  EXPECT_THAT(applied.error_text, HasSubstr("nothing was changed"));
  EXPECT_THAT(pipe_->Generations(), SizeIs(0));
  EXPECT_EQ(pipe_->Status().operation_id(), "");
  // Not even the output topic was made: it would be a foreign one now.
  EXPECT_EQ(pipe_->Plan("p2").exit_code, 10);
  applied = pipe_->Apply("p2");
  EXPECT_EQ(applied.exit_code, 0) << applied.error_text;
}

TEST_F(LifecycleTest, APoisonRecordLocksNothing) {
  pipe_->Deploy("p1");
  EXPECT_THAT(Output(10), SizeIs(10));
  Probe(broker_->bootstrap(), {"produce", input_}, "{\"bad\":1}\n");
  ASSERT_TRUE(AwaitNoRunner());
  CommandResult planned = pipe_->Plan("p2");
  EXPECT_EQ(planned.exit_code, 11) << planned.error_text;
  EXPECT_THAT(planned.error_text, HasSubstr("RUNNER_FAILED"));
  // It gets as far as that record again: before or after st-apply has seen it run.
  CommandResult applied = pipe_->Apply("p2");
  EXPECT_LE(applied.exit_code, 1) << applied.error_text;
  if (applied.exit_code == 1) {
    EXPECT_THAT(applied.error_text, HasSubstr("POISON_RECORD"));
  }
  EXPECT_EQ(pipe_->Status().operation_id(), "");
  ASSERT_TRUE(AwaitNoRunner());
  pipe_->Edit("running: true", "running: false");
  pipe_->Deploy("p3");
  EXPECT_EQ(pipe_->Plan("p4").exit_code, 0);
  EXPECT_THAT(Output(10), SizeIs(10));
}

TEST_F(LifecycleTest, AnUnreachableBrokerIsSaidAndNothingIsBegun) {
  ASSERT_EQ(pipe_->Plan("p1").exit_code, 10);
  pipe_->set_bootstrap("127.0.0.1:1");
  EXPECT_EQ(pipe_->Plan("p2").exit_code, 3);
  // The bootstrap servers are part of the project: another address is another project.
  EXPECT_EQ(pipe_->Apply("p1").exit_code, 1);
  pipe_->set_bootstrap(broker_->bootstrap());
  EXPECT_EQ(pipe_->Status().operation_id(), "");
  CommandResult applied = pipe_->Apply("p1");
  EXPECT_EQ(applied.exit_code, 0) << applied.error_text;
}

TEST_F(LifecycleTest, OfTwoAppliesAtOnceOneWins) {
  ASSERT_EQ(pipe_->Plan("p1").exit_code, 10);
  CommandResult results[2];
  std::thread first([&] { results[0] = pipe_->Apply("p1"); });
  std::thread second([&] { results[1] = pipe_->Apply("p1"); });
  first.join();
  second.join();
  EXPECT_EQ(results[0].exit_code + results[1].exit_code, 1) << results[0].error_text << results[1].error_text;
  EXPECT_THAT(pipe_->Generations(), SizeIs(1));
  EXPECT_THAT(Output(10), SizeIs(10));
}

}  // namespace
}  // namespace st::e2e
