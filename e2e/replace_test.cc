// A deployed model's SQL changes, on a real broker and the process host: the reviewed plan replaces the runner on the
// same application and offsets, and every record comes out once, by the filter of the generation that read it. Cut off
// at each boundary: e2e/state/kill_points_test.
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/model_fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace st::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr int kRandomMoments = 25;

class ReplaceTest : public ModelFixture {
 protected:
  void SetUp() override {
    Declare("replace");
    DeployAndFeed();
  }
};

TEST_F(ReplaceTest, AChangedFilterTakesOverWhereTheOldOneClosed) {
  ASSERT_TRUE(AwaitAllRead());
  const std::map<int, int64_t> cut = Now();
  ChangeFilter();
  const CommandResult planned = pipe_->Plan("p");
  EXPECT_EQ(planned.exit_code, 10) << planned.error_text;
  EXPECT_THAT(planned.error_text, HasSubstr("~ replace runner " + group_ + ": the filter `n >= 10` becomes `n >= 15`"));
  const CommandResult applied = pipe_->Apply("p");
  ASSERT_EQ(applied.exit_code, 0) << applied.error_text;
  ExpectWhole();
  Feed(40);
  ExpectOutput({{Start(), 10}, {cut, 15}});
}

// Fed all the while: nothing is lost between the two, and the cut is where the journal says.
TEST_F(ReplaceTest, UnderLoadTheCutIsTheRecordedClose) {
  ChangeFilter();
  ASSERT_EQ(pipe_->Plan("p").exit_code, 10);
  std::atomic<bool> over = false;
  std::thread feeder([&] {
    while (!over) Feed(20);
  });
  const CommandResult applied = pipe_->Apply("p", {{"ST_CRASH_AT", "after:checkpoint:2"}});
  const v1::OperationStatus status = pipe_->Status();
  Feed(20);
  const CommandResult resumed = pipe_->Resume("p", status.operation_id());
  over = true;
  feeder.join();
  ASSERT_EQ(applied.exit_code, kKilled);
  ASSERT_EQ(resumed.exit_code, 0) << resumed.error_text;
  ASSERT_EQ(status.checkpoints_size(), 2);
  ASSERT_EQ(status.checkpoints(1).name(), v1::Checkpoint::GENERATION_CLOSED);
  EXPECT_EQ(status.checkpoints(1).unclean(), "");
  Feed(40);
  ExpectOutput({{Start(), 10}, {Vector(status.checkpoints(1)), 15}});
  ExpectWhole();
}

// Killed after the review, before it was told to stop: nobody reviewed that end.
TEST_F(ReplaceTest, AnOldOneThatWasKilledNeedsAResume) {
  ASSERT_TRUE(AwaitAllRead());
  const std::map<int, int64_t> cut = Now();
  ChangeFilter();
  ASSERT_EQ(pipe_->Plan("p").exit_code, 10);
  pipe_->KillRunners();
  Feed(40);
  const CommandResult applied = pipe_->Apply("p");
  EXPECT_EQ(applied.exit_code, 1);
  EXPECT_THAT(applied.error_text, HasSubstr("UNCLEAN_END"));
  const v1::OperationStatus status = pipe_->Status();
  EXPECT_TRUE(status.allowed());
  const CommandResult resumed = pipe_->Resume("p", status.operation_id());
  ASSERT_EQ(resumed.exit_code, 0) << resumed.error_text;
  ExpectWhole();
  ExpectOutput({{Start(), 10}, {cut, filter_}});
}

// What the broker refuses comes from the projection: a repaired one goes on at that very record.
TEST_F(ReplaceTest, AProjectionIsChangedUnderAnEndThatThePlanSaw) {
  ASSERT_TRUE(AwaitAllRead());
  pipe_->KillRunners();
  Feed(20);
  pipe_->Edit("SELECT k, n AS number", "SELECT k");
  const CommandResult planned = pipe_->Plan("p");
  EXPECT_EQ(planned.exit_code, 12) << planned.error_text;
  EXPECT_THAT(planned.error_text, HasSubstr("`number` goes; it ended already (killed while it ran)"));
  const CommandResult applied = pipe_->Apply("p");
  ASSERT_EQ(applied.exit_code, 0) << applied.error_text;
  ExpectWhole();
  ExpectOutput({{Start(), 10}});
  EXPECT_THAT(AwaitOutput(broker_->bootstrap(), output_, 30, 60), testing::Contains(R"({"k":"r50"})"));
}

TEST_F(ReplaceTest, AStoppedOneIsReplacedAndStartedLater) {
  ASSERT_TRUE(AwaitAllRead());
  const std::map<int, int64_t> cut = Now();
  pipe_->Edit("running: true", "running: false");
  pipe_->Deploy("stop");
  ChangeFilter();
  pipe_->Deploy("change");
  EXPECT_THAT(pipe_->RunnerPids(), SizeIs(0));
  EXPECT_THAT(pipe_->Generations(), SizeIs(1));
  EXPECT_EQ(pipe_->Plan("p").exit_code, 0);
  Feed(20);
  pipe_->Edit("running: false", "running: true");
  pipe_->Deploy("start");
  ExpectWhole();
  ExpectOutput({{Start(), 10}, {cut, filter_}});
}

