// st-apply and st-resume are killed at random moments while they replace a runner in Docker, with the state in either
// store. The operation is always carried on, and every order comes out once. The moments are drawn from ST_TEST_SEED,
// which is printed; what they meet is the machine's own.
#include <gtest/gtest.h>
#include <math.h>
#include <stdlib.h>

#include <cstdint>
#include <iostream>
#include <map>
#include <random>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "e2e/docker/deployment.h"
#include "e2e/docker/ground.h"

namespace st::e2e {
namespace {

using Store = Deployment::Store;

// Kills of one operation; authorizations are bounded.
constexpr int kMostKills = 8;
constexpr double kNever = 600;  // seconds

class DockerMomentsTest : public testing::TestWithParam<Store> {
 protected:
  DockerMomentsTest() : deployed_(ground_, GetParam()) {
    const char* given = getenv("ST_TEST_SEED");
    seed_ = std::random_device{}();
    EXPECT_TRUE(given == nullptr || absl::SimpleAtoi(given, &seed_));
    std::cout << "ST_TEST_SEED=" << seed_ << "\n";
    random_.seed(seed_);
  }

  // How long one takes that nobody disturbs.
  double ReplaceUndisturbed() {
    deployed_.PlanChange();
    const CommandResult applied = deployed_.user().Apply("plan");
    EXPECT_EQ(applied.exit_code, 0) << applied.error_text;
    return applied.seconds;
  }

  // Until it is done.
  void ReplaceUnderKills(double whole) {
    std::uniform_real_distribution<double> chance(0.02, 1);
    ASSERT_NO_FATAL_FAILURE(deployed_.PlanChange());
    const std::string before = deployed_.Status().last_receipt().operation_id();
    std::string operation;
    for (int runs = 0;; ++runs) {
      ASSERT_LT(runs, 3 * kMostKills) << "it gets nowhere";
      // Most of the time passes at the end, in waiting for the new runner: the square has as many before that.
      const double after = runs < kMostKills ? whole * pow(chance(random_), 2) : kNever;
      SCOPED_TRACE(absl::StrCat("run ", runs, ", ", after, " s of ", whole));
      const CommandResult run = deployed_.KillAfter(after, operation);
      deployed_.Feed(3);
      if (run.exit_code == 0) return;
      const v1::OperationStatus status = deployed_.Status();
      ASSERT_NO_FATAL_FAILURE(Judge(run, status));
      if (status.operation_id().empty() && status.last_receipt().operation_id() != before) return;
      if (!operation.empty()) {
        EXPECT_EQ(status.operation_id(), operation);
      }
      operation = status.operation_id();
    }
  }

  void Judge(const CommandResult& run, const v1::OperationStatus& status) {
    ASSERT_EQ(run.exit_code, kKilled) << run.error_text;
    ++kills_;
    std::string phase = "no open operation";
    if (!status.operation_id().empty()) {
      phase =
          status.checkpoints().empty() ? "INTENT" : v1::Checkpoint::Name_Name(status.checkpoints().rbegin()->name());
    }
    ++phases_[phase];
  }

  Ground ground_;
  Deployment deployed_;
  uint64_t seed_ = 0;
  std::mt19937_64 random_;
  int kills_ = 0;
  std::map<std::string, int> phases_;  // by what was recorded last
};

TEST_P(DockerMomentsTest, AreSurvived) {
  deployed_.Feed();
  const double whole = ReplaceUndisturbed();
  const int wanted = EveryCell() ? 100 : 6;
  int operations = 0;
  for (; kills_ < wanted; ++operations) {
    ASSERT_LT(operations, 4 * wanted) << "nothing is hit";
    ASSERT_NO_FATAL_FAILURE(ReplaceUnderKills(whole));
  }
  deployed_.Feed();
  deployed_.ExpectWhole();
  std::cout << "figure: random kills survived by " << operations << " replacements in Docker with "
            << (GetParam() == Store::kSqlite ? "SQLite" : "PostgreSQL") << ": " << kills_ << " ("
            << absl::StrJoin(phases_, ", ", absl::PairFormatter(" ")) << ")\n";
}

INSTANTIATE_TEST_SUITE_P(Stores, DockerMomentsTest, testing::Values(Store::kSqlite, Store::kPostgres),
                         [](const auto& one) { return one.param == Store::kSqlite ? "Sqlite" : "Postgres"; });

}  // namespace
}  // namespace st::e2e
