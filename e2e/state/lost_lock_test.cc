// SIGSTOP of st-apply in the middle of a replacement, past the loss of its lock, and SIGCONT: meanwhile another
// operator carries the operation to its end. The first one notices, changes nothing, and says what happened.
#include <signal.h>

#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "e2e/state/store_fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace st::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class LostLockTest : public StoreFixture {
 protected:
  void SetUp() override {
    DeclareWithStore();
    DeployAndFeed();
  }

  std::unique_ptr<RunningCommand> ApplyStoppedAt(const std::string& at) {
    std::unique_ptr<RunningCommand> apply =
        pipe_->StartTool("st-apply", {"--plan", pipe_->Path("p")}, pipe_->Compile(), {{"ST_CRASH_AT", at + ":stop"}});
    auto stopped = apply->AwaitStop();
    EXPECT_TRUE(stopped.ok() && *stopped) << "the boundary was not met: " << at;
    return apply;
  }
  static CommandResult GoOn(RunningCommand* apply) {
    apply->Signal(SIGCONT);
    auto result = apply->Wait();
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : CommandResult();
  }

  // What the second operator does: he is turned away, then the lock is free, and he finishes it.
  void Overtake(const std::string& operation) {
    const auto second = [&] { return operation.empty() ? pipe_->Apply("p") : pipe_->Resume("p", operation); };
    const CommandResult refused = second();
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.error_text, AllOf(HasSubstr("locked by process "), HasSubstr(" since 2")));
    ASSERT_NO_FATAL_FAILURE(TakeLockAway());
    if (!operation.empty()) {
      const CommandResult pending = pipe_->Apply("p");
      EXPECT_EQ(pending.exit_code, 1);
      EXPECT_THAT(pending.error_text, HasSubstr("OPERATION_PENDING"));
    }
    const CommandResult finished = second();
    ASSERT_EQ(finished.exit_code, 0) << finished.error_text;
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, LostLockTest, testing::Values(kSqlite, kPostgres),
                         [](const auto& parameter) { return parameter.param; });

// Of boundaries outside also the moment after the lock was looked at: one call of his may still go out, and it is
// harmless, as it names what is gone or there already.
TEST_P(LostLockTest, TheFirstNoticesAndChangesNothing) {
  const std::vector<std::string> everywhere = {"before:intent:1",           "after:intent:1",
                                               "before:stop_generation:1",  "after:stop_generation:1",
                                               "before:checkpoint:2",       "before:remove_generation:1",
                                               "after:remove_generation:1", "before:create_generation:1",
                                               "after:create_generation:1", "before:start_generation:1",
                                               "after:start_generation:1",  "before:complete:1"};
  // There the file of the lock has to be removed: nothing else takes it from its holder.
  const std::vector<std::string> by_hand = {"before:stop_generation:1", "after:remove_generation:1",
                                            "before:complete:1"};
  std::vector<Era> eras = {{Start(), 10}};
  int cells = 0;
  for (const std::string& at : postgres() ? everywhere : by_hand) {
    SCOPED_TRACE(at);
    ASSERT_TRUE(AwaitAllRead());
    ASSERT_NO_FATAL_FAILURE(PlanAnotherFilter());
    eras.push_back({Now(), filter_});
    std::unique_ptr<RunningCommand> first = ApplyStoppedAt(at);
    const std::string operation = pipe_->Status().operation_id();
    EXPECT_EQ(operation.empty(), at == "before:intent:1");
    ASSERT_NO_FATAL_FAILURE(Overtake(operation));
    const int log = LogSize();
    const std::vector<std::string> generations = pipe_->Generations();
    const std::vector<int> processes = pipe_->RunnerPids();

    const CommandResult late = GoOn(first.get());
    EXPECT_EQ(late.exit_code, 1) << late.error_text;
    EXPECT_THAT(late.error_text, HasSubstr("the lock was lost"));
    if (!operation.empty()) {
      EXPECT_THAT(late.error_text, AllOf(HasSubstr("LOCK_LOST: "), HasSubstr("--operation " + operation)));
      EXPECT_THAT(pipe_->Resume("p", operation).error_text, HasSubstr("the operation had finished"));
    }
    EXPECT_EQ(LogSize(), log);
    EXPECT_EQ(pipe_->Generations(), generations);
    EXPECT_EQ(pipe_->RunnerPids(), processes);
    ExpectOneRunner();
    Feed(20);
    ++cells;
  }
  ExpectWhole();
  ExpectOutput(eras);
  EXPECT_EQ(State({"verify"}).exit_code, 0);
  std::cout << "figure: holders stopped past the loss of their lock, state in " << GetParam() << ": " << cells << "\n";
}

// The lock is lost and nobody took it: the operation stays where it is until it is resumed.
TEST_P(LostLockTest, NobodyElseGoesOnByItself) {
  ASSERT_TRUE(AwaitAllRead());
  const std::map<int, int64_t> cut = Now();
  ASSERT_NO_FATAL_FAILURE(PlanAnotherFilter());
  std::unique_ptr<RunningCommand> first = ApplyStoppedAt("after:remove_generation:1");
  const std::string operation = pipe_->Status().operation_id();
  ASSERT_NO_FATAL_FAILURE(TakeLockAway());
  const CommandResult late = GoOn(first.get());
  EXPECT_EQ(late.exit_code, 1) << late.error_text;
  EXPECT_THAT(late.error_text, AllOf(HasSubstr("LOCK_LOST: "), HasSubstr("next: st-compile PROJECT | st-resume")));
  EXPECT_THAT(pipe_->Generations(), testing::SizeIs(0));
  const CommandResult resumed = pipe_->Resume("p", operation);
  ASSERT_EQ(resumed.exit_code, 0) << resumed.error_text;
  ExpectWhole();
  ExpectOutput({{Start(), 10}, {cut, filter_}});
}

// A stopped process keeps its lock for as long as it is there: flock belongs to its open file, and a session to its
// connection, whose keepalives the kernel answers.
TEST_P(LostLockTest, BeingStoppedLosesNoLock) {
  ASSERT_TRUE(AwaitAllRead());
  const std::map<int, int64_t> cut = Now();
  ASSERT_NO_FATAL_FAILURE(PlanAnotherFilter());
  std::unique_ptr<RunningCommand> first = ApplyStoppedAt("before:checkpoint:2");
  const std::string operation = pipe_->Status().operation_id();
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(pipe_->Resume("p", operation).error_text, HasSubstr("locked by process "));
  }
  const CommandResult late = GoOn(first.get());
  EXPECT_EQ(late.exit_code, 0) << late.error_text;
  EXPECT_THAT(late.error_text, Not(HasSubstr("LOCK_LOST")));
  ExpectWhole();
  ExpectOutput({{Start(), 10}, {cut, filter_}});
}

}  // namespace
}  // namespace st::e2e
