#include <functional>
#include <vector>

#include "gtest/gtest.h"
#include "lib/transition/scene.h"

namespace st::transition {
namespace {

using Kind = Step::Kind;
using Checkpoint = v1::Checkpoint;

constexpr char kOld[] = "g-of-before";
constexpr char kOldHash[] = "oldhash";

struct ReplaceRunnerTest : testing::Test {
  ReplaceRunnerTest() {
    v1::ReplaceRunner& replace = *scene.action.mutable_replace_runner();
    scene.Bind(&replace);
    replace.set_generation_id(kOld);
    replace.set_input_partitions(2);
    replace.set_runner_sha256("new-binary");
    replace.set_running(true);
    for (int i = 0; i < 2; ++i) {
      v1::PartitionOffset& offset = *replace.add_offsets();
      offset.set_partition(i);
      offset.set_offset(10);
    }
    v1::OwnedRunner& prior = *scene.action.mutable_prior()->mutable_runner();
    prior.set_application_id("st.p.e.m");
    prior.set_plan_sha256(kOldHash);
    prior.set_runner_sha256("binary");
    prior.set_generation_id(kOld);
    prior.set_initialized_partitions(1);
    prior.set_volume_instance("instance");
    prior.set_running(true);
    prior.add_initial()->set_offset(5);
    scene.facts.host.add_volumes()->set_instance_id("instance");
    scene.facts.host.set_runner_sha256("new-binary");
    OldRuns();
  }

  v1::GenerationFacts& Age(v1::GenerationFacts& generation) {
    generation.set_generation_id(kOld);
    generation.set_operation_id("an operation before");
    generation.set_plan_sha256(kOldHash);
    generation.mutable_status()->set_generation_id(kOld);
    generation.mutable_status()->set_plan_sha256(kOldHash);
    return generation;
  }
  v1::GenerationFacts& OldRuns(int64_t offset = 12) {
    scene.CommitVector(offset, "");
    return Age(scene.Running());
  }
  v1::GenerationFacts& OldEnded(v1::RunnerStatus::State last, int64_t offset = 20) {
    scene.CommitVector(offset, "");
    return Age(scene.Ended(last));
  }
  v1::GenerationFacts& NewIs(v1::GenerationFacts::State state) {
    v1::GenerationFacts& generation = scene.Generation(state);
    generation.set_binary_sha256("new-binary");
    return generation;
  }
  void NewRuns() { scene.Running().set_binary_sha256("new-binary"); }
  void Cross(Do act) { scene.progress.crossed.push_back(act); }
  v1::GenerationFacts& Found() { return *scene.facts.host.mutable_generations(0); }

  // The world as it stands when that checkpoint was just reached, undisturbed.
  void Reach(Checkpoint::Name name) {
    for (const auto& [reached, next] : std::vector<std::pair<Checkpoint::Name, std::function<void()>>>{
             {Checkpoint::STARTED, [] {}},
             {Checkpoint::GENERATION_CLOSED, [this] { OldEnded(v1::RunnerStatus::CLOSED); }},
             {Checkpoint::GENERATION_REMOVED, [this] { scene.facts.host.clear_generations(); }},
             {Checkpoint::GENERATION_CREATED, [this] { NewIs(v1::GenerationFacts::CREATED); }},
             {Checkpoint::GENERATION_STARTED, [this] { NewRuns(); }}}) {
      next();
      Step step = scene.Ask();
      ASSERT_EQ(step.kind, Kind::kRecord) << step.code << ": " << step.text;
      ASSERT_EQ(step.record.name(), reached);
      step.record.set_at_ms(scene.facts.now_ms);
      scene.progress.checkpoints.push_back(std::move(step.record));
      scene.progress.crossed.clear();
      if (reached == name) return;
    }
  }

