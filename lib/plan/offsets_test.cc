// What the plan says when a runner has ended and its group lost its offsets, or its input got more partitions.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/diag/diag.h"
#include "lib/plan/plan.h"
#include "lib/plan/scene.h"

namespace st::plan {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using From = v1::RestoreOffsets::From;

std::vector<std::string> Codes(const v1::Plan& plan) {
  std::vector<std::string> codes;
  for (const v1::Blocker& blocker : plan.blockers()) codes.push_back(blocker.code());
  return codes;
}

// What the plan says of an input that got more partitions.
std::string Growth(const v1::Plan& plan) {
  for (const v1::PlanWarning& warning : plan.warnings()) {
    if (warning.code() == "PARTITIONS_GROWN") return warning.text();
  }
  return "";
}

std::vector<int64_t> Values(const google::protobuf::RepeatedPtrField<v1::PartitionOffset>& offsets) {
  std::vector<int64_t> values;
  for (const v1::PartitionOffset& offset : offsets) values.push_back(offset.offset());
  return values;
}

// `late` reads two partitions of raw.v1, each with a log from 0 to 100; it ended at 50 and is declared as running.
class LostOffsets : public testing::Test {
 protected:
  LostOffsets() {
    scene.Deploy();
    End(v1::RunnerStatus::CLOSED);
    for (int i = 0; i < 2; ++i) {
      v1::PartitionOffset& closed = *Owned().add_closed();
      closed.set_partition(i);
      closed.set_offset(50);
    }
    Owned().set_running(false);
    scene.Group("st.p.e.late").clear_topics();
  }

  void End(v1::RunnerStatus::State last) {
    scene.End("late", last);
    v1::RunnerStatus& status = *scene.Generation("late").mutable_status();
    status.clear_partitions();
    for (int i = 0; i < 2; ++i) {
      v1::RunnerStatus::Partition& partition = *status.add_partitions();
      partition.set_partition(i);
      partition.set_committed(50);
    }
  }
  v1::OwnedRunner& Owned() { return *scene.Owned("st://p/e/model/late").mutable_runner(); }
  void Begin(int64_t offset) {
    for (auto& partition : *scene.Facts("raw.v1").mutable_partitions()) partition.set_begin_offset(offset);
  }
  // Of RESTORE_OFFSETS and START_RUNNER after it.
  v1::RestoreOffsets Restored() {
    const v1::Plan plan = scene.Plan();
    EXPECT_THAT(Codes(plan), IsEmpty());
    if (plan.actions_size() != 2 || !plan.actions(0).has_restore_offsets() || !plan.actions(1).has_start_runner()) {
      ADD_FAILURE() << Summary(plan);
      return {};
    }
    const v1::StartRunner& start = plan.actions(1).start_runner();
    EXPECT_TRUE(start.offsets_restored());
    EXPECT_EQ(Values(start.offsets()), Values(plan.actions(0).restore_offsets().offsets()));
    reason = plan.actions(0).reason();
    start_prior = plan.actions(1).prior().runner();
    return plan.actions(0).restore_offsets();
  }

