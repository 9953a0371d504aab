// SIGKILL of st-apply and of st-resume at each boundary of a replacement on the process host, with each kind of store:
// the same operation is carried on, and every record comes out once, by the filter of the generation that read it.
#include <iostream>
#include <string>
#include <vector>

#include "e2e/state/store_fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace st::e2e {
namespace {

using ::testing::HasSubstr;

// One model, replaced once a cell, fed before and after.
class KillPointsTest : public StoreFixture {
 protected:
  void SetUp() override {
    DeclareWithStore();
    DeployAndFeed();
  }

  void BeginCell() {
    ASSERT_TRUE(AwaitAllRead());
    ASSERT_NO_FATAL_FAILURE(PlanAnotherFilter());
    eras_.push_back({Now(), filter_});
  }
  void EndCell() {
    ExpectOneRunner();
    Feed(20);
    ++cells_;
  }
  void ExpectAllSurvived(const std::string& tool) {
    ExpectWhole();
    ExpectOutput(eras_);
    EXPECT_EQ(State({"verify"}).exit_code, 0);
    EXPECT_EQ(cells_, 24);
    std::cout << "figure: kill points of " << tool << " survived by a replacement, state in " << GetParam() << ": "
              << cells_ << "\n";
  }

  std::vector<Era> eras_ = {{Start(), 10}};
  int cells_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Stores, KillPointsTest, testing::Values(kSqlite, kPostgres),
                         [](const auto& parameter) { return parameter.param; });

TEST_P(KillPointsTest, AnApplyIsKilledAtEveryBoundary) {
  for (const std::string& at : CrashPoints("intent")) {
    SCOPED_TRACE(at);
    ASSERT_NO_FATAL_FAILURE(BeginCell());
    const CommandResult applied = pipe_->Apply("p", {{"ST_CRASH_AT", at}});
    ASSERT_EQ(applied.exit_code, kKilled) << "the boundary was not met: " << applied.error_text;
    ASSERT_NO_FATAL_FAILURE(AwaitUnlocked());
    const v1::OperationStatus status = pipe_->Status();
    if (!status.operation_id().empty()) {
      const CommandResult resumed = pipe_->Resume("p", status.operation_id());
      ASSERT_EQ(resumed.exit_code, 0) << resumed.error_text;
      // Whose answer was lost is recognised, and changes nothing.
      EXPECT_THAT(pipe_->Resume("p", status.operation_id()).error_text, HasSubstr("runs"));
    } else if (at == "before:intent:1") {
      ASSERT_EQ(pipe_->Apply("p").exit_code, 0);
    } else {
      ASSERT_EQ(at, "after:complete:1");
      EXPECT_EQ(pipe_->Apply("p").exit_code, 1) << "a finished plan is stale";
      const CommandResult again = pipe_->Resume("p", status.last_receipt().operation_id());
      EXPECT_EQ(again.exit_code, 0) << again.error_text;
    }
    EndCell();
  }
  ExpectAllSurvived("st-apply");
}

TEST_P(KillPointsTest, AResumeIsKilledAtEveryBoundary) {
  for (const std::string& at : CrashPoints("authorization")) {
    SCOPED_TRACE(at);
    ASSERT_NO_FATAL_FAILURE(BeginCell());
    ASSERT_EQ(pipe_->Apply("p", {{"ST_CRASH_AT", "after:intent:1"}}).exit_code, kKilled);
    const std::string operation = pipe_->Status().operation_id();
    ASSERT_NO_FATAL_FAILURE(AwaitUnlocked());
    const CommandResult killed = pipe_->Resume("p", operation, {{"ST_CRASH_AT", at}});
    ASSERT_EQ(killed.exit_code, kKilled) << "the boundary was not met: " << killed.error_text;
    ASSERT_NO_FATAL_FAILURE(AwaitUnlocked());
    const CommandResult resumed = pipe_->Resume("p", operation);
    ASSERT_EQ(resumed.exit_code, 0) << resumed.error_text;
    EndCell();
  }
  ExpectAllSurvived("st-resume");
}

}  // namespace
}  // namespace st::e2e
