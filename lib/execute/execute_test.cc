#include "lib/execute/execute.h"

#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/execute/execute_scene.h"
#include "lib/state/sqlite.h"

namespace st::execute {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(ExecuteTest, CarriesAPlanOut) {
  v1::ApplyReport report = ApplyNow();
  EXPECT_EQ(report.outcome(), v1::ApplyReport::DONE) << report.DebugString();
  EXPECT_TRUE(report.actions(1).done());
  EXPECT_EQ(report.state_after().serial(), 1u);
  ExpectDeployed();
}

TEST_F(ExecuteTest, KilledAtEveryBoundaryItIsCarriedOnToTheSameEnd) {
  ASSERT_EQ(ApplyNow().outcome(), v1::ApplyReport::DONE);
  const std::set<std::string> boundaries = met_;
  EXPECT_EQ(boundaries.size(), 16u) << "a boundary was added or lost: this test must meet each";
  int cells = 0;
  for (const std::string& boundary : boundaries) {
    for (int nth = 1;; ++nth) {
      Reset();
      if (!ApplyKilledAt(boundary, nth)) break;
      ++cells;
      SCOPED_TRACE(boundary + ":" + std::to_string(nth));
      const Journal journal = Read();
      if (boundary == "before:intent") {
        EXPECT_FALSE(journal.open);
        EXPECT_EQ(ApplyNow().outcome(), v1::ApplyReport::DONE);
      } else {
        const std::string operation = journal.open ? journal.intent.operation_id() : journal.receipt.operation_id();
        EXPECT_EQ(journal.open, boundary != "after:complete");
        // A second apply must not pass an open operation, nor a finished one.
        EXPECT_EQ(ApplyNow().outcome(), v1::ApplyReport::REFUSED);
        EXPECT_EQ(ResumeNow(operation).outcome(), journal.open ? v1::ApplyReport::DONE : v1::ApplyReport::NO_CHANGES);
      }
      ExpectDeployed();
    }
  }
  // The intent, the completion, 5 boundaries and 8 checkpoints, each before and after.
  EXPECT_EQ(cells, 2 * (1 + 1 + 5 + 8));
}

TEST_F(ExecuteTest, ALostAnswerEndsTheRunAndAResumeLooks) {
  for (bool happened : {false, true}) {
    Reset();
    world_.next_answer = absl::UnknownError("no answer");
    world_.after = happened;
    v1::ApplyReport report = ApplyNow();
    EXPECT_EQ(report.outcome(), v1::ApplyReport::UNKNOWN);
    EXPECT_THAT(report.next_command(), HasSubstr(report.operation_id()));
    store_.reset();
    EXPECT_EQ(ResumeNow(report.operation_id()).outcome(), v1::ApplyReport::DONE);
    ExpectDeployed();
  }
}

TEST_F(ExecuteTest, AWriteThatWasNotMadeIsNoLostAnswer) {
  world_.next_answer = absl::UnavailableError("No space left on device");
  const v1::ApplyReport report = ApplyNow();
  EXPECT_EQ(report.outcome(), v1::ApplyReport::UNREACHABLE);
  EXPECT_THAT(report.reason(), HasSubstr("No space left on device; mend that, then resume"));
  store_.reset();
  EXPECT_EQ(ResumeNow(report.operation_id()).outcome(), v1::ApplyReport::DONE);
  ExpectDeployed();
}

TEST_F(ExecuteTest, ARefusalOfTheBrokerBlocksAndNothingIsTriedTwice) {
  world_.next_answer = absl::InvalidArgumentError("POLICY_VIOLATION: no");
  v1::ApplyReport report = ApplyNow();
  EXPECT_EQ(report.outcome(), v1::ApplyReport::BLOCKED);
  EXPECT_THAT(report.reason(), HasSubstr("POLICY_VIOLATION"));
  EXPECT_EQ(world_.creates, 1);
}

TEST_F(ExecuteTest, WhatIsRefusedAsItIsDoneAlreadyIsGoneOnFrom) {
  world_.next_answer = absl::InvalidArgumentError("it is there, said the other broker");
  world_.after = true;
  EXPECT_EQ(ApplyNow().outcome(), v1::ApplyReport::DONE);
  ExpectDeployed();
}

TEST_F(ExecuteTest, WhatWasRefusedForAWhileIsAskedForAgainWhenThatIsOver) {
  World world = Open();
  const auto inner = world.boundary;
  bool joined = false;
  world.boundary = [&](std::string_view name) {
    inner(name);
    if (name != "before:commit_offsets" || std::exchange(joined, true)) return;
    world_.groups["st.p.e.m"].members.push_back({"killed", "", "", 0, world_.now_ms + 5'000});
  };
  auto report = Apply(plan_, topology_, world);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->outcome(), v1::ApplyReport::DONE) << report->DebugString();
  EXPECT_TRUE(joined);
  ExpectDeployed();
}

TEST_F(ExecuteTest, APlanIsAppliedOnce) {
  ApplyNow();
  store_.reset();
  v1::ApplyReport report = ApplyNow();
  EXPECT_EQ(report.outcome(), v1::ApplyReport::REFUSED);
  EXPECT_THAT(report.reason(), HasSubstr("stale"));
}

TEST_F(ExecuteTest, WhatChangedAfterReviewIsRefusedBeforeAnythingIsBegun) {
  v1::Topology other = topology_;
  other.set_checksum("edited");
  World world = Open();
  EXPECT_EQ(Apply(plan_, other, world)->outcome(), v1::ApplyReport::REFUSED);
  world_.AddTopic("out", 1);
  EXPECT_THAT(Apply(plan_, topology_, world)->reason(), HasSubstr("ADOPTION_REQUIRED"));
  world_.topics.erase("out");
  world_.cluster_id = "other";
  EXPECT_THAT(Apply(plan_, topology_, world)->reason(), HasSubstr("CLUSTER_CHANGED"));
  plan_.mutable_state()->set_location("/elsewhere");
  world_.cluster_id = "cluster";
  EXPECT_THAT(Apply(plan_, topology_, world)->reason(), HasSubstr("another state store"));
  EXPECT_FALSE(Read().open);
}

TEST_F(ExecuteTest, ASecondOperatorIsTurnedAway) {
  World world = Open();
  auto lease = store_->Acquire("p/e");
  ASSERT_TRUE(lease.ok());
  auto second = state::OpenSqlite(folder_ / "state.db", state::Access::kReadWrite);
  ASSERT_TRUE(second.ok());
  world.store = second->get();
  auto report = Apply(plan_, topology_, world);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->outcome(), v1::ApplyReport::REFUSED);
}

TEST_F(ExecuteTest, AnAddressThatWasCopiedSaysWhereItWentAndIsNotResumed) {
  World world = Open();
  const std::string operation = "00000000-0000-4000-8000-000000000000";
  v1::Intent mark;
  mark.set_operation_id(operation);
  mark.set_copied_to("/srv/other.db");
  {
    auto lease = store_->Acquire("p/e");
    ASSERT_TRUE(lease.ok());
    ASSERT_TRUE(store_->Begin(**lease, 0, operation, mark.SerializeAsString()).ok());
  }
  auto applied = Apply(plan_, topology_, world);
  ASSERT_TRUE(applied.ok()) << applied.status();
  EXPECT_EQ(applied->outcome(), v1::ApplyReport::REFUSED);
  EXPECT_THAT(applied->reason(), AllOf(HasSubstr("STATE_COPIED"), HasSubstr("/srv/other.db")));
  EXPECT_EQ(applied->next_command(), "");
  auto resumed = Resume(plan_, topology_, operation, world);
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_THAT(resumed->reason(), HasSubstr("STATE_COPIED"));
  auto status = Status("p/e", world);
  ASSERT_TRUE(status.ok()) << status.status();
  EXPECT_FALSE(status->allowed());
  EXPECT_EQ(status->next_command(), "");
  EXPECT_THAT(status->reason(), HasSubstr("STATE_COPIED"));
}

TEST_F(ExecuteTest, AStatusTellsWhatCouldNotBeAskedFromWhatIsNotAllowed) {
  ASSERT_TRUE(ApplyKilledAt("after:intent", 1));
  World world = Open();
  EXPECT_FALSE(Status("p/e", world)->not_reached());
  world.cluster = nullptr;
  auto status = Status("p/e", world);
  ASSERT_TRUE(status.ok()) << status.status();
  EXPECT_TRUE(status->not_reached());
  EXPECT_FALSE(status->allowed());
}

TEST_F(ExecuteTest, AResumeNeedsItsOwnPlanProjectAndOperation) {
  ASSERT_TRUE(ApplyKilledAt("after:intent", 1));
  const std::string operation = Read().intent.operation_id();
  EXPECT_EQ(ResumeNow("00000000-0000-4000-8000-000000000000").outcome(), v1::ApplyReport::REFUSED);
  plan_.set_checksum("another plan");
  EXPECT_EQ(ResumeNow(operation).outcome(), v1::ApplyReport::REFUSED);
  plan_.set_checksum("plan");
  topology_.set_checksum("edited");
  EXPECT_EQ(ResumeNow(operation).outcome(), v1::ApplyReport::REFUSED);
  topology_.set_checksum("topology");
  EXPECT_EQ(ResumeNow(operation).outcome(), v1::ApplyReport::DONE);
  EXPECT_EQ(ResumeNow(operation).outcome(), v1::ApplyReport::NO_CHANGES);
}

TEST_F(ExecuteTest, WhatALaterActionRestsOnIsRefusedBeforeAnythingIsBegun) {
  World world = Open();
  world_.topics["in"].set_topic_id("made again");
  auto report = Apply(plan_, topology_, world);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->outcome(), v1::ApplyReport::REFUSED);
  EXPECT_THAT(report->reason(), HasSubstr("observe and plan again"));
  EXPECT_FALSE(world_.topics.contains("out"));
  EXPECT_FALSE(Read().open);
}