  Scene scene;
  std::string reason;
  v1::OwnedRunner start_prior;
};

TEST_F(LostOffsets, AreRestoredFromACleanClose) {
  const v1::RestoreOffsets restore = Restored();
  EXPECT_EQ(restore.from(), v1::RestoreOffsets::CLEAN_CLOSE);
  EXPECT_THAT(Values(restore.offsets()), ElementsAre(50, 50));
  EXPECT_THAT(Values(restore.prior()), ElementsAre(-1, -1));
  EXPECT_THAT(reason, HasSubstr("where it closed cleanly"));
  EXPECT_EQ(start_prior.closed_size(), 2);
}

TEST_F(LostOffsets, AreNotGuessedAfterAnUncleanEnd) {
  End(v1::RunnerStatus::RUNNING);
  const v1::Plan plan = scene.Plan();
  ASSERT_THAT(Codes(plan), ElementsAre("OFFSETS_MISSING"));
  EXPECT_THAT(plan.actions(), IsEmpty());
  const std::string& way_out = plan.blockers(0).way_out();
  EXPECT_THAT(way_out, HasSubstr("--start-at late=earliest reads the 200 records that are there, 100 of them for the "
                                 "second time"));
  EXPECT_THAT(way_out, HasSubstr("--start-at late=latest misses 100 records"));
  EXPECT_THAT(way_out, HasSubstr("--start-at late=last-status reads again what it committed after its last status"));
}

TEST_F(LostOffsets, StateAndStatusHaveToAgree) {
  Owned().mutable_closed(1)->set_offset(49);
  EXPECT_THAT(Codes(scene.Plan()), ElementsAre("OFFSETS_MISSING"));
  Owned().clear_closed();
  EXPECT_THAT(Codes(scene.Plan()), ElementsAre("OFFSETS_MISSING"));
}

TEST_F(LostOffsets, ACleanCloseThatTheLogDoesNotReachIsNone) {
  Begin(60);
  const v1::Plan plan = scene.Plan();
  ASSERT_THAT(Codes(plan), ElementsAre("OFFSETS_MISSING"));
  const std::string& way_out = plan.blockers(0).way_out();
  EXPECT_THAT(way_out, HasSubstr("=earliest reads the 80 records that are there, 0 of them for the second time; 20 "
                                 "records before them were deleted unread"));
  EXPECT_THAT(way_out, HasSubstr("=latest misses 80 records; 20 records"));
  EXPECT_THAT(way_out, Not(HasSubstr("last-status")));
  // A place that is not there is not one either.
  scene.start_at = {{"late", v1::RestoreOffsets::LAST_STATUS}};
  EXPECT_THAT(Codes(scene.Plan()), ElementsAre("OFFSETS_MISSING"));
}

TEST_F(LostOffsets, GoOnWhereAPersonChose) {
  End(v1::RunnerStatus::RUNNING);
  const struct {
    From from;
    int64_t offset;
    const char* words;
  } cases[] = {{v1::RestoreOffsets::EARLIEST, 0, "at earliest, as chosen: this reads the 200"},
               {v1::RestoreOffsets::LATEST, 100, "at latest, as chosen: this misses 100"},
               {v1::RestoreOffsets::LAST_STATUS, 50, "at last-status, as chosen"}};
  for (const auto& one : cases) {
    scene.start_at = {{"late", one.from}};
    const v1::RestoreOffsets restore = Restored();
    EXPECT_EQ(restore.from(), one.from);
    EXPECT_THAT(Values(restore.offsets()), ElementsAre(one.offset, one.offset));
    EXPECT_THAT(reason, HasSubstr(one.words));
    // The place of its close is no longer where it goes on.
    EXPECT_EQ(start_prior.closed_size(), 0);
  }
}

// Both actions are of the same model, and each has its own consequence.
TEST_F(LostOffsets, EachActionShowsItsOwnImpact) {
  End(v1::RunnerStatus::RUNNING);
  scene.start_at = {{"late", v1::RestoreOffsets::EARLIEST}};
  const std::string summary = Summary(scene.Plan());
  const size_t restore = summary.find("  ~ restore offsets of ");
  const size_t start = summary.find("  ~ start runner ");
  ASSERT_LT(restore, start) << summary;
  const std::string chosen = "it goes on from a chosen place";
  const std::string again = "records arrive again";
  EXPECT_THAT(summary.substr(restore, start - restore), AllOf(HasSubstr(chosen), Not(HasSubstr(again))));
  EXPECT_THAT(summary.substr(start), AllOf(HasSubstr(again), Not(HasSubstr(chosen))));
}

TEST_F(LostOffsets, OutOfTheLogOnOnePartitionOnly) {
  scene = Scene();
  scene.Deploy();
  End(v1::RunnerStatus::RUNNING);
  scene.Facts("raw.v1").mutable_partitions(1)->set_begin_offset(60);
  EXPECT_THAT(Codes(scene.Plan()), ElementsAre("OFFSETS_OUT_OF_RANGE"));
  scene.start_at = {{"late", v1::RestoreOffsets::EARLIEST}};
  const v1::Plan plan = scene.Plan();
  ASSERT_EQ(plan.actions_size(), 2) << Summary(plan);
  EXPECT_EQ(plan.actions(0).restore_offsets().offsets_size(), 1);
  EXPECT_EQ(plan.actions(0).restore_offsets().offsets(0).offset(), 60);
  EXPECT_EQ(plan.actions(0).restore_offsets().prior(0).offset(), 50);
  EXPECT_EQ(plan.actions(1).start_runner().offsets_size(), 2);
}

TEST_F(LostOffsets, AChoiceThatNobodyNeedsIsRefused) {
  scene = Scene();
  scene.Deploy();
  End(v1::RunnerStatus::CLOSED);
  scene.start_at = {{"late", v1::RestoreOffsets::LATEST}};
  EXPECT_THAT(Codes(scene.Plan()), ElementsAre("START_AT_NOT_NEEDED"));
  scene = Scene();
  scene.start_at = {{"late", v1::RestoreOffsets::LATEST}};
  EXPECT_THAT(Codes(scene.Plan()), ElementsAre("START_AT_NOT_NEEDED"));
  scene.Deploy();
  EXPECT_THAT(Codes(scene.Plan()), ElementsAre("START_AT_NOT_NEEDED"));
}

TEST_F(LostOffsets, AfterARestoreAnOlderStatusIsNoWitness) {
  scene = Scene();
  scene.Deploy();
  End(v1::RunnerStatus::RUNNING);
  for (auto& offset : *scene.Group("st.p.e.late").mutable_topics(0)->mutable_offsets()) offset.set_offset(0);
  EXPECT_THAT(Codes(scene.Plan()), ElementsAre("OFFSETS_MOVED"));
  for (int i = 0; i < 2; ++i) Owned().add_restored()->set_partition(i);
  EXPECT_THAT(Codes(scene.Plan()), IsEmpty());
  Owned().mutable_restored(1)->set_offset(7);
  EXPECT_THAT(Codes(scene.Plan()), ElementsAre("OFFSETS_MOVED"));
}

// A start that came to nothing: its status has the partitions from the one before.
TEST_F(LostOffsets, AFailedStartThatReadNothingForgetsNothing) {
  End(v1::RunnerStatus::FAILED);
  EXPECT_THAT(Codes(scene.Plan()), ElementsAre("OFFSETS_MISSING")) << "it had an assignment";
  scene.Generation("late").mutable_status()->clear_member_id();
  EXPECT_EQ(Restored().from(), v1::RestoreOffsets::CLEAN_CLOSE);
}

// The input got a third partition, which the runner took over; then all offsets were lost.
TEST_F(LostOffsets, APartitionTakenOverIsRestoredLikeTheOthers) {
  v1::TopicFacts::Partition& added = *scene.Facts("raw.v1").add_partitions();
  added = scene.Facts("raw.v1").partitions(0);
  added.set_partition(2);
  v1::RunnerStatus& status = *scene.Generation("late").mutable_status();
  const v1::RunnerStatus closed = status;
  auto name_in_status = [&] {
    status.add_partitions()->set_partition(2);
    status.mutable_partitions(2)->set_committed(7);
  };
  EXPECT_THAT(Values(Restored().offsets()), ElementsAre(50, 50)) << "nobody names it, so it is new";
  name_in_status();
  EXPECT_THAT(Codes(scene.Plan()), ElementsAre("OFFSETS_MISSING"));
  Owned().add_closed()->set_partition(2);
  Owned().mutable_closed(2)->set_offset(7);
  EXPECT_THAT(Values(Restored().offsets()), ElementsAre(50, 50, 7));
  status = closed;
  EXPECT_THAT(Codes(scene.Plan()), ElementsAre("OFFSETS_MISSING"));
  Owned().mutable_closed()->RemoveLast();
  Owned().add_restored()->set_partition(2);
  EXPECT_THAT(Codes(scene.Plan()), ElementsAre("OFFSETS_MISSING"));
  Owned().clear_restored();
  EXPECT_THAT(Values(Restored().offsets()), ElementsAre(50, 50));
}

// The same with the offset of that partition alone.
TEST_F(LostOffsets, APartitionTakenOverIsNotReadAgain) {
  scene = Scene();
  scene.Deploy();
  End(v1::RunnerStatus::FAILED);
  scene.Facts("raw.v1").add_partitions()->set_partition(2);
  scene.Facts("raw.v1").mutable_partitions(2)->set_end_offset(100);
  v1::RunnerStatus::Partition& named = *scene.Generation("late").mutable_status()->add_partitions();
  named.set_partition(2);
  named.set_committed(60);
  const v1::Plan plan = scene.Plan();
  ASSERT_THAT(Codes(plan), ElementsAre("OFFSETS_MISSING"));
  EXPECT_THAT(plan.blockers(0).text(), HasSubstr("partition 2, log 0 to 100 of raw.v1"));
  EXPECT_THAT(plan.blockers(0).way_out(), HasSubstr("=earliest reads the 100 records that are there, 60 of them"));
  scene.start_at = {{"late", v1::RestoreOffsets::LAST_STATUS}};
  const v1::Plan chosen = scene.Plan();
  ASSERT_EQ(chosen.actions_size(), 2) << Summary(chosen);
  EXPECT_THAT(Values(chosen.actions(0).restore_offsets().offsets()), ElementsAre(60));
  EXPECT_THAT(Values(chosen.actions(1).start_runner().offsets()), ElementsAre(50, 50, 60));
}

TEST(StartAt, IsReadWholeOrRefused) {
  Scene scene;
  const v1::Topology& topology = scene.observed.topology();
  StartAt start_at;
  diag::Diagnostics none;
  EXPECT_TRUE(ParseStartAt("late=earliest,worst=last-status", topology, &start_at, &none));
  EXPECT_EQ(start_at["late"], v1::RestoreOffsets::EARLIEST);
  EXPECT_EQ(start_at["worst"], v1::RestoreOffsets::LAST_STATUS);
  for (const char* bad :
       {"late", "late=", "late=soonest", "nobody=latest", "late=latest,late=latest", ",", "=latest"}) {
    StartAt other;
    diag::Diagnostics diagnostics;
    EXPECT_FALSE(ParseStartAt(bad, topology, &other, &diagnostics)) << bad;
    EXPECT_EQ(diagnostics.Sorted().front().code, "BAD_START_AT");
  }
}

TEST(GrownInput, ChangesNothingAndIsSaid) {
  Scene scene;
  scene.Deploy();
  v1::TopicFacts::Partition& added = *scene.Facts("raw.v1").add_partitions();
  added = scene.Facts("raw.v1").partitions(0);
  added.set_partition(2);
  v1::Plan plan = scene.Plan();
  EXPECT_THAT(Codes(plan), IsEmpty());
  EXPECT_THAT(plan.actions(), IsEmpty()) << Summary(plan);
  EXPECT_FALSE(plan.world_drifted());
  EXPECT_THAT(Growth(plan), HasSubstr("made for 2; it reads partition 2 from the beginning; records"));
  // Nothing of it is read yet, and the runner is started all the same.
  scene.End("late", v1::RunnerStatus::RUNNING);
  plan = scene.Plan();
  ASSERT_EQ(plan.actions_size(), 1) << Summary(plan);
  EXPECT_EQ(plan.actions(0).start_runner().offsets_size(), 2);
  // One that has lost records is no new one.
  scene.Facts("raw.v1").mutable_partitions(2)->set_begin_offset(3);
  plan = scene.Plan();
  EXPECT_THAT(Codes(plan), ElementsAre("OFFSETS_MISSING"));
  EXPECT_THAT(Growth(plan), HasSubstr("; partition 2 has no offset and is not new"));
}

TEST(GrownInput, IsAskedForAPositionBeforeTheRunnerStops) {
  Scene scene;
  scene.Deploy();
  v1::TopicFacts::Partition& added = *scene.Facts("raw.v1").add_partitions();
  added.set_partition(2);
  added.set_begin_offset(3);
  added.set_end_offset(100);
  v1::Plan plan = scene.Plan();
  ASSERT_THAT(Codes(plan), ElementsAre("OFFSETS_MISSING"));
  EXPECT_THAT(plan.blockers(0).text(), HasSubstr("no offset for partition 2 of raw.v1"));
  EXPECT_TRUE(plan.world_drifted());
  // Taken over, though its group was looked at before that.
  v1::RunnerStatus& status = *scene.Generation("late").mutable_status();
  status.add_partitions()->set_partition(2);
  plan = scene.Plan();
  EXPECT_THAT(Codes(plan), IsEmpty());
  EXPECT_THAT(Growth(plan), HasSubstr("made for 2; it goes on with partition 2; records"));
  status.clear_partitions();
  v1::GroupOffset& offset = *scene.Group("st.p.e.late").mutable_topics(0)->add_offsets();
  offset.set_partition(2);
  offset.set_offset(4);
  plan = scene.Plan();
  EXPECT_THAT(Codes(plan), IsEmpty());
  EXPECT_THAT(Growth(plan), HasSubstr("made for 2; it goes on with partition 2; records"));
}

}  // namespace
}  // namespace st::plan
