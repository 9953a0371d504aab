#include "gtest/gtest.h"
#include "lib/transition/scene.h"

namespace st::transition {
namespace {

using Kind = Step::Kind;

struct CreateRunnerTest : testing::Test {
  CreateRunnerTest() {
    v1::CreateRunner& create = *scene.action.mutable_create_runner();
    scene.Bind(&create);
    create.set_input_partitions(2);
    create.set_initial_offset(v1::EARLIEST);
    create.set_runner_sha256("binary");
  }

  void Volume(const std::string& operation) {
    v1::VolumeFacts& volume = *scene.facts.host.add_volumes();
    volume.set_application_id("st.p.e.m");
    volume.set_instance_id("instance");
    volume.set_operation_id(operation);
  }

  // Up to a created, not yet started generation.
  void ReachCreated() {
    scene.Settle();
    scene.CommitVector(5, kOperation);
    scene.Settle();
    Volume(kOperation);
    scene.Settle();
    scene.Generation(v1::GenerationFacts::CREATED);
    scene.Settle();
    ASSERT_EQ(scene.Reached(), v1::Checkpoint::GENERATION_CREATED);
  }

  Scene scene;
};

TEST_F(CreateRunnerTest, GoesThroughEveryCheckpointInOrder) {
  EXPECT_EQ(scene.Settle().act, Do::kCommitOffsets);
  ASSERT_EQ(scene.progress.checkpoints.size(), 1u);
  EXPECT_EQ(scene.progress.checkpoints[0].vector(1).offset(), 5);
  scene.CommitVector(5, kOperation);
  EXPECT_EQ(scene.Settle().act, Do::kCreateVolume);
  Volume(kOperation);
  EXPECT_EQ(scene.Settle().act, Do::kCreateGeneration);
  scene.Generation(v1::GenerationFacts::CREATED);
  EXPECT_EQ(scene.Settle().act, Do::kStartGeneration);
  scene.progress.crossed.push_back(Do::kStartGeneration);
  scene.Running();
  EXPECT_EQ(scene.Settle().kind, Kind::kDone);
  const v1::OwnedRunner& owned = scene.progress.checkpoints.back().owned().runner();
  EXPECT_EQ(owned.generation_id(), GenerationId(kOperation, 0));
  EXPECT_EQ(owned.volume_instance(), "instance");
  EXPECT_EQ(owned.initial_size(), 2);
  EXPECT_TRUE(owned.running());
}

// An earlier call of ours makes it, and the host lists it when it is whole.
TEST_F(CreateRunnerTest, AGenerationWhoseNameIsTakenIsWaitedFor) {
  scene.Settle();
  scene.CommitVector(5, kOperation);
  scene.Settle();
  Volume(kOperation);
  ASSERT_EQ(scene.Settle().act, Do::kCreateGeneration);
  scene.progress.met.push_back(Do::kCreateGeneration);
  const Step step = scene.Ask();
  EXPECT_EQ(step.kind, Kind::kWait);
  const int64_t before = scene.facts.now_ms;
  scene.facts.now_ms = step.wait_until_ms;
  EXPECT_EQ(scene.Ask().kind, Kind::kBlocked);
  EXPECT_EQ(scene.Ask().code, "CONFLICT");
  scene.facts.now_ms = before;
  scene.Generation(v1::GenerationFacts::CREATED);
  EXPECT_EQ(scene.Settle().act, Do::kStartGeneration);
}

TEST_F(CreateRunnerTest, LatestIsTheEndAtThatMoment) {
  scene.action.mutable_create_runner()->set_initial_offset(v1::LATEST);
  scene.Settle();
  EXPECT_EQ(scene.progress.checkpoints[0].vector(0).offset(), 50);
}

TEST_F(CreateRunnerTest, OffsetsOfSomebodyElseBlock) {
  scene.CommitVector(5, "");
  EXPECT_EQ(scene.Ask().code, "GROUP_HAS_OFFSETS");
}

TEST_F(CreateRunnerTest, ALateWriteOfAnotherOperationDoesNotPassForOurs) {
  scene.Settle();
  scene.CommitVector(5, "another-operation");
  EXPECT_EQ(scene.Ask().code, "OFFSETS_MOVED");
  scene.CommitVector(6, kOperation);
  EXPECT_EQ(scene.Ask().code, "OFFSETS_MOVED");
}

TEST_F(CreateRunnerTest, AnActiveGroupIsWaitedForThenBlocks) {
  scene.facts.group.set_state(v1::GroupFacts::STABLE);
  scene.facts.group.add_members()->set_member_id("someone");
  Step step = scene.Ask();
  EXPECT_EQ(step.kind, Kind::kWait);
  EXPECT_EQ(step.code, "GROUP_ACTIVE");
  scene.facts.now_ms = step.wait_until_ms;
  EXPECT_EQ(scene.Ask().kind, Kind::kBlocked);
}

// However long the plan's earlier actions took.
TEST_F(CreateRunnerTest, AWaitIsBoundedFromTheLastCheckpointOfAnyAction) {
  scene.facts.now_ms += 3'600'000;
  scene.facts.group.set_state(v1::GroupFacts::STABLE);
  scene.facts.group.add_members()->set_member_id("someone");
  EXPECT_EQ(scene.Ask().kind, Kind::kBlocked);
  v1::Checkpoint& earlier = scene.progress.checkpoints.emplace_back();
  earlier.set_action_index(scene.action.index() + 1);
  earlier.set_name(v1::Checkpoint::ACTION_DONE);
  earlier.set_at_ms(scene.facts.now_ms);
  EXPECT_EQ(scene.Ask().kind, Kind::kWait);
}

TEST_F(CreateRunnerTest, AnUnstableOffsetIsWaitedFor) {
  scene.Settle();
  scene.CommitVector(5, kOperation);
  scene.facts.group.mutable_topics(0)->mutable_offsets(1)->set_unstable(true);
  EXPECT_EQ(scene.Ask().code, "OFFSETS_UNSTABLE");
}

TEST_F(CreateRunnerTest, AChosenOffsetThatLeftTheLogIsNotWritten) {
  scene.Settle();
  scene.facts.input.mutable_partitions(0)->set_begin_offset(9);
  EXPECT_EQ(scene.Ask().code, "OFFSETS_OUT_OF_RANGE");
}

TEST_F(CreateRunnerTest, AForeignGenerationOrVolumeBlocks) {
  scene.Generation(v1::GenerationFacts::EXITED).set_generation_id("g-foreign");
  EXPECT_EQ(scene.Ask().code, "RUNNER_NOT_OURS");
  scene.facts.host.clear_generations();
  scene.Settle();
  scene.CommitVector(5, kOperation);
  Volume("another-operation");
  EXPECT_EQ(scene.Settle().code, "VOLUME_NOT_OURS");
}

TEST_F(CreateRunnerTest, AReplacedVolumeBlocks) {
  ReachCreated();
  scene.facts.host.mutable_volumes(0)->set_instance_id("made again");
  EXPECT_EQ(scene.Ask().code, "VOLUME_CHANGED");
  scene.Ended(v1::RunnerStatus::RUNNING);
  scene.progress.resuming = true;
  EXPECT_EQ(scene.Ask().code, "VOLUME_CHANGED") << "nor is it started again on that one";
}

TEST_F(CreateRunnerTest, AnEditedGenerationBlocks) {
  ReachCreated();
  scene.facts.host.mutable_generations(0)->set_plan_sha256("edited");
  EXPECT_EQ(scene.Ask().code, "RUNNER_PLAN_CHANGED");
  scene.progress.checkpoints.pop_back();
  scene.Generation(v1::GenerationFacts::CREATED).set_binary_sha256("edited");
  EXPECT_EQ(scene.Ask().code, "RUNNER_NOT_OURS");
}

TEST_F(CreateRunnerTest, OffsetsThatMovedWhileNothingRanBlock) {
  ReachCreated();
  scene.CommitVector(7, "");
  EXPECT_EQ(scene.Ask().code, "OFFSETS_MOVED");
}

TEST_F(CreateRunnerTest, FirstOffsetsThatExpiredAreWrittenAgainOnlyByAResume) {
  ReachCreated();
  scene.CommitVector(-1, "");
  EXPECT_EQ(scene.Ask().code, "OFFSETS_MOVED");
  scene.progress.resuming = true;
  EXPECT_EQ(scene.Ask().act, Do::kCommitOffsets);
}

TEST_F(CreateRunnerTest, ReadyNeedsEveryProof) {
  ReachCreated();
  scene.progress.crossed.push_back(Do::kStartGeneration);
  scene.Running();
  scene.progress.checkpoints.push_back(scene.Ask().record);
  ASSERT_EQ(scene.Reached(), v1::Checkpoint::GENERATION_STARTED);
  const Facts good = scene.facts;
  auto waits = [&](auto&& spoil) {
    scene.facts = good;
    spoil(scene.facts, *scene.facts.host.mutable_generations(0)->mutable_status());
    return scene.Ask().kind == Kind::kWait;
  };
  EXPECT_TRUE(waits([](Facts&, v1::RunnerStatus& s) { s.set_state(v1::RunnerStatus::STARTING); }));
  EXPECT_TRUE(waits([](Facts&, v1::RunnerStatus& s) { s.set_plan_sha256("old"); }));
  EXPECT_TRUE(waits([](Facts&, v1::RunnerStatus& s) { s.set_generation_id("old"); }));
  EXPECT_TRUE(waits([](Facts&, v1::RunnerStatus& s) { s.set_pid(78); }));
  EXPECT_TRUE(waits([](Facts& f, v1::RunnerStatus& s) { s.set_updated_at_ms(f.now_ms - 20'000); }));
  EXPECT_TRUE(waits([](Facts& f, v1::RunnerStatus&) { f.group.set_state(v1::GroupFacts::REBALANCING); }));
  EXPECT_TRUE(waits([](Facts& f, v1::RunnerStatus&) { f.group.add_members()->set_member_id("second"); }));
  EXPECT_TRUE(waits([](Facts& f, v1::RunnerStatus&) { f.group.mutable_members(0)->set_member_id("other"); }));
  EXPECT_TRUE(waits([](Facts& f, v1::RunnerStatus&) {
    f.group.mutable_members(0)->mutable_assignments(0)->mutable_partitions()->RemoveLast();
  }));
  scene.facts = good;
  EXPECT_EQ(scene.Ask().record.name(), v1::Checkpoint::ACTION_DONE);
}

TEST_F(CreateRunnerTest, ARunnerWhoseEndNobodyWroteDownIsStartedAgainOnlyByAResume) {
  ReachCreated();
  scene.Ended(v1::RunnerStatus::RUNNING);
  EXPECT_EQ(scene.Settle().code, "RUNNER_FAILED");
  scene.progress.resuming = true;
  EXPECT_EQ(scene.Ask().act, Do::kStartGeneration);
  scene.progress.crossed.push_back(Do::kStartGeneration);
  EXPECT_EQ(scene.Ask().code, "RUNNER_FAILED");
}

TEST_F(CreateRunnerTest, ARunnerThatFailedAndSaidSoIsDeployedAndItsFailureRecorded) {
  ReachCreated();
  scene.Ended(v1::RunnerStatus::FAILED).mutable_status()->set_reason(v1::RunnerStatus::POISON_RECORD);
  scene.facts.group.set_state(v1::GroupFacts::STABLE);
  scene.facts.group.add_members()->set_member_id("member");
  EXPECT_EQ(scene.Settle().kind, Kind::kWait) << "its member has to leave first";
  scene.facts.group.set_state(v1::GroupFacts::EMPTY);
  scene.facts.group.clear_members();
  EXPECT_EQ(scene.Settle().kind, Kind::kDone);
  const v1::Checkpoint& done = scene.progress.checkpoints.back();
  EXPECT_NE(done.failure().find("POISON_RECORD"), std::string::npos);
  EXPECT_TRUE(done.owned().runner().running());
  EXPECT_EQ(done.owned().runner().volume_instance(), scene.facts.host.volumes(0).instance_id());
}

TEST_F(CreateRunnerTest, AnotherBinaryThanTheReviewedOneBlocksUntilTheGenerationIsMade) {
  scene.facts.host.set_runner_sha256("another");
  EXPECT_EQ(scene.Ask().code, "RUNNER_BINARY_CHANGED");
  EXPECT_EQ(LookAhead(scene.action, "cluster", scene.facts).code, "RUNNER_BINARY_CHANGED");
  scene.facts.host.set_runner_sha256("binary");
  ReachCreated();
  scene.facts.host.set_runner_sha256("another");
  EXPECT_EQ(scene.Ask().act, Do::kStartGeneration);
}

TEST_F(CreateRunnerTest, AVolumeThatIsThereBeforeIsNotOurs) {
  v1::VolumeFacts& volume = *scene.facts.host.add_volumes();
  volume.set_detail("it has no label of ours");
  EXPECT_EQ(scene.Ask().code, "VOLUME_NOT_OURS");
  EXPECT_EQ(LookAhead(scene.action, "cluster", scene.facts).code, "VOLUME_NOT_OURS");
}

TEST_F(CreateRunnerTest, OnDockerAnotherNetworkThanTheReviewedOneBlocks) {
  scene.action.mutable_create_runner()->set_network_id("net");
  EXPECT_EQ(scene.Ask().code, "NETWORK_CHANGED");
  scene.facts.host.mutable_network()->set_id("net");
  EXPECT_EQ(scene.Ask().kind, Kind::kRecord);
}

TEST_F(CreateRunnerTest, ALookAheadSeesAllThatThePlanDoesNotMakeItself) {
  scene.action.set_index(1);
  scene.action.mutable_create_runner()->mutable_output()->set_created_by(0);
  scene.facts.output.Clear();
  scene.facts.output.set_name("out");
  scene.facts.output.set_presence(v1::ABSENT);
  EXPECT_NE(LookAhead(scene.action, "cluster", scene.facts).kind, Kind::kBlocked);
  EXPECT_EQ(LookAhead(scene.action, "another", scene.facts).code, "CLUSTER_CHANGED");
  scene.facts.input.set_topic_id("made again");
  const Step step = LookAhead(scene.action, "cluster", scene.facts);
  EXPECT_EQ(step.code, "TOPIC_ID_CHANGED");
  EXPECT_TRUE(step.stale);
}

TEST_F(CreateRunnerTest, ALookAheadDoesNotCountPartitionsOfATopicThatThePlanMakes) {
  scene.action.mutable_create_runner()->mutable_input()->set_created_by(0);
  scene.facts.input.Clear();
  scene.facts.input.set_name("in");
  scene.facts.input.set_presence(v1::ABSENT);
  EXPECT_NE(LookAhead(scene.action, "cluster", scene.facts).kind, Kind::kBlocked);
}

TEST_F(CreateRunnerTest, ATopicMadeByThisOperationIsKnownByItsCheckpoint) {
  scene.action.set_index(1);
  scene.action.mutable_create_runner()->mutable_output()->set_created_by(0);
  EXPECT_EQ(scene.Ask().code, "TOPIC_ID_CHANGED");
  v1::Checkpoint& made = scene.progress.checkpoints.emplace_back();
  made.set_action_index(0);
  made.set_name(v1::Checkpoint::ACTION_DONE);
  made.mutable_owned()->mutable_topic()->set_topic_id("out-id");
  EXPECT_EQ(scene.Ask().kind, Kind::kRecord);
}

TEST_F(CreateRunnerTest, AnotherHostOrTopicBlocks) {
  scene.facts.host.set_host_id("elsewhere");
  EXPECT_EQ(scene.Ask().code, "HOST_CHANGED");
  scene.facts.host.set_host_id("host");
  scene.facts.input.set_topic_id("made again");
  EXPECT_EQ(scene.Ask().code, "TOPIC_ID_CHANGED");
}

TEST_F(CreateRunnerTest, MorePartitionsThanReviewedBlock) {
  scene.facts.input = Topic("in", "in-id", 3);
  EXPECT_EQ(scene.Ask().code, "PARTITIONS_CHANGED");
}

struct OwnedRunnerTest : testing::Test {
  template <typename Runner>
  void Own(Runner* runner) {
    scene.Bind(runner);
    runner->set_generation_id(GenerationId(kOperation, 0));
    for (int i = 0; i < 2; ++i) {
      v1::PartitionOffset& offset = *runner->add_offsets();
      offset.set_partition(i);
      offset.set_offset(10);
    }
    v1::OwnedRunner& prior = *scene.action.mutable_prior()->mutable_runner();
    prior.set_application_id("st.p.e.m");
    prior.set_initialized_partitions(2);
    prior.set_volume_instance("instance");
    prior.add_closed()->set_offset(12);
    scene.facts.host.add_volumes()->set_instance_id("instance");
  }

  Scene scene;
};

struct StartRunnerTest : OwnedRunnerTest {
  StartRunnerTest() {
    Own(scene.action.mutable_start_runner());
    scene.action.mutable_start_runner()->set_runner_sha256("binary");
    scene.Ended(v1::RunnerStatus::CLOSED);
    scene.CommitVector(12, "");
  }
};

TEST_F(StartRunnerTest, StartsTheVeryGenerationAndWaitsUntilItRuns) {
  EXPECT_EQ(scene.Settle().act, Do::kStartGeneration);
  scene.progress.crossed.push_back(Do::kStartGeneration);
  scene.Running();
  EXPECT_EQ(scene.Settle().kind, Kind::kDone);
  EXPECT_TRUE(scene.progress.checkpoints.back().owned().runner().running());
  EXPECT_EQ(scene.progress.checkpoints.back().owned().runner().closed_size(), 0);
}

TEST_F(StartRunnerTest, OffsetsMustBeThereInRangeAndNotBehind) {
  scene.CommitVector(-1, "");
  EXPECT_EQ(scene.Ask().code, "OFFSETS_MISSING");
  scene.CommitVector(51, "");
  EXPECT_EQ(scene.Ask().code, "OFFSETS_OUT_OF_RANGE");
  scene.CommitVector(4, "");
  EXPECT_EQ(scene.Ask().code, "OFFSETS_OUT_OF_RANGE");
  scene.CommitVector(9, "");
  EXPECT_EQ(scene.Ask().code, "OFFSETS_MOVED_BACK");
}

// The input has a third partition, which begins at 0 and has no offset.
TEST_F(StartRunnerTest, OnlyAPartitionThatNobodyReadNeedsNoOffset) {
  v1::TopicFacts::Partition& added = *scene.facts.input.add_partitions();
  added.set_partition(2);
  added.set_end_offset(50);
  v1::OwnedRunner& prior = *scene.action.mutable_prior()->mutable_runner();
  v1::RunnerStatus& status = *scene.facts.host.mutable_generations(0)->mutable_status();
  EXPECT_EQ(scene.Ask().kind, Kind::kRecord);
  added.set_begin_offset(1);
  EXPECT_EQ(scene.Ask().code, "OFFSETS_MISSING");
  added.set_begin_offset(0);
  status.add_partitions()->set_partition(2);
  EXPECT_EQ(scene.Ask().code, "OFFSETS_MISSING");
  status.clear_partitions();
  prior.add_closed()->set_partition(2);
  EXPECT_EQ(scene.Ask().code, "OFFSETS_MISSING");
  prior.clear_closed();
  prior.add_restored()->set_partition(2);
  EXPECT_EQ(scene.Ask().code, "OFFSETS_MISSING");
  prior.clear_restored();
  EXPECT_EQ(scene.Ask().kind, Kind::kRecord);
}

TEST_F(StartRunnerTest, ItsOldMemberIsWaitedFor) {
  scene.facts.group.set_state(v1::GroupFacts::STABLE);
  scene.facts.group.add_members()->set_member_id("member");
  EXPECT_EQ(scene.Ask().kind, Kind::kWait);
}

TEST_F(StartRunnerTest, AfterACleanCloseTheOffsetsAreExactlyThose) {
  v1::OwnedRunner& prior = *scene.action.mutable_prior()->mutable_runner();
  prior.clear_closed();
  for (int i = 0; i < 2; ++i) {
    prior.add_closed()->set_partition(i);
    prior.mutable_closed(i)->set_offset(12);
  }
  EXPECT_EQ(scene.Ask().kind, Kind::kRecord);
  scene.CommitVector(13, "");
  EXPECT_EQ(scene.Ask().code, "OFFSETS_MOVED");
}

// Whichever place was chosen: the start's own offsets are only a lower bound.
TEST_F(StartRunnerTest, AfterARestorationTheOffsetsAreExactlyThose) {
  v1::OwnedRunner& prior = *scene.action.mutable_prior()->mutable_runner();
  prior.clear_closed();
  for (int i = 0; i < 2; ++i) {
    prior.add_restored()->set_partition(i);
    prior.mutable_restored(i)->set_offset(12);
  }
  EXPECT_EQ(scene.Ask().kind, Kind::kRecord);
  scene.CommitVector(13, "");
  EXPECT_EQ(scene.Ask().code, "OFFSETS_MOVED");
}

TEST_F(StartRunnerTest, WhatItStartedMayHaveReadOnBeforeItWasKilled) {
  v1::OwnedRunner& prior = *scene.action.mutable_prior()->mutable_runner();
  prior.clear_closed();
  for (int i = 0; i < 2; ++i) {
    prior.add_closed()->set_partition(i);
    prior.mutable_closed(i)->set_offset(12);
  }
  ASSERT_EQ(scene.Settle().act, Do::kStartGeneration);
  scene.progress.resuming = true;
  v1::RunnerStatus& status = *scene.Ended(v1::RunnerStatus::RUNNING).mutable_status();
  scene.CommitVector(13, "");
  status.set_updated_at_ms(scene.facts.now_ms - 1'000);
  EXPECT_EQ(scene.Ask().code, "OFFSETS_MOVED") << "that status is of an earlier run";
  status.set_updated_at_ms(scene.facts.now_ms + 1'000);
  EXPECT_EQ(scene.Ask().act, Do::kStartGeneration);
  scene.CommitVector(9, "");
  EXPECT_EQ(scene.Ask().code, "OFFSETS_MOVED_BACK");
}

TEST_F(StartRunnerTest, AnotherVolumeBlocks) {
  scene.facts.host.mutable_volumes(0)->set_instance_id("made again");
  EXPECT_EQ(scene.Ask().code, "VOLUME_CHANGED");
  scene.facts.host.clear_volumes();
  EXPECT_EQ(scene.Ask().code, "VOLUME_CHANGED");
}

TEST_F(StartRunnerTest, AnotherGenerationOrBinaryBlocks) {
  scene.facts.host.mutable_generations(0)->set_binary_sha256("edited");
  EXPECT_EQ(scene.Ask().code, "RUNNER_NOT_OURS");
  scene.facts.host.clear_generations();
  EXPECT_EQ(scene.Ask().code, "RUNNER_MISSING");
}

TEST_F(StartRunnerTest, AStartThatEndsWithoutAWordBlocksAndAResumeTriesOnce) {
  scene.Settle();
  scene.progress.crossed.push_back(Do::kStartGeneration);
  scene.Ended(v1::RunnerStatus::RUNNING);
  scene.CommitVector(12, "");
  EXPECT_EQ(scene.Settle().code, "RUNNER_FAILED");
  scene.progress.resuming = true;
  EXPECT_EQ(scene.Ask().act, Do::kStartGeneration);
}

TEST_F(StartRunnerTest, AStartThatFailsAndSaysSoIsDoneAndItsFailureRecorded) {
  scene.facts.now_ms += 10'000;
  scene.Settle();
  scene.progress.crossed.push_back(Do::kStartGeneration);
  v1::RunnerStatus& status = *scene.Ended(v1::RunnerStatus::FAILED).mutable_status();
  status.set_updated_at_ms(scene.facts.now_ms - 5'000);
  scene.CommitVector(12, "");
  EXPECT_EQ(scene.Settle().code, "RUNNER_FAILED") << "that status is of an earlier run";
  status.set_updated_at_ms(scene.facts.now_ms);
  status.set_detail("in[0] at 7");
  EXPECT_EQ(scene.Settle().kind, Kind::kDone);
  EXPECT_NE(scene.progress.checkpoints.back().failure().find("in[0] at 7"), std::string::npos);
}

// Where it was closed, or restored, still holds after a start that came to nothing.
TEST_F(StartRunnerTest, AFailedStartThatReadNothingForgetsNothing) {
  for (const bool assigned : {false, true}) {
    scene.progress = {};
    scene.progress.operation_id = kOperation;
    scene.progress.cluster_id = "cluster";
    scene.action.mutable_prior()->mutable_runner()->add_restored()->set_offset(12);
    scene.Ended(v1::RunnerStatus::CLOSED);
    scene.CommitVector(12, "");
    ASSERT_EQ(scene.Settle().act, Do::kStartGeneration);
    scene.progress.crossed.push_back(Do::kStartGeneration);
    v1::RunnerStatus& status = *scene.Ended(v1::RunnerStatus::FAILED).mutable_status();
    status.set_updated_at_ms(scene.facts.now_ms);
    if (!assigned) status.clear_member_id();
    ASSERT_EQ(scene.Settle().kind, Kind::kDone);
    const v1::OwnedRunner& owned = scene.progress.checkpoints.back().owned().runner();
    EXPECT_EQ(owned.closed().empty(), assigned);
    EXPECT_EQ(owned.restored().empty(), assigned);
    EXPECT_TRUE(owned.running());
  }
}

struct StopRunnerTest : OwnedRunnerTest {
  StopRunnerTest() {
    Own(scene.action.mutable_stop_runner());
    scene.Running();
    scene.facts.group.set_state(v1::GroupFacts::STABLE);
  }
};

TEST_F(StopRunnerTest, StopsOnceAndRecordsTheCleanClose) {
  scene.action.mutable_prior()->mutable_runner()->add_restored()->set_offset(10);
  EXPECT_EQ(scene.Settle().act, Do::kStopGeneration);
  scene.progress.crossed.push_back(Do::kStopGeneration);
  Step step = scene.Ask();
  EXPECT_EQ(step.kind, Kind::kWait);
  scene.Ended(v1::RunnerStatus::CLOSED);
  scene.CommitVector(20, "");
  EXPECT_EQ(scene.Settle().kind, Kind::kDone);
  const v1::OwnedRunner& owned = scene.progress.checkpoints.back().owned().runner();
  EXPECT_FALSE(owned.running());
  ASSERT_EQ(owned.closed_size(), 2);
  EXPECT_EQ(owned.closed(1).offset(), 20);
  EXPECT_TRUE(owned.restored().empty()) << "where it closed is where it goes on";
}

TEST_F(StopRunnerTest, ClosedDoesNotProveThatTheMemberLeft) {
  scene.Settle();
  scene.Ended(v1::RunnerStatus::CLOSED);
  scene.CommitVector(20, "");
  scene.facts.group.set_state(v1::GroupFacts::STABLE);
  scene.facts.group.add_members()->set_member_id("member");
  EXPECT_EQ(scene.Ask().kind, Kind::kWait);
}

TEST_F(StopRunnerTest, AnUncleanEndNeedsAResumeAndHoldsNoVector) {
  scene.Settle();
  scene.Ended(v1::RunnerStatus::RUNNING);
  scene.CommitVector(20, "");
  EXPECT_EQ(scene.Ask().code, "UNCLEAN_END");
  scene.progress.resuming = true;
  EXPECT_EQ(scene.Settle().kind, Kind::kDone);
  EXPECT_EQ(scene.progress.checkpoints.back().owned().runner().closed_size(), 0);
}

TEST_F(StopRunnerTest, ARunnerThatDoesNotStopIsNeverKilled) {
  scene.Settle();
  scene.progress.crossed.push_back(Do::kStopGeneration);
  Step step = scene.Ask();
  scene.facts.now_ms = step.wait_until_ms;
  EXPECT_EQ(scene.Ask().code, "STOP_TIMED_OUT");
  EXPECT_EQ(scene.Ask().kind, Kind::kBlocked);
}

}  // namespace
}  // namespace st::transition