  Scene scene;
};

TEST_F(ReplaceRunnerTest, GoesThroughEveryCheckpointInOrder) {
  EXPECT_EQ(scene.Settle().act, Do::kStopGeneration);
  Cross(Do::kStopGeneration);
  EXPECT_EQ(scene.Ask().kind, Kind::kWait);
  OldEnded(v1::RunnerStatus::CLOSED).set_exit_code_known(true);
  EXPECT_EQ(scene.Settle().act, Do::kRemoveGeneration);
  const Checkpoint closed = scene.progress.checkpoints.back();
  ASSERT_EQ(closed.name(), Checkpoint::GENERATION_CLOSED);
  EXPECT_EQ(closed.vector(1).offset(), 20);
  EXPECT_TRUE(closed.exit_code_known());
  EXPECT_EQ(closed.unclean(), "");
  Cross(Do::kRemoveGeneration);
  EXPECT_EQ(scene.Ask().kind, Kind::kWait);
  scene.facts.host.clear_generations();
  EXPECT_EQ(scene.Settle().act, Do::kCreateGeneration);
  EXPECT_EQ(scene.progress.checkpoints.back().generation_id(), kOld);
  NewIs(v1::GenerationFacts::CREATED);
  EXPECT_EQ(scene.Settle().act, Do::kStartGeneration);
  Cross(Do::kStartGeneration);
  NewRuns();
  EXPECT_EQ(scene.Settle().kind, Kind::kDone);
  std::vector<Checkpoint::Name> names;
  for (const Checkpoint& checkpoint : scene.progress.checkpoints) names.push_back(checkpoint.name());
  EXPECT_EQ(names, (std::vector<Checkpoint::Name>{Checkpoint::STARTED, Checkpoint::GENERATION_CLOSED,
                                                  Checkpoint::GENERATION_REMOVED, Checkpoint::GENERATION_CREATED,
                                                  Checkpoint::GENERATION_STARTED, Checkpoint::ACTION_DONE}));
  const v1::OwnedRunner& owned = scene.progress.checkpoints.back().owned().runner();
  EXPECT_EQ(owned.generation_id(), GenerationId(kOperation, 0));
  EXPECT_EQ(owned.plan_sha256(), kPlanHash);
  EXPECT_EQ(owned.runner_sha256(), "new-binary");
  EXPECT_EQ(owned.volume_instance(), "instance");
  EXPECT_EQ(owned.initialized_partitions(), 2u);
  EXPECT_EQ(owned.initial_size(), 1);
  EXPECT_EQ(owned.closed_size(), 0);
  EXPECT_TRUE(owned.running());
}

TEST_F(ReplaceRunnerTest, OffsetsThatMovedOnSinceTheReviewAreFineThoseThatMovedBackAreNot) {
  OldRuns(10);
  EXPECT_EQ(scene.Ask().kind, Kind::kRecord);
  OldRuns(9);
  EXPECT_EQ(scene.Ask().code, "OFFSETS_MOVED_BACK");
}

// One fact that is spoiled at one checkpoint, and what is said then, at once or past every bound.
struct SpoiledCase {
  Checkpoint::Name reached;
  const char* what;
  void (*spoil)(ReplaceRunnerTest&);
  const char* code;
};

class SpoiledTest : public ReplaceRunnerTest, public testing::WithParamInterface<SpoiledCase> {};

TEST_P(SpoiledTest, IsBlockedAndNothingIsCrossed) {
  if (GetParam().reached != Checkpoint::NAME_UNSPECIFIED) Reach(GetParam().reached);
  GetParam().spoil(*this);
  Step step = scene.Ask();
  if (step.kind == Kind::kWait) {
    scene.facts.now_ms = step.wait_until_ms;
    step = scene.Ask();
  }
  EXPECT_EQ(step.kind, Kind::kBlocked);
  EXPECT_EQ(step.code, GetParam().code) << step.text;
}

void AnotherMember(ReplaceRunnerTest& t) {
  t.scene.facts.group.set_state(v1::GroupFacts::STABLE);
  t.scene.facts.group.add_members()->set_member_id("stranger");
}
void AnotherGeneration(ReplaceRunnerTest& t) {
  v1::GenerationFacts& other = *t.scene.facts.host.add_generations();
  other.set_application_id("st.p.e.m");
  other.set_generation_id("g-stranger");
}
void Renamed(ReplaceRunnerTest& t) { t.Found().set_generation_id("g-renamed"); }
void Gone(ReplaceRunnerTest& t) { t.scene.facts.host.clear_generations(); }
void VolumeAgain(ReplaceRunnerTest& t) { t.scene.facts.host.mutable_volumes(0)->set_instance_id("made again"); }
void VolumeGone(ReplaceRunnerTest& t) { t.scene.facts.host.clear_volumes(); }
void TopicAgain(ReplaceRunnerTest& t) { t.scene.facts.output.set_topic_id("made again"); }
void InputAgain(ReplaceRunnerTest& t) { t.scene.facts.input.set_topic_id("made again"); }
void OtherCluster(ReplaceRunnerTest& t) { t.scene.facts.cluster.set_cluster_id("another"); }
void OtherHost(ReplaceRunnerTest& t) { t.scene.facts.host.set_host_id("another"); }
void NoBinary(ReplaceRunnerTest& t) { t.scene.facts.host.set_runner_sha256("another"); }
void NoNetwork(ReplaceRunnerTest& t) { t.scene.facts.host.mutable_network()->set_id("another"); }
void NoOffsets(ReplaceRunnerTest& t) {
  for (auto& offset : *t.scene.facts.group.mutable_topics(0)->mutable_offsets()) offset.set_offset(-1);
}
void OutOfRange(ReplaceRunnerTest& t) { t.scene.facts.input.mutable_partitions(1)->set_begin_offset(30); }
void Moved(ReplaceRunnerTest& t) { t.scene.facts.group.mutable_topics(0)->mutable_offsets(1)->set_offset(21); }
void Unstable(ReplaceRunnerTest& t) { t.scene.facts.group.mutable_topics(0)->mutable_offsets(1)->set_unstable(true); }
void Invisible(ReplaceRunnerTest& t) { t.scene.facts.group.set_state(v1::GroupFacts::INVISIBLE); }
void PlanEdited(ReplaceRunnerTest& t) { t.Found().set_plan_sha256("edited"); }
void BinaryEdited(ReplaceRunnerTest& t) { t.Found().set_binary_sha256("edited"); }
void StaleStatus(ReplaceRunnerTest& t) { t.Found().mutable_status()->set_updated_at_ms(t.scene.facts.now_ms - 20'000); }
void Killed(ReplaceRunnerTest& t) { t.OldEnded(v1::RunnerStatus::RUNNING); }
void Failed(ReplaceRunnerTest& t) { t.OldEnded(v1::RunnerStatus::FAILED); }
void ClosedButKilled(ReplaceRunnerTest& t) {
  v1::GenerationFacts& old = t.OldEnded(v1::RunnerStatus::CLOSED);
  old.set_exit_code_known(true);
  old.set_exit_code(137);
}
void ClosedButOutOfMemory(ReplaceRunnerTest& t) { t.OldEnded(v1::RunnerStatus::CLOSED).set_out_of_memory(true); }
void ClosedByAnother(ReplaceRunnerTest& t) {
  t.OldEnded(v1::RunnerStatus::CLOSED).mutable_status()->set_generation_id("g-another");
}
void ClosedOnAnotherPlan(ReplaceRunnerTest& t) {
  t.OldEnded(v1::RunnerStatus::CLOSED).mutable_status()->set_plan_sha256("another");
}
void ClosedBehind(ReplaceRunnerTest& t) { t.OldEnded(v1::RunnerStatus::CLOSED, 9); }
void NeverStops(ReplaceRunnerTest& t) { t.Cross(Do::kStopGeneration); }
void NeverGone(ReplaceRunnerTest& t) { t.Cross(Do::kRemoveGeneration); }
void RunsAgain(ReplaceRunnerTest& t) { t.OldRuns(); }
void CandidateStarted(ReplaceRunnerTest& t) { t.NewIs(v1::GenerationFacts::EXITED); }
void CandidateOfAnotherOperation(ReplaceRunnerTest& t) {
  t.NewIs(v1::GenerationFacts::CREATED).set_operation_id("another");
}
void CandidateOfAnotherVolume(ReplaceRunnerTest& t) {
  t.NewIs(v1::GenerationFacts::CREATED).set_volume_instance("another");
}
void CandidateOfAnotherPlan(ReplaceRunnerTest& t) { t.NewIs(v1::GenerationFacts::CREATED).set_plan_sha256(kOldHash); }
void CandidateEnded(ReplaceRunnerTest& t) { t.scene.Ended(v1::RunnerStatus::RUNNING).set_binary_sha256("new-binary"); }
void CandidateBehind(ReplaceRunnerTest& t) {
  t.scene.facts.group.mutable_topics(0)->mutable_offsets(0)->set_offset(19);
}

constexpr Checkpoint::Name kIntent = Checkpoint::NAME_UNSPECIFIED;
constexpr Checkpoint::Name kStarted = Checkpoint::STARTED;
constexpr Checkpoint::Name kClosed = Checkpoint::GENERATION_CLOSED;
constexpr Checkpoint::Name kRemoved = Checkpoint::GENERATION_REMOVED;
constexpr Checkpoint::Name kCreated = Checkpoint::GENERATION_CREATED;
constexpr Checkpoint::Name kReady = Checkpoint::GENERATION_STARTED;

const SpoiledCase kSpoiled[] = {
    {kIntent, "another generation", AnotherGeneration, "RUNNER_NOT_OURS"},
    {kIntent, "renamed", Renamed, "RUNNER_NOT_OURS"},
    {kIntent, "gone", Gone, "RUNNER_MISSING"},
    {kIntent, "plan edited", PlanEdited, "RUNNER_PLAN_CHANGED"},
    {kIntent, "binary edited", BinaryEdited, "RUNNER_NOT_OURS"},
    {kIntent, "volume made again", VolumeAgain, "VOLUME_CHANGED"},
    {kIntent, "volume gone", VolumeGone, "VOLUME_CHANGED"},
    {kIntent, "output made again", TopicAgain, "TOPIC_ID_CHANGED"},
    {kIntent, "input made again", InputAgain, "TOPIC_ID_CHANGED"},
    {kIntent, "another cluster", OtherCluster, "CLUSTER_CHANGED"},
    {kIntent, "another host", OtherHost, "HOST_CHANGED"},
    {kIntent, "another installation", NoBinary, "RUNNER_BINARY_CHANGED"},
    {kIntent, "another network", NoNetwork, "NETWORK_CHANGED"},
    {kIntent, "no offsets", NoOffsets, "OFFSETS_MISSING"},
    {kIntent, "out of range", OutOfRange, "OFFSETS_OUT_OF_RANGE"},
    {kIntent, "unstable", Unstable, "OFFSETS_UNSTABLE"},
    {kIntent, "invisible", Invisible, "NOT_VISIBLE"},
    {kIntent, "stale status", StaleStatus, "RUNNER_NOT_READY"},
    {kIntent, "an extra member", AnotherMember, "RUNNER_NOT_READY"},
    {kStarted, "another generation", AnotherGeneration, "RUNNER_NOT_OURS"},
    {kStarted, "renamed", Renamed, "RUNNER_NOT_OURS"},
    {kStarted, "volume made again", VolumeAgain, "VOLUME_CHANGED"},
    {kStarted, "output made again", TopicAgain, "TOPIC_ID_CHANGED"},
    {kStarted, "it never stops", NeverStops, "STOP_TIMED_OUT"},
    {kStarted, "killed", Killed, "UNCLEAN_END"},
    {kStarted, "failed", Failed, "UNCLEAN_END"},
    {kStarted, "closed, and killed then", ClosedButKilled, "UNCLEAN_END"},
    {kStarted, "closed, and out of memory", ClosedButOutOfMemory, "UNCLEAN_END"},
    {kStarted, "the close of another generation", ClosedByAnother, "UNCLEAN_END"},
    {kStarted, "the close of another plan", ClosedOnAnotherPlan, "UNCLEAN_END"},
    {kStarted, "closed behind the review", ClosedBehind, "OFFSETS_MOVED_BACK"},
    {kClosed, "another generation", AnotherGeneration, "RUNNER_NOT_OURS"},
    {kClosed, "renamed", Renamed, "RUNNER_NOT_OURS"},
    {kClosed, "plan edited", PlanEdited, "RUNNER_PLAN_CHANGED"},
    {kClosed, "binary edited", BinaryEdited, "RUNNER_NOT_OURS"},
    {kClosed, "volume gone", VolumeGone, "VOLUME_CHANGED"},
    {kClosed, "offsets moved", Moved, "OFFSETS_MOVED"},
    {kClosed, "no offsets", NoOffsets, "OFFSETS_MISSING"},
    {kClosed, "out of range", OutOfRange, "OFFSETS_OUT_OF_RANGE"},
    {kClosed, "a member", AnotherMember, "GROUP_ACTIVE"},
    {kClosed, "it runs again", RunsAgain, "RUNNER_RUNS_AGAIN"},
    {kClosed, "it never goes", NeverGone, "REMOVAL_NOT_SEEN"},
    {kRemoved, "another generation", AnotherGeneration, "RUNNER_NOT_OURS"},
    {kRemoved, "volume made again", VolumeAgain, "VOLUME_CHANGED"},
    {kRemoved, "offsets moved", Moved, "OFFSETS_MOVED"},
    {kRemoved, "no offsets", NoOffsets, "OFFSETS_MISSING"},
    {kRemoved, "a member", AnotherMember, "GROUP_ACTIVE"},
    {kRemoved, "another installation", NoBinary, "RUNNER_BINARY_CHANGED"},
    {kRemoved, "ours, and started", CandidateStarted, "RUNNER_NOT_OURS"},
    {kRemoved, "of another operation", CandidateOfAnotherOperation, "RUNNER_NOT_OURS"},
    {kRemoved, "on another volume", CandidateOfAnotherVolume, "RUNNER_NOT_OURS"},
    {kRemoved, "of another plan", CandidateOfAnotherPlan, "RUNNER_PLAN_CHANGED"},
    {kCreated, "another generation", AnotherGeneration, "RUNNER_NOT_OURS"},
    {kCreated, "gone", Gone, "RUNNER_MISSING"},
    {kCreated, "plan edited", PlanEdited, "RUNNER_PLAN_CHANGED"},
    {kCreated, "volume made again", VolumeAgain, "VOLUME_CHANGED"},
    {kCreated, "offsets moved", Moved, "OFFSETS_MOVED"},
    {kCreated, "a member", AnotherMember, "GROUP_ACTIVE"},
    {kReady, "stale status", StaleStatus, "RUNNER_NOT_READY"},
    {kReady, "an extra member", AnotherMember, "RUNNER_NOT_READY"},
    {kReady, "ended without a word", CandidateEnded, "RUNNER_FAILED"},
    {kReady, "offsets behind the close", CandidateBehind, "OFFSETS_MOVED_BACK"},
};

INSTANTIATE_TEST_SUITE_P(All, SpoiledTest, testing::ValuesIn(kSpoiled), [](const auto& which) {
  std::string name = Checkpoint::Name_Name(which.param.reached) + "_" + which.param.what;
  for (char& c : name) {
    if (c == ' ' || c == ',') c = '_';
  }
  return name;
});

TEST_F(ReplaceRunnerTest, AnotherBinaryNoLongerMattersOnceTheNewOneIsMade) {
  Reach(kCreated);
  NoBinary(*this);
  EXPECT_EQ(scene.Ask().act, Do::kStartGeneration);
}

TEST_F(ReplaceRunnerTest, ARunnerThatClosedBeforeItWasToldToIsReplaced) {
  OldEnded(v1::RunnerStatus::CLOSED);
  EXPECT_EQ(scene.Settle().act, Do::kRemoveGeneration);
  EXPECT_EQ(scene.progress.checkpoints.back().unclean(), "");
}

// What the review did not see is gone on from only when asked to, and it stays on record.
TEST_F(ReplaceRunnerTest, AnUncleanEndNeedsAResumeAndIsMarked) {
  for (auto end : {Killed, Failed, ClosedButKilled, ClosedButOutOfMemory}) {
    scene.progress = Scene().progress;
    OldRuns();
    Reach(kStarted);
    end(*this);
    EXPECT_EQ(scene.Ask().code, "UNCLEAN_END");
    scene.progress.resuming = true;
    EXPECT_EQ(scene.Settle().act, Do::kRemoveGeneration);
    EXPECT_NE(scene.progress.checkpoints.back().unclean(), "");
    EXPECT_EQ(scene.progress.checkpoints.back().vector(0).offset(), 20);
  }
}

TEST_F(ReplaceRunnerTest, AnEndThatWasReviewedNeedsNoResume) {
  scene.action.mutable_replace_runner()->set_ended(true);
  OldEnded(v1::RunnerStatus::FAILED);
  EXPECT_EQ(scene.Settle().act, Do::kRemoveGeneration);
  EXPECT_NE(scene.progress.checkpoints.back().unclean(), "");
}

TEST_F(ReplaceRunnerTest, OneThatWasReviewedAsEndedAndRunsAgainIsAnotherThing) {
  scene.action.mutable_replace_runner()->set_ended(true);
  EXPECT_EQ(scene.Ask().code, "RUNNER_RUNS_AGAIN");
  EXPECT_TRUE(LookAhead(scene.action, "cluster", scene.facts).stale);
  OldEnded(v1::RunnerStatus::FAILED);
  Reach(kStarted);
  OldRuns();
  EXPECT_EQ(scene.Ask().act, Do::kStopGeneration);
  Cross(Do::kStopGeneration);
  Killed(*this);
  EXPECT_EQ(scene.Ask().code, "UNCLEAN_END");
}

TEST_F(ReplaceRunnerTest, AStoppedOneMustStandWhereItClosedOrWasRestored) {
  v1::OwnedRunner& prior = *scene.action.mutable_prior()->mutable_runner();
  prior.set_running(false);
  scene.action.mutable_replace_runner()->set_ended(true);
  for (auto* stands : {prior.mutable_closed(), prior.mutable_restored()}) {
    prior.clear_closed();
    prior.clear_restored();
    scene.progress.checkpoints.clear();
    for (int i = 0; i < 2; ++i) {
      v1::PartitionOffset& offset = *stands->Add();
      offset.set_partition(i);
      offset.set_offset(20);
    }
    OldEnded(v1::RunnerStatus::CLOSED, 21);
    EXPECT_EQ(scene.Ask().code, "OFFSETS_MOVED");
    OldEnded(v1::RunnerStatus::CLOSED, 20);
    EXPECT_EQ(scene.Settle().act, Do::kRemoveGeneration);
  }
}

TEST_F(ReplaceRunnerTest, WhatIsDeclaredAsNotRunningIsMadeAndNotStarted) {
  scene.action.mutable_replace_runner()->set_running(false);
  Reach(kCreated);
  EXPECT_EQ(scene.Settle().kind, Kind::kDone);
  const v1::OwnedRunner& owned = scene.progress.checkpoints.back().owned().runner();
  EXPECT_FALSE(owned.running());
  ASSERT_EQ(owned.closed_size(), 2);
  EXPECT_EQ(owned.closed(1).offset(), 20);
}

TEST_F(ReplaceRunnerTest, WhatIsNotToRunAndWasStartedBlocks) {
  scene.action.mutable_replace_runner()->set_running(false);
  Reach(kCreated);
  NewRuns();
  EXPECT_EQ(scene.Ask().code, "RUNNER_NOT_OURS");
}

TEST_F(ReplaceRunnerTest, OneThatNeverRanIsReplacedLikeAStoppedOne) {
  OldEnded(v1::RunnerStatus::CLOSED).set_state(v1::GenerationFacts::CREATED);
  Found().clear_status();
  EXPECT_EQ(scene.Settle().act, Do::kRemoveGeneration);
  EXPECT_EQ(scene.progress.checkpoints.back().unclean(), "");
}

TEST_F(ReplaceRunnerTest, AStopThatWasCutOffIsGivenAgainByAResume) {
  Reach(kStarted);
  scene.progress.resuming = true;
  EXPECT_EQ(scene.Ask().act, Do::kStopGeneration);
}

TEST_F(ReplaceRunnerTest, AnOldOneThatWasStartedAgainIsClosedAgainByAResume) {
  Reach(kClosed);
  RunsAgain(*this);
  EXPECT_EQ(scene.Ask().code, "RUNNER_RUNS_AGAIN");
  scene.progress.resuming = true;
  EXPECT_EQ(scene.Ask().act, Do::kStopGeneration);
  Cross(Do::kStopGeneration);
  scene.facts.now_ms += 5'000;
  OldEnded(v1::RunnerStatus::CLOSED, 25);
  EXPECT_EQ(scene.Settle().act, Do::kRemoveGeneration);
  EXPECT_EQ(scene.progress.checkpoints.back().vector(0).offset(), 25);
  Moved(*this);
  EXPECT_EQ(scene.Ask().code, "OFFSETS_MOVED") << "nothing ran since: no resume explains that";
}

TEST_F(ReplaceRunnerTest, ARemovalWhoseAnswerWasLostIsSeenByItsEffect) {
  Reach(kClosed);
  Gone(*this);
  EXPECT_EQ(scene.Settle().act, Do::kCreateGeneration);
}

TEST_F(ReplaceRunnerTest, ACreateWhoseAnswerWasLostIsTakenForOurs) {
  Reach(kRemoved);
  NewIs(v1::GenerationFacts::CREATED);
  EXPECT_EQ(scene.Settle().act, Do::kStartGeneration);
}

TEST_F(ReplaceRunnerTest, ANewOneThatEndedWithoutAWordIsStartedOnceMoreByAResume) {
  Reach(kReady);
  CandidateEnded(*this);
  EXPECT_EQ(scene.Ask().code, "RUNNER_FAILED");
  scene.progress.resuming = true;
  CandidateBehind(*this);
  EXPECT_EQ(scene.Ask().code, "OFFSETS_MOVED_BACK");
  scene.CommitVector(22, "");
  EXPECT_EQ(scene.Ask().act, Do::kStartGeneration);
  Cross(Do::kStartGeneration);
  EXPECT_EQ(scene.Ask().code, "RUNNER_FAILED");
}

TEST_F(ReplaceRunnerTest, ANewOneThatFailsAndSaysSoIsDeployedAndItsFailureRecorded) {
  Reach(kCreated);
  scene.Ended(v1::RunnerStatus::FAILED).set_binary_sha256("new-binary");
  EXPECT_EQ(scene.Settle().kind, Kind::kDone);
  EXPECT_NE(scene.progress.checkpoints.back().failure(), "");
  EXPECT_TRUE(scene.progress.checkpoints.back().owned().runner().running());
}

TEST_F(ReplaceRunnerTest, ALookAheadSeesTheFirstRow) {
  EXPECT_NE(LookAhead(scene.action, "cluster", scene.facts).kind, Kind::kBlocked);
  OldRuns(9);
  EXPECT_EQ(LookAhead(scene.action, "cluster", scene.facts).code, "OFFSETS_MOVED_BACK");
}

}  // namespace
}  // namespace st::transition
