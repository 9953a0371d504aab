// The answer of each COMMIT of a replacement is lost between the PostgreSQL server and st-apply, or the COMMIT never
// arrives. The tool reads on a new connection what became of it; where it cannot, the outcome is not known (exit 4).
// Either way the printed command leads to the one end.
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "e2e/proxy.h"
#include "e2e/state/store_fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace st::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Fate = Proxy::Fate;

// Intent, six checkpoints, completion.
constexpr int kWrites = 8;

class UncertainCommitTest : public StoreFixture {
 protected:
  // The tools reach the server through the proxy.
  void SetUp() override {
    DeclareWithStore();
    proxy_.SetTarget(server_->port());
    ReachServerAt(proxy_.port());
    DeployAndFeed();
  }

  // A replacement; the COMMIT number `nth`, from 0, has this fate.
  CommandResult ApplyWith(Fate fate, int nth) {
    BeginCell();
    proxy_.SetFate(kCommit, fate, 1, nth);
    const int before = proxy_.Count(kCommit);
    CommandResult applied = pipe_->Apply("p");
    met_ = proxy_.Count(kCommit) - before;
    EXPECT_GT(met_, nth) << "there was no such COMMIT";
    proxy_.SetFate(kCommit, Fate::kPass);
    proxy_.SetTarget(server_->port());
    return applied;
  }
  void BeginCell() {
    ASSERT_TRUE(AwaitAllRead());
    ASSERT_NO_FATAL_FAILURE(PlanAnotherFilter());
    eras_.push_back({Now(), filter_});
  }
  void EndCell() {
    ASSERT_NO_FATAL_FAILURE(AwaitUnlocked());
    ASSERT_NO_FATAL_FAILURE(CarryOn());
    ExpectOneRunner();
    Feed(20);
  }
  // COMMITs of an apply that nothing disturbs: those of its reads, and of its writes, which come last.
  int CountCommits() {
    EXPECT_EQ(ApplyWith(Fate::kPass, 0).exit_code, 0);
    Feed(20);
    return met_;
  }

  Proxy proxy_{Proxy::Protocol::kPostgres};
  int met_ = 0;  // COMMITs of the last apply
  std::vector<Era> eras_ = {{Start(), 10}};
};

INSTANTIATE_TEST_SUITE_P(Stores, UncertainCommitTest, testing::Values(kPostgres),
                         [](const auto& parameter) { return parameter.param; });

TEST_P(UncertainCommitTest, IsReadBack) {
  const int commits = CountCommits();
  ASSERT_GE(commits, kWrites);
  std::map<int, int> codes;
  for (const Fate fate : {Fate::kLoseAnswer, Fate::kCutBefore}) {
    for (int nth = 0; nth < commits; ++nth) {
      SCOPED_TRACE(absl::StrCat("COMMIT ", nth, " of ", commits,
                                fate == Fate::kLoseAnswer ? ", its answer lost" : ", cut off before it"));
      const CommandResult applied = ApplyWith(fate, nth);
      const int write = nth - (commits - kWrites);
      if (write < 0) {
        // Of a read: nothing was begun.
        EXPECT_EQ(applied.exit_code, 3) << applied.error_text;
      } else if (write == kWrites - 1 && fate == Fate::kLoseAnswer) {
        EXPECT_EQ(applied.exit_code, 0) << "it is read back, and nothing is left to do: " << applied.error_text;
      } else {
        // Known to be there or not; but the session and its lock are gone.
        EXPECT_EQ(applied.exit_code, 1) << applied.error_text;
        EXPECT_THAT(applied.error_text, HasSubstr("the lock was lost"));
      }
      const bool open = write > 0 || (write == 0 && fate == Fate::kLoseAnswer);
      const std::string operation = pipe_->Status().operation_id();
      EXPECT_EQ(!operation.empty(), open && applied.exit_code != 0);
      if (!operation.empty()) {
        EXPECT_THAT(applied.error_text, HasSubstr("--operation " + operation));
      }
      ++codes[applied.exit_code];
      ASSERT_NO_FATAL_FAILURE(EndCell());
    }
  }
  ExpectWhole();
  ExpectOutput(eras_);
  EXPECT_EQ(State({"verify"}).exit_code, 0);
  std::cout << "figure: uncertain COMMITs of a replacement: " << 2 * commits
            << ", by exit code: " << absl::StrJoin(codes, ", ", absl::PairFormatter(": ")) << "\n";
}

// Nobody can be asked any more. Both of them took place, as nobody but this test knows.
TEST_P(UncertainCommitTest, WhereItCannotBeReadTheOutcomeIsNotKnown) {
  const int commits = CountCommits();
  for (const int write : {0, kWrites - 1}) {
    SCOPED_TRACE(write);
    const CommandResult applied = ApplyWith(Fate::kLoseAnswerForGood, commits - kWrites + write);
    EXPECT_EQ(applied.exit_code, 4) << applied.error_text;
    EXPECT_THAT(applied.error_text, AllOf(HasSubstr("whether the state store has it is not known"),
                                          HasSubstr("next: st-compile PROJECT | st-resume --plan PLAN --operation ")));
    const v1::OperationStatus status = pipe_->Status();
    const std::string operation = write == 0 ? status.operation_id() : status.last_receipt().operation_id();
    EXPECT_THAT(applied.error_text, HasSubstr("--operation " + operation));
    ASSERT_NO_FATAL_FAILURE(AwaitUnlocked());
    const CommandResult resumed = pipe_->Resume("p", operation);
    EXPECT_EQ(resumed.exit_code, 0) << resumed.error_text;
    ASSERT_NO_FATAL_FAILURE(EndCell());
  }
  ExpectWhole();
  ExpectOutput(eras_);
}

}  // namespace
}  // namespace st::e2e
