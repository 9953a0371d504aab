#include "gtest/gtest.h"
#include "lib/transition/scene.h"

namespace st::transition {
namespace {

using Kind = Step::Kind;
using Checkpoint = v1::Checkpoint;

// A runner of two partitions that closed at 20, whose group has no offsets any more.
struct RestoreOffsetsTest : testing::Test {
  RestoreOffsetsTest() {
    v1::RestoreOffsets& restore = *scene.action.mutable_restore_offsets();
    scene.Bind(&restore);
    restore.set_generation_id("g-of-before");
    restore.set_from(v1::RestoreOffsets::CLEAN_CLOSE);
    for (int i = 0; i < 2; ++i) {
      Set(restore.add_offsets(), i, 20);
      Set(restore.add_prior(), i, -1);
      Set(scene.action.mutable_prior()->mutable_runner()->add_closed(), i, 20);
    }
    v1::OwnedRunner& owned = *scene.action.mutable_prior()->mutable_runner();
    owned.set_plan_sha256(kPlanHash);
    owned.set_initialized_partitions(2);
    scene.Ended(v1::RunnerStatus::CLOSED).set_generation_id("g-of-before");
    scene.facts.group.set_state(v1::GroupFacts::NONE);
    scene.facts.group.clear_topics();
  }

  static void Set(v1::PartitionOffset* offset, int partition, int64_t value) {
    offset->set_partition(partition);
    offset->set_offset(value);
    offset->set_leader_epoch(-1);
  }
  void Cross(Do act) {
    const Step step = scene.Settle();
    ASSERT_EQ(step.kind, Kind::kDo) << step.code << ": " << step.text;
    ASSERT_EQ(step.act, act);
    scene.progress.crossed.push_back(act);
  }
  void ExpectBlocked(const char* code) {
    const Step step = scene.Settle();
    EXPECT_EQ(step.kind, Kind::kBlocked);
    EXPECT_EQ(step.code, code) << step.text;
  }

  Scene scene;
};

TEST_F(RestoreOffsetsTest, WritesTheReviewedVectorOnce) {
  Cross(Do::kCommitOffsets);
  ASSERT_EQ(scene.progress.checkpoints.size(), 1);
  EXPECT_EQ(scene.progress.checkpoints[0].name(), Checkpoint::STARTED);
  ASSERT_EQ(scene.progress.checkpoints[0].vector_size(), 2);
  EXPECT_EQ(scene.progress.checkpoints[0].vector(1).offset(), 20);
  EXPECT_EQ(scene.Ask().kind, Kind::kWait);
  scene.CommitVector(20, kOperation);
  EXPECT_EQ(scene.Settle().kind, Kind::kDone);
  const v1::OwnedRunner& owned = scene.progress.checkpoints[1].owned().runner();
  EXPECT_EQ(owned.closed_size(), 2);
  EXPECT_EQ(owned.restored_size(), 2);
}

TEST_F(RestoreOffsetsTest, AChosenPlaceIsNoCleanClose) {
  scene.action.mutable_restore_offsets()->set_from(v1::RestoreOffsets::EARLIEST);
  Cross(Do::kCommitOffsets);
  scene.CommitVector(20, kOperation);
  EXPECT_EQ(scene.Settle().kind, Kind::kDone);
  EXPECT_TRUE(scene.progress.checkpoints[1].owned().runner().closed().empty());
}

TEST_F(RestoreOffsetsTest, AResumeWritesWhatWasNotWritten) {
  Cross(Do::kCommitOffsets);
  scene.progress.crossed.clear();
  scene.progress.resuming = true;
  Cross(Do::kCommitOffsets);
}

TEST_F(RestoreOffsetsTest, OnlyOverWhatWasReviewed) {
  for (v1::PartitionOffset& prior : *scene.action.mutable_restore_offsets()->mutable_prior()) prior.set_offset(2);
  ExpectBlocked("OFFSETS_MOVED");
  scene.CommitVector(2, "");
  Cross(Do::kCommitOffsets);
}

// The same numbers by another hand are not this operation's.
TEST_F(RestoreOffsetsTest, SomebodyElsesOffsetsStay) {
  scene.CommitVector(20, "");
  ExpectBlocked("OFFSETS_MOVED");
  scene.facts.group.clear_topics();
  Cross(Do::kCommitOffsets);
  scene.CommitVector(20, "another operation");
  ExpectBlocked("OFFSETS_MOVED");
}

TEST_F(RestoreOffsetsTest, NeverIntoAGroupThatIsInUse) {
  scene.facts.group.set_state(v1::GroupFacts::STABLE);
  scene.facts.group.add_members()->set_member_id("somebody");
  EXPECT_EQ(scene.Settle().kind, Kind::kWait);
  scene.facts.now_ms += 100'000;
  ExpectBlocked("GROUP_ACTIVE");
}

TEST_F(RestoreOffsetsTest, NeverOutsideOfTheLog) {
  scene.facts.input.mutable_partitions(1)->set_begin_offset(21);
  const Step step = scene.Settle();
  EXPECT_EQ(step.code, "OFFSETS_OUT_OF_RANGE");
  EXPECT_TRUE(step.stale);
}

TEST_F(RestoreOffsetsTest, NeverUnderItsRunner) {
  scene.facts.host.mutable_generations(0)->set_state(v1::GenerationFacts::RUNNING);
  const Step step = scene.Settle();
  EXPECT_EQ(step.code, "RUNNER_RUNS_AGAIN");
  EXPECT_TRUE(step.stale);
}

TEST_F(RestoreOffsetsTest, OnTheReviewedTopicAlone) {
  scene.facts.input.set_topic_id("made again");
  ExpectBlocked("TOPIC_ID_CHANGED");
}

}  // namespace
}  // namespace st::transition
