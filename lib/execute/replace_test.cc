// REPLACE_RUNNER through the loop: what is carried on after every cut, and what a finished or bounded operation says.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/clock.h"
#include "lib/base/digest.h"
#include "lib/execute/execute_scene.h"
#include "lib/execute/sim/runner.h"
#include "lib/execute/summary.h"
#include "lib/state/sqlite.h"

namespace st::execute {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A model is deployed, and the plan is one to replace its runner.
class ReplaceTest : public ExecuteTest {
 protected:
  void SetUp() override {
    ExecuteTest::SetUp();
    Redeploy();
  }

  // A deployed model that has read all there is, and a plan to replace it. Made once a test, then put back.
  void Redeploy() {
    store_.reset();
    if (old_.empty()) {
      Deploy();
    } else {
      world_ = deployed_;
      std::filesystem::copy_file(folder_ / "deployed.db", folder_ / "state.db",
                                 std::filesystem::copy_options::overwrite_existing);
    }
    met_.clear();
  }

  void Deploy() {
    ASSERT_EQ(ApplyNow().outcome(), v1::ApplyReport::DONE);
    store_.reset();
    while (world_.groups["st.p.e.m"].offsets["in"][1].offset() < 9) sim::SleepThrough(&world_, 1'000);
    old_ = world_.generations.begin()->first;
    volume_ = world_.volumes["st.p.e.m"].instance_id();
    before_ = Read().snapshot.revision;
    PlanReplacement();
    deployed_ = world_;
    std::filesystem::copy_file(folder_ / "state.db", folder_ / "deployed.db");
  }

  void PlanReplacement() {
    const Journal journal = Read();
    plan_.clear_actions();
    *plan_.mutable_state() = journal.reference;
    plan_.set_checksum("plan to replace");
    v1::Action& action = *plan_.add_actions();
    action.set_resource("st://p/e/model/m");
    action.set_reason("replace runner st.p.e.m: the filter `n >= 10` becomes `n >= 15`");
    *action.mutable_prior() = journal.ownership.resources(0);
    v1::ReplaceRunner& replace = *action.mutable_replace_runner();
    replace.set_application_id("st.p.e.m");
    replace.set_generation_id(old_);
    replace.mutable_plan()->set_version(1);
    replace.mutable_plan()->set_input_topic("another plan");
    replace.set_plan_sha256(base::Checksum(replace.plan()));
    replace.mutable_input()->set_name("in");
    replace.mutable_input()->set_topic_id(world_.topics["in"].topic_id());
    replace.mutable_output()->set_name("out");
    replace.mutable_output()->set_topic_id(world_.topics["out"].topic_id());
    replace.set_input_partitions(2);
    replace.set_host(v1::PROCESS);
    replace.set_host_id("host");
    replace.set_runner_sha256("binary");
    replace.set_running(true);
  }

  // The one end that every way leads to.
  void ExpectReplaced() {
    const Journal journal = Read();
    EXPECT_FALSE(journal.open);
    EXPECT_EQ(journal.reference.serial(), 2u);
    ASSERT_EQ(world_.generations.size(), 1u);
    const v1::GenerationFacts& now = world_.generations.begin()->second;
    EXPECT_NE(now.generation_id(), old_);
    EXPECT_EQ(now.state(), v1::GenerationFacts::RUNNING);
    EXPECT_EQ(now.plan_sha256(), plan_.actions(0).replace_runner().plan_sha256());
    EXPECT_EQ(now.volume_instance(), volume_);
    EXPECT_EQ(journal.ownership.resources(0).runner().generation_id(), now.generation_id());
    EXPECT_EQ(journal.ownership.resources(0).runner().plan_sha256(), now.plan_sha256());
    EXPECT_EQ(world_.starts, 2);
    EXPECT_EQ(world_.offset_writes, 1) << "a replacement writes no offset";
    EXPECT_EQ(world_.volumes.size(), 1u);
  }

  sim::State deployed_;
  std::string old_;
  std::string volume_;
  uint64_t before_ = 0;
};

TEST_F(ReplaceTest, IsCarriedOutWithSixCheckpoints) {
  EXPECT_EQ(ApplyNow().outcome(), v1::ApplyReport::DONE);
  ExpectReplaced();
  const uint64_t writes = Read().snapshot.revision - before_;
  std::cout << "figure: journal writes of a plan with one REPLACE_RUNNER: " << writes << "\n";
  EXPECT_EQ(writes, 1u + 6u + 1u) << "intent, checkpoints, completion";
}

// It leaves the ownership as it was, so the serial does not tell that it was carried out.
TEST_F(ReplaceTest, AStartIsAppliedOnceToo) {
  sim::Kill(&world_, old_);
  while (!world_.groups["st.p.e.m"].members.empty()) sim::SleepThrough(&world_, 1'000);
  const v1::ReplaceRunner replace = plan_.actions(0).replace_runner();
  v1::StartRunner& start = *plan_.mutable_actions(0)->mutable_start_runner();
  start.set_application_id(replace.application_id());
  start.set_generation_id(old_);
  start.set_plan_sha256(plan_.actions(0).prior().runner().plan_sha256());
  *start.mutable_input() = replace.input();
  *start.mutable_output() = replace.output();
  start.set_host(v1::PROCESS);
  start.set_host_id("host");
  start.set_runner_sha256("binary");
  ASSERT_EQ(ApplyNow().outcome(), v1::ApplyReport::DONE);
  store_.reset();
  EXPECT_EQ(Read().reference.serial(), plan_.state().serial());
  store_.reset();
  sim::Kill(&world_, old_);
  const v1::ApplyReport again = ApplyNow();
  EXPECT_EQ(again.outcome(), v1::ApplyReport::REFUSED);
  EXPECT_THAT(again.reason(), HasSubstr("the plan is stale: operation "));
}

TEST_F(ReplaceTest, KilledAtEveryBoundaryItIsCarriedOnToTheSameEnd) {
  ASSERT_EQ(ApplyNow().outcome(), v1::ApplyReport::DONE);
  const std::set<std::string> boundaries = met_;
  EXPECT_EQ(boundaries.size(), 14u) << "a boundary was added or lost: this test must meet each";
  int cells = 0;
  for (const std::string& boundary : boundaries) {
    for (int nth = 1;; ++nth) {
      Redeploy();
      if (!ApplyKilledAt(boundary, nth)) break;
      ++cells;
      SCOPED_TRACE(boundary + ":" + std::to_string(nth));
      const Journal journal = Read();
      if (boundary == "before:intent") {
        EXPECT_EQ(ApplyNow().outcome(), v1::ApplyReport::DONE);
      } else {
        const std::string operation = journal.open ? journal.intent.operation_id() : journal.receipt.operation_id();
        EXPECT_EQ(ApplyNow().outcome(), v1::ApplyReport::REFUSED);
        store_.reset();
        EXPECT_EQ(ResumeNow(operation).outcome(), journal.open ? v1::ApplyReport::DONE : v1::ApplyReport::NO_CHANGES);
      }
      ExpectReplaced();
    }
  }
  // The intent, the completion, 4 boundaries and 6 checkpoints, each before and after.
  EXPECT_EQ(cells, 2 * (1 + 1 + 4 + 6));
}

TEST_F(ReplaceTest, AResumeThatIsKilledAtEveryBoundaryIsCarriedOnToo) {
  ASSERT_TRUE(ApplyKilledAt("after:intent", 1));
  met_.clear();
  ASSERT_EQ(ResumeNow(Read().intent.operation_id()).outcome(), v1::ApplyReport::DONE);
  const std::set<std::string> boundaries = met_;
  int cells = 0;
  for (const std::string& boundary : boundaries) {
    for (int nth = 1;; ++nth) {
      Redeploy();
      ASSERT_TRUE(ApplyKilledAt("after:intent", 1));
      const std::string operation = Read().intent.operation_id();
      if (!ResumeKilledAt(boundary, nth, operation)) break;
      ++cells;
      SCOPED_TRACE(boundary + ":" + std::to_string(nth));
      const bool open = Read().open;
      EXPECT_EQ(ResumeNow(operation).outcome(), open ? v1::ApplyReport::DONE : v1::ApplyReport::NO_CHANGES);
      ExpectReplaced();
    }
  }
  EXPECT_EQ(cells, 2 * (1 + 1 + 4 + 6)) << "the authorization, the completion, boundaries and checkpoints";
}

// Stopped at each boundary, it loses its lock, and another carries the operation to its end: what it sees then is the
// other's work, and it says so, soon, and does nothing.
TEST_F(ReplaceTest, WhoeverLostTheLockSaysThatWhateverItSees) {
  ASSERT_EQ(ApplyNow().outcome(), v1::ApplyReport::DONE);
  const std::set<std::string> boundaries = met_;
  int cells = 0;
  for (const std::string& boundary : boundaries) {
    // Before the intent there is nothing to carry on, after the completion nothing is done under the lock.
    if (boundary == "before:intent" || boundary == "after:complete") continue;
    for (int nth = 1;; ++nth) {
      Redeploy();
      World first = Open();
      int left = nth;
      int64_t stopped = 0;
      uint64_t revision = 0;
      first.boundary = [&](std::string_view name) {
        if (name != boundary || --left != 0) return;
        ASSERT_TRUE(std::filesystem::remove(folder_ / "state.db.locks" / "p%2Fe"));
        World second = first;
        auto other = state::OpenSqlite(folder_ / "state.db", state::Access::kReadWrite);
        ASSERT_TRUE(other.ok()) << other.status();
        second.store = other->get();
        second.boundary = [](std::string_view) {};
        auto resumed = Resume(plan_, topology_, Read().intent.operation_id(), second);
        ASSERT_TRUE(resumed.ok()) << resumed.status();
        ASSERT_EQ(resumed->outcome(), v1::ApplyReport::DONE) << resumed->reason();
        stopped = clock_.NowMs();
        revision = Read().snapshot.revision;
      };
      auto report = Apply(plan_, topology_, first);
      if (left > 0) break;
      ++cells;
      SCOPED_TRACE(boundary + ":" + std::to_string(nth));
      ASSERT_TRUE(report.ok()) << report.status();
      EXPECT_EQ(report->outcome(), v1::ApplyReport::BLOCKED);
      EXPECT_THAT(report->reason(), HasSubstr("LOCK_LOST: "));
      EXPECT_LE(clock_.NowMs() - stopped, 25'000) << "not when its wait is over";
      EXPECT_EQ(Read().snapshot.revision, revision);
      ExpectReplaced();
    }
  }
  EXPECT_EQ(cells, 1 + 1 + 2 * (4 + 6));
}

TEST_F(ReplaceTest, AnInterruptedCompletionIsFinishedWithoutRunningAnythingAgain) {
  ASSERT_TRUE(ApplyKilledAt("before:complete", 1));
  met_.clear();
  // Not even looked at.
  world_.cluster_id = "out of reach";
  EXPECT_EQ(ResumeNow(Read().intent.operation_id()).outcome(), v1::ApplyReport::DONE);
  EXPECT_THAT(met_, ElementsAre("after:authorization", "after:complete", "before:authorization", "before:complete"));
  ExpectReplaced();
}

TEST_F(ReplaceTest, AFinishedOperationIsRecognisedByItsReceiptAndWhatRuns) {
  ASSERT_TRUE(ApplyKilledAt("after:complete", 1));
  const std::string operation = Read().receipt.operation_id();
  met_.clear();
  v1::ApplyReport report = ResumeNow(operation);
  EXPECT_EQ(report.outcome(), v1::ApplyReport::NO_CHANGES);
  EXPECT_THAT(report.reason(), HasSubstr("its receipt is in the state store; g-" + operation + "-0 runs"));
  // It has ended since.
  v1::GenerationFacts& now = world_.generations.begin()->second;
  sim::Kill(&world_, now.generation_id());
  store_.reset();
  report = ResumeNow(operation);
  EXPECT_EQ(report.outcome(), v1::ApplyReport::RUNNER_FAILED);
  EXPECT_THAT(report.reason(), HasSubstr("it has ended since"));
  EXPECT_THAT(report.next_command(), HasSubstr("st-plan"));
  now.set_state(v1::GenerationFacts::RUNNING);
  now.set_plan_sha256("edited");
  store_.reset();
  EXPECT_THAT(ResumeNow(operation).reason(), HasSubstr("edited"));
  world_.generations.clear();
  store_.reset();
  EXPECT_THAT(ResumeNow(operation).reason(), HasSubstr("not on this host"));
  // Another plan or project is not that operation's.
  store_.reset();
  plan_.set_checksum("another");
  EXPECT_EQ(ResumeNow(operation).outcome(), v1::ApplyReport::REFUSED);
  EXPECT_THAT(met_, ElementsAre()) << "nothing was written or crossed";
}

TEST_F(ReplaceTest, TheStatusIsOneScreenThatSaysAll) {
  ASSERT_TRUE(ApplyKilledAt("after:checkpoint", 2));
  World world = Open();
  auto status = Status("p/e", world);
  ASSERT_TRUE(status.ok()) << status.status();
  const std::string id = status->operation_id();
  const std::string begun = base::FormatRfc3339(status->intent().at_ms()).text;
  const std::string closed = base::FormatRfc3339(status->checkpoints(1).at_ms()).text;
  EXPECT_EQ(Summary(*status),
            "p/e: operation " + id + " is open\n  begun " + begun + " by tester@here (" + status->intent().tool() +
                "), resumed 0 times\n"
                "  intended: 1 action, 0 done\n"
                "    0 begun replace runner st.p.e.m: the filter `n >= 10` becomes `n >= 15`\n"
                "  last checkpoint: GENERATION_CLOSED of action 0, " +
                closed +
                "; exit code 0; offsets 0:9, 1:9\n"
                "  the world now:\n"
                "    cluster cluster\n"
                "    topic in: id " +
                world_.topics["in"].topic_id() +
                ", 2 partitions\n"
                "    topic out: id " +
                world_.topics["out"].topic_id() +
                ", 1 partitions\n"
                "    group st.p.e.m: EMPTY, 0 members\n"
                "      in[0]: 9\n"
                "      in[1]: 9\n"
                "    generation " +
                old_ + ": EXITED, status CLOSED, exit code 0, at /sim/" + old_ + "\n    volume " + volume_ +
                "\n"
                "  next step: remove_generation (allowed: the facts allow it, and a second one would be harmless)\n"
                "  to go on: st-compile PROJECT | st-resume --plan PLAN --operation " +
                id);
}

TEST_F(ReplaceTest, TheStatusSaysWhyAStepIsNotAllowed) {
  ASSERT_TRUE(ApplyKilledAt("after:checkpoint", 2));
  world_.groups["st.p.e.m"].offsets["in"][1].set_offset(5);
  World world = Open();
  auto status = Status("p/e", world);
  ASSERT_TRUE(status.ok()) << status.status();
  EXPECT_FALSE(status->allowed());
  EXPECT_THAT(Summary(*status), HasSubstr("next step: none (not allowed: OFFSETS_MOVED: offset 5 of group st.p.e.m on "
                                          "partition 1 is not where the runner stopped, 9; find out"));
}

TEST_F(ReplaceTest, ALongStatusStaysOneScreen) {
  v1::OperationStatus status;
  status.set_operation_id("op");
  for (uint32_t i = 0; i < 300; ++i) {
    v1::Action& action = *status.mutable_intent()->add_actions();
    action.set_reason(std::string(500, 'x'));
    if (i >= 100) continue;
    v1::Checkpoint& done = *status.add_checkpoints();
    done.set_action_index(i);
    done.set_name(v1::Checkpoint::ACTION_DONE);
  }
  for (int i = 0; i < 500; ++i) status.mutable_facts()->append("a line of facts\n");
  status.mutable_checkpoints(99)->set_unclean("killed");
  for (int i = 0; i < 90; ++i) status.mutable_checkpoints(99)->add_vector()->set_partition(i);
  status.add_authorizations()->set_interruption("GENERATION_CLOSED of st://p/e/model/m");
  const std::string text = Summary(status);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 40);
  EXPECT_LE(text.size(), 6000u);
  EXPECT_THAT(text, HasSubstr("300 actions, 100 done"));
  EXPECT_THAT(text, HasSubstr("\n    100       xxx"));
  EXPECT_THAT(text, HasSubstr("of 90 partitions"));
  EXPECT_THAT(text, HasSubstr("killed"));
  EXPECT_THAT(text, HasSubstr("488 more lines"));
  EXPECT_THAT(text, HasSubstr("last resumed"));
}

}  // namespace
}  // namespace st::execute
