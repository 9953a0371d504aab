#include "lib/execute/execute.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/digest.h"
#include "lib/execute/journal.h"
#include "lib/execute/sim/faces.h"
#include "lib/state/sqlite.h"
#include "schemas/st/v1/operation.pb.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::execute {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What stands for SIGKILL here: it unwinds everything that the tool holds in memory.
struct Killed {};

class ExecuteTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    Reset();
  }

  // A fresh world: a source topic, an empty store, nothing deployed.
  void Reset() {
    std::filesystem::remove_all(folder_);
    world_ = sim::State();
    v1::TopicFacts& input = world_.AddTopic("in", 2);
    for (v1::TopicFacts::Partition& partition : *input.mutable_partitions()) partition.set_end_offset(9);
    MakePlan();
  }

  void MakePlan() {
    plan_.Clear();
    topology_.Clear();
    topology_.set_project("p");
    topology_.set_environment("e");
    topology_.set_checksum("topology");
    plan_.set_version(1);
    *plan_.mutable_topology() = topology_;
    plan_.mutable_state()->set_address("p/e");
    plan_.mutable_state()->set_location(Read().reference.location());
    plan_.set_cluster_id("cluster");
    v1::Action& topic = *plan_.add_actions();
    topic.set_resource("st://p/e/topic/m");
    topic.mutable_create_topic()->set_name("out");
    topic.mutable_create_topic()->set_partitions(1);
    v1::Action& runner = *plan_.add_actions();
    runner.set_index(1);
    runner.set_resource("st://p/e/model/m");
    v1::CreateRunner& create = *runner.mutable_create_runner();
    create.set_application_id("st.p.e.m");
    create.mutable_plan()->set_version(1);
    create.set_plan_sha256(base::Checksum(create.plan()));
    create.mutable_input()->set_name("in");
    create.mutable_input()->set_topic_id(world_.topics["in"].topic_id());
    create.mutable_output()->set_name("out");
    create.mutable_output()->set_created_by(0);
    create.set_input_partitions(2);
    create.set_initial_offset(v1::EARLIEST);
    create.set_host(v1::PROCESS);
    create.set_host_id("host");
    create.set_runner_sha256("binary");
    plan_.set_checksum("plan");
  }

  World Open() {
    auto store = state::OpenSqlite(folder_ / "state.db", state::Access::kReadWrite);
    EXPECT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    World world;
    world.cluster = &cluster_;
    world.host = &host_;
    world.store = store_.get();
    world.clock = &clock_;
    world.by = "tester@here";
    world.boundary = [this](std::string_view name) {
      met_.insert(std::string(name));
      if (name == kill_at_ && --kill_after_ == 0) throw Killed();
    };
    return world;
  }

  Journal Read() {
    auto store = state::OpenSqlite(folder_ / "state.db", state::Access::kReadOnly);
    EXPECT_TRUE(store.ok()) << store.status();
    auto journal = ReadJournal(**store, "p/e");
    EXPECT_TRUE(journal.ok()) << journal.status();
    return *std::move(journal);
  }

  v1::ApplyReport ApplyNow() {
    World world = Open();
    auto report = Apply(plan_, topology_, world);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() ? *report : v1::ApplyReport();
  }

  v1::ApplyReport ResumeNow(const std::string& operation) {
    World world = Open();
    auto report = Resume(plan_, topology_, operation, world);
    EXPECT_TRUE(report.ok()) << report.status();
    return report.ok() ? *report : v1::ApplyReport();
  }

  // True: the named boundary was met and the run was cut off there.
  bool ApplyKilledAt(const std::string& boundary, int nth) {
    kill_at_ = boundary;
    kill_after_ = nth;
    bool killed = false;
    try {
      ApplyNow();
    } catch (const Killed&) {
      killed = true;
    }
    kill_at_.clear();
    store_.reset();
    return killed;
  }

  // The one end that every way leads to.
  void ExpectDeployed() {
    const Journal journal = Read();
    EXPECT_FALSE(journal.open);
    EXPECT_EQ(journal.reference.serial(), 1u);
    ASSERT_EQ(journal.ownership.resources_size(), 2);
    EXPECT_EQ(journal.ownership.resources(0).runner().generation_id(), world_.generations.begin()->first);
    EXPECT_EQ(journal.ownership.resources(1).topic().topic_id(), world_.topics["out"].topic_id());
    EXPECT_EQ(world_.creates, 2);  // the input, and the output once
    EXPECT_EQ(world_.generations.size(), 1u);
    EXPECT_EQ(world_.generations.begin()->second.state(), v1::GenerationFacts::RUNNING);
    EXPECT_EQ(world_.starts, 1);
    EXPECT_EQ(world_.offset_writes, 1);
    EXPECT_EQ(world_.volumes.size(), 1u);
    EXPECT_TRUE(journal.has_receipt);
  }

  std::filesystem::path folder_;
  sim::State world_;
  sim::Clock clock_{&world_};
  sim::Cluster cluster_{&world_};
  sim::Host host_{&world_};
  std::unique_ptr<state::StateStore> store_;
  v1::Plan plan_;
  v1::Topology topology_;
  std::set<std::string> met_;
  std::string kill_at_;
  int kill_after_ = 0;
};

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
  }
  store_.reset();
  const v1::ApplyReport report = ResumeNow(operation);
  EXPECT_EQ(report.outcome(), v1::ApplyReport::REFUSED);
  EXPECT_THAT(report.reason(), HasSubstr("32"));
}

TEST_F(ExecuteTest, AStateThatCannotBeKeptIsSaidByEveryEntry) {
  World world = Open();
  world.store = nullptr;
  EXPECT_THAT(Apply(plan_, topology_, world).status().message(), HasSubstr("STATE_UNSUPPORTED"));
  EXPECT_THAT(Resume(plan_, topology_, "x", world).status().message(), HasSubstr("STATE_UNSUPPORTED"));
  EXPECT_THAT(Status("p/e", world).status().message(), HasSubstr("STATE_UNSUPPORTED"));
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