TEST_F(ExecuteTest, ARunnerThatFailsAtOnceEndsTheOperation) {
  world_.fails_at_start = true;
  const v1::ApplyReport report = ApplyNow();
  EXPECT_EQ(report.outcome(), v1::ApplyReport::RUNNER_FAILED);
  EXPECT_THAT(report.reason(), HasSubstr("has ended"));
  EXPECT_THAT(report.next_command(), Not(HasSubstr("st-resume")));
  EXPECT_EQ(report.state_after().serial(), report.state_before().serial() + 1);
  const Journal after = Read();
  EXPECT_FALSE(after.open);
  EXPECT_EQ(after.ownership.resources_size(), 2);
}

TEST_F(ExecuteTest, ResumesAreBounded) {
  ASSERT_TRUE(ApplyKilledAt("after:intent", 1));
  const std::string operation = Read().intent.operation_id();
  world_.topics["in"].set_topic_id("made again");
  for (int i = 0; i < kMaxAuthorizations; ++i) {
    store_.reset();
    const v1::ApplyReport report = ResumeNow(operation);
    EXPECT_EQ(report.outcome(), v1::ApplyReport::BLOCKED);
    EXPECT_THAT(report.reason(), HasSubstr("cannot go on"));
    // Another resume would meet the same.
    EXPECT_THAT(report.next_command(), HasSubstr("st-state recover"));
  }
  store_.reset();
  const v1::ApplyReport report = ResumeNow(operation);
  EXPECT_EQ(report.outcome(), v1::ApplyReport::REFUSED);
  EXPECT_THAT(report.reason(), HasSubstr("32"));
}

TEST_F(ExecuteTest, AStateThatCannotBeKeptIsSaidByEveryEntry) {
  World world = Open();
  world.store = nullptr;
  EXPECT_THAT(Apply(plan_, topology_, world).status().message(), HasSubstr("no state store was opened"));
  EXPECT_THAT(Resume(plan_, topology_, "x", world).status().message(), HasSubstr("no state store was opened"));
  EXPECT_THAT(Status("p/e", world).status().message(), HasSubstr("no state store was opened"));
}

TEST_F(ExecuteTest, StatusSaysWhereItStandsAndWritesNothing) {
  ASSERT_TRUE(ApplyKilledAt("after:start_generation", 1));
  const Journal before = Read();
  World world = Open();
  auto status = Status("p/e", world);
  ASSERT_TRUE(status.ok()) << status.status();
  EXPECT_EQ(status->operation_id(), before.intent.operation_id());
  EXPECT_TRUE(status->allowed());
  EXPECT_EQ(status->next_step(), "record GENERATION_STARTED");
  EXPECT_THAT(status->next_command(), HasSubstr(before.intent.operation_id()));
  EXPECT_EQ(Read().snapshot.revision, before.snapshot.revision);
}

}  // namespace
}  // namespace st::execute