// Two replacements, one below the other, a new model and a topic's config in one plan, cut off in its middle.
TEST_F(ReplaceTest, SeveralChangesInOnePlan) {
  const std::string deep = output_ + ".deep";
  const std::string fresh = output_ + ".fresh";
  const auto model = [](const std::string& name, const std::string& from, const std::string& topic, int at_least) {
    return absl::StrCat("  - name: ", name, "\n    owner: tests\n    executor: runner\n    running: true\n",
                        "    sql: SELECT k, number FROM {{ ref(\"", from, "\") }} WHERE number >= ", at_least,
                        "\n    topic: {name: ", topic, ", partitions: 1}\n");
  };
  pipe_->Edit("models:\n", "models:\n" + model("deep", "big", deep, 12));
  pipe_->Deploy("deep");
  EXPECT_THAT(AwaitOutput(broker_->bootstrap(), deep, 16, 60), SizeIs(16));
  pipe_->Edit("number >= 12", "number >= 18");
  pipe_->Edit("retention.ms: 86400000", "retention.ms: 172800000");
  pipe_->Edit("models:\n", "models:\n" + model("fresh", "deep", fresh, 19));
  ChangeFilter();
  const CommandResult planned = pipe_->Plan("p");
  ASSERT_EQ(planned.exit_code, 10) << planned.error_text;
  ASSERT_EQ(pipe_->Apply("p", {{"ST_CRASH_AT", "after:remove_generation:2"}}).exit_code, kKilled);
  const v1::OperationStatus status = pipe_->Status();
  std::vector<std::string> reasons;
  for (const v1::Action& action : status.intent().actions()) reasons.push_back(action.reason());
  ASSERT_THAT(reasons, testing::ElementsAre(HasSubstr("retention.ms"), HasSubstr("create topic"),
                                            HasSubstr("replace runner " + group_), HasSubstr("becomes `number >= 18`"),
                                            HasSubstr("create runner")));
  const CommandResult resumed = pipe_->Resume("p", status.operation_id());
  ASSERT_EQ(resumed.exit_code, 0) << resumed.error_text;
  EXPECT_EQ(pipe_->Plan("again").exit_code, 0);
  EXPECT_THAT(pipe_->RunnerPids(), SizeIs(3));
  // 40 more: 2 each of 15 to 19 pass the first, 18 and 19 the second; the third reads all that was ever written.
  Feed(40);
  EXPECT_THAT(AwaitOutput(broker_->bootstrap(), output_, 30, 60), SizeIs(30));
  EXPECT_THAT(AwaitOutput(broker_->bootstrap(), deep, 20, 60), SizeIs(20));
  EXPECT_THAT(AwaitOutput(broker_->bootstrap(), fresh, 4, 60), SizeIs(4));
}

TEST_F(ReplaceTest, KilledAtRandomMoments) {
  const char* given = getenv("ST_TEST_SEED");
  uint64_t seed = std::random_device{}();
  ASSERT_TRUE(given == nullptr || absl::SimpleAtoi(given, &seed));
  std::cout << "ST_TEST_SEED=" << seed << "\n";
  std::mt19937_64 random(seed);
  std::vector<Era> eras = {{Start(), 10}};
  double whole = 3;
  int killed = 0;
  for (int i = 0; i < kRandomMoments; ++i) {
    ASSERT_TRUE(AwaitAllRead());
    ChangeFilter();
    eras.push_back({Now(), filter_});
    ASSERT_EQ(pipe_->Plan("p").exit_code, 10);
    // The first one, undisturbed, says how long it takes.
    const double after = i == 0 ? 60 : std::uniform_real_distribution<double>(0.001, whole)(random);
    SCOPED_TRACE(absl::StrCat("moment ", i, ": ", after, " s of ", whole, " s"));
    const CommandResult applied =
        pipe_->ToolKilledAfter(after, "st-apply", {"--plan", pipe_->Path("p")}, pipe_->Compile());
    if (i == 0) whole = applied.seconds;
    killed += applied.exit_code == kKilled ? 1 : 0;
    ASSERT_NO_FATAL_FAILURE(CarryOn());
    EXPECT_THAT(pipe_->RunnerPids(), SizeIs(1));
    Feed(20);
  }
  ExpectWhole();
  ExpectOutput(eras);
  std::cout << killed << " of " << kRandomMoments - 1 << " were killed before they ended\n";
  EXPECT_GT(killed, kRandomMoments / 2);
}

// From SIGTERM, as the old runner's status shows it, to the first commit of the new one.
TEST_F(ReplaceTest, HowLongProcessingStandsStill) {
  std::vector<double> seconds;
  for (int i = 0; i < 7; ++i) {
    ASSERT_TRUE(AwaitAllRead());
    const std::vector<int64_t> before = Committed();
    ChangeFilter();
    ASSERT_EQ(pipe_->Plan("p").exit_code, 10);
    const std::string status = pipe_->Generations().front() + "/state/status.textproto";
    CommandResult applied;
    std::thread apply([&] { applied = pipe_->Apply("p"); });
    absl::Time told = absl::InfinitePast();
    const absl::Time deadline = absl::Now() + absl::Minutes(1);
    while (told == absl::InfinitePast() && absl::Now() < deadline) {
      std::ifstream file(status);
      const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
      if (text.find("\nstate: CLOS") != std::string::npos || !std::filesystem::exists(status)) told = absl::Now();
      absl::SleepFor(absl::Milliseconds(2));
    }
    Feed(20);
    while (Committed() <= before && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(10));
    seconds.push_back(absl::ToDoubleSeconds(absl::Now() - told));
    apply.join();
    ASSERT_EQ(applied.exit_code, 0) << applied.error_text;
    ASSERT_LT(absl::Now(), deadline);
  }
  std::sort(seconds.begin(), seconds.end());
  std::cout << "figure: standstill of a replacement on the process host, SIGTERM to first commit: median "
            << seconds[seconds.size() / 2] << " s, " << seconds.front() << " to " << seconds.back() << " s of "
            << seconds.size() << "\n";
}

}  // namespace
}  // namespace st::e2e
