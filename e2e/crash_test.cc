// st-apply cut off by SIGKILL on a real broker: at each named boundary, and at random moments. Whatever happened,
// st-resume (or st-apply again, where no intent was durable yet) ends where an undisturbed run ends.
#include <stdlib.h>

#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "e2e/broker.h"
#include "e2e/pipe.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace st::e2e {
namespace {

using ::testing::SizeIs;

constexpr char kInput[] = "crash.in";
constexpr size_t kPassing = 10;
constexpr int kRandomMoments = 50;
constexpr int kKilled = 128 + 9;

class CrashTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto broker = Broker::Start();
    ASSERT_TRUE(broker.ok()) << broker.status();
    broker_ = broker->release();
    Probe(broker_->bootstrap(), {"create", kInput, "--partitions", "2"});
    std::string lines;
    for (int i = 0; i < 20; ++i) absl::StrAppend(&lines, "{\"k\":\"r", i, "\",\"n\":", i, "}\n");
    Probe(broker_->bootstrap(), {"produce", kInput}, lines);
  }
  static void TearDownTestSuite() { delete broker_; }

  static std::unique_ptr<Pipe> NewOperator() {
    static int number = 0;
    auto pipe = std::make_unique<Pipe>(broker_->bootstrap(), absl::StrCat("crash", number++));
    pipe->WriteProject(kInput, OutputOf(*pipe));
    EXPECT_EQ(pipe->Plan("plan").exit_code, 10);
    return pipe;
  }

  static std::string OutputOf(const Pipe& pipe) { return pipe.name() + ".out"; }

  // What an undisturbed apply leaves, and nothing else.
  static void ExpectDeployed(const Pipe& pipe) {
    const v1::OperationStatus status = pipe.Status();
    EXPECT_EQ(status.operation_id(), "");
    EXPECT_EQ(status.last_receipt().serial_after(), 1u);
    EXPECT_THAT(pipe.Generations(), SizeIs(1));
    EXPECT_THAT(pipe.RunnerPids(), SizeIs(1));
    CommandResult again = pipe.Plan("again");
    EXPECT_EQ(again.exit_code, 0) << again.error_text;
    EXPECT_THAT(AwaitOutput(broker_->bootstrap(), OutputOf(pipe), kPassing, 60), SizeIs(kPassing));
  }

  // As the person on call would: look, then resume what is open, or apply again.
  static void CarryOn(const Pipe& pipe) {
    const v1::OperationStatus status = pipe.Status();
    CommandResult result =
        status.operation_id().empty() ? pipe.Apply("plan") : pipe.Resume("plan", status.operation_id());
    if (status.operation_id().empty() && status.has_last_receipt()) {
      EXPECT_EQ(result.exit_code, 1);  // it had finished: the plan is stale
    } else {
      EXPECT_EQ(result.exit_code, 0) << result.error_text;
    }
  }

  static Broker* broker_;
};

Broker* CrashTest::broker_ = nullptr;

TEST_F(CrashTest, AtEveryNamedBoundary) {
  const std::vector<std::pair<std::string, int>> boundaries = {
      {"intent", 1},        {"create_topic", 1},      {"commit_offsets", 1},
      {"create_volume", 1}, {"create_generation", 1}, {"start_generation", 1},
      {"complete", 1},      {"checkpoint", 8}};
  int cells = 0;
  for (const auto& [boundary, times] : boundaries) {
    for (int nth = 1; nth <= times; ++nth) {
      for (const char* side : {"before", "after"}) {
        const std::string at = absl::StrCat(side, ":", boundary, ":", nth);
        SCOPED_TRACE(at);
        auto pipe = NewOperator();
        CommandResult applied = pipe->Apply("plan", {{"ST_CRASH_AT", at}});
        ASSERT_EQ(applied.exit_code, kKilled) << "the boundary was not met: " << applied.error_text;
        CarryOn(*pipe);
        ExpectDeployed(*pipe);
        ++cells;
      }
    }
  }
  EXPECT_EQ(cells, 30);
  std::cout << cells << " cells\n";
}

TEST_F(CrashTest, AResumeIsCutOffToo) {
  for (const char* at : {"after:authorization:1", "before:create_generation:1", "after:start_generation:1",
                         "after:checkpoint:3", "before:complete:1", "after:complete:1"}) {
    SCOPED_TRACE(at);
    auto pipe = NewOperator();
    ASSERT_EQ(pipe->Apply("plan", {{"ST_CRASH_AT", "after:create_topic:1"}}).exit_code, kKilled);
    const std::string operation = pipe->Status().operation_id();
    ASSERT_NE(operation, "");
    ASSERT_EQ(pipe->Resume("plan", operation, {{"ST_CRASH_AT", at}}).exit_code, kKilled);
    CommandResult resumed = pipe->Resume("plan", operation);
    EXPECT_EQ(resumed.exit_code, 0) << resumed.error_text;
    ExpectDeployed(*pipe);
  }
}

TEST_F(CrashTest, AtRandomMoments) {
  const char* given = getenv("ST_TEST_SEED");
  uint64_t seed = std::random_device{}();
  ASSERT_TRUE(given == nullptr || absl::SimpleAtoi(given, &seed));
  std::cout << "ST_TEST_SEED=" << seed << "\n";
  std::mt19937_64 random(seed);
  auto undisturbed = NewOperator();
  const double whole = undisturbed->Apply("plan").seconds;
  int killed = 0;
  for (int i = 0; i < kRandomMoments; ++i) {
    const double after = std::uniform_real_distribution<double>(0.001, whole)(random);
    SCOPED_TRACE(absl::StrCat("moment ", i, ": ", after, " s of ", whole, " s"));
    auto pipe = NewOperator();
    CommandResult applied = pipe->ToolKilledAfter(after, "st-apply", {"--plan", pipe->Path("plan")}, pipe->Compile());
    killed += applied.exit_code == kKilled ? 1 : 0;
    if (applied.exit_code != 0) CarryOn(*pipe);
    ExpectDeployed(*pipe);
  }
  std::cout << killed << " of " << kRandomMoments << " were killed before they ended\n";
  EXPECT_GT(killed, kRandomMoments / 2);
}

}  // namespace
}  // namespace st::e2e
