// What time does to a deployment, on a broker whose limits are short: what st-plan says, the reviewed way out, and the
// records afterwards, each once.
#include "absl/time/time.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "e2e/broker.h"
#include "e2e/pipe.h"
#include "e2e/runner/cluster.h"
#include "e2e/runner/runner_process.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace st::e2e {
namespace {

using ::testing::Each;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr int kPartitions = 2;

class TimeTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    // A minute is the least that a broker takes.
    auto broker = Broker::Start({"offsets.retention.minutes=1", "offsets.retention.check.interval.ms=1000"});
    ASSERT_TRUE(broker.ok()) << broker.status();
    broker_ = broker->release();
  }
  static void TearDownTestSuite() { delete broker_; }

  // A deployed model that has read records 0 to 19, of which 10 pass.
  void SetUp() override {
    static int number = 0;
    const std::string id = absl::StrCat(number++);
    input_ = "in" + id;
    output_ = "out" + id;
    cluster_ = std::make_unique<Cluster>(broker_->bootstrap());
    cluster_->CreateTopic(input_, kPartitions);
    Feed(0, 20);
    pipe_ = std::make_unique<Pipe>(broker_->bootstrap(), "time" + id);
    pipe_->WriteProject(input_, output_);
    pipe_->Deploy("created");
    ExpectOutput(10, 20);
  }

  // By turns into the partitions.
  void Feed(int from, int to, int partitions = kPartitions) {
    std::vector<Record> records;
    for (int i = from; i < to; ++i) {
      records.push_back({.partition = i % partitions, .value = absl::StrCat(R"({"k":"r)", i, R"(","n":)", i, "}")});
    }
    cluster_->Produce(input_, records);
    fed_ = to;
  }

  // Records `from` to `to` have come, each once, and nothing else.
  void ExpectOutput(int from, int to) {
    std::vector<std::string> wanted;
    for (int i = from; i < to; ++i) wanted.push_back(absl::StrCat(R"({"k":"r)", i, R"(","number":)", i, "}"));
    ExpectValues(wanted);
  }
  void ExpectValues(std::vector<std::string> wanted) {
    std::vector<std::string> seen = AwaitOutput(broker_->bootstrap(), output_, wanted.size(), 60);
    std::sort(seen.begin(), seen.end());
    std::sort(wanted.begin(), wanted.end());
    EXPECT_THAT(seen, ElementsAreArray(wanted));
  }

  std::vector<int64_t> Committed(int partitions = kPartitions) {
    return cluster_->Committed(pipe_->application_id("big"), input_, partitions);
  }
  template <typename Condition>
  void Await(const char* what, Condition condition) {
    const absl::Time deadline = absl::Now() + absl::Minutes(4);
    while (!condition()) {
      ASSERT_LT(absl::Now(), deadline) << "not in time: " << what;
      absl::SleepFor(absl::Milliseconds(100));
    }
  }
  void AwaitEmptyGroup() {
    Await("an empty group", [&] { return cluster_->GroupState(pipe_->application_id("big")) == "Empty"; });
  }
  // Everything that was fed is committed, and the runner's status says so, which is up to a second later.
  void AwaitStatus() {
    Await("a status in which all is read", [&] {
      const std::optional<v1::RunnerStatus> status =
          ReadStatus(absl::StrCat(pipe_->Generations().front(), "/state/status.textproto"));
      int64_t sum = 0;
      for (int i = 0; status.has_value() && i < status->partitions_size(); ++i)
        sum += status->partitions(i).committed();
      return sum == fed_;
    });
  }
  // As a killed machine leaves it, with nobody in the group any more.
  void KillRunner() {
    pipe_->KillRunners();
    AwaitEmptyGroup();
  }
  void Stop(const std::string& file) {
    pipe_->Edit("running: true", "running: false");
    pipe_->Deploy(file);
  }
  void ExpectNoChanges() {
    const CommandResult planned = pipe_->Plan("no-op");
    EXPECT_EQ(planned.exit_code, 0) << planned.error_text;
  }
  void Apply(const std::string& file) {
    const CommandResult applied = pipe_->Apply(file);
    ASSERT_EQ(applied.exit_code, 0) << applied.error_text;
  }

  static Broker* broker_;
  std::string input_;
  std::string output_;
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<Pipe> pipe_;
  int fed_ = 0;
};

Broker* TimeTest::broker_ = nullptr;

TEST_F(TimeTest, AStoppedWeekIsRestoredFromTheCleanClose) {
  Stop("stopped");
  Feed(20, 30);
  Await("the offsets expire", [&] { return Committed() == std::vector<int64_t>(kPartitions, -1); });
  ExpectNoChanges();
  pipe_->Edit("running: false", "running: true");
  const CommandResult planned = pipe_->Plan("again");
  EXPECT_EQ(planned.exit_code, 12) << planned.error_text;
  EXPECT_THAT(planned.error_text, HasSubstr("restore offsets of"));
  EXPECT_THAT(planned.error_text, HasSubstr("go on where it closed cleanly"));
  Apply("again");
  ExpectOutput(10, 30);
  ExpectNoChanges();
}

TEST_F(TimeTest, AfterAnUncleanEndAPersonChooses) {
  AwaitStatus();
  KillRunner();
  cluster_->DeleteOffsets(pipe_->application_id("big"), input_, kPartitions);
  Feed(20, 30);
  CommandResult planned = pipe_->Plan("blocked");
  EXPECT_EQ(planned.exit_code, 1);
  EXPECT_THAT(planned.error_text, HasSubstr("OFFSETS_MISSING"));
  EXPECT_THAT(planned.error_text, HasSubstr("--start-at big=earliest reads the 30 records"));
  EXPECT_THAT(planned.error_text, HasSubstr("--start-at big=last-status"));
  EXPECT_EQ(pipe_->Apply("blocked").exit_code, 1);
  EXPECT_THAT(Committed(), Each(-1));
  EXPECT_EQ(pipe_->Plan("unknown", {"--start-at", "nobody=latest"}).exit_code, 1);

  planned = pipe_->Plan("chosen", {"--start-at", "big=last-status"});
  EXPECT_EQ(planned.exit_code, 11) << planned.error_text;
  Apply("chosen");
  ExpectOutput(10, 30);
  ExpectNoChanges();
  // Nothing is left to choose.
  planned = pipe_->Plan("needless", {"--start-at", "big=latest"});
  EXPECT_EQ(planned.exit_code, 1);
  EXPECT_THAT(planned.error_text, HasSubstr("START_AT_NOT_NEEDED"));
}

TEST_F(TimeTest, RetentionThatPassedTheCommittedOffset) {
  Stop("stopped");
  Feed(20, 40);
  // Of each partition the first 15: 10 of them were read, 5 were not.
  for (int i = 0; i < kPartitions; ++i) cluster_->DeleteRecords(input_, i, 15);
  pipe_->Edit("running: false", "running: true");
  CommandResult planned = pipe_->Plan("blocked");
  EXPECT_EQ(planned.exit_code, 1);
  EXPECT_THAT(planned.error_text, HasSubstr("OFFSETS_OUT_OF_RANGE"));
  EXPECT_THAT(planned.error_text, HasSubstr("10 records before them were deleted unread"));
  planned = pipe_->Plan("chosen", {"--start-at", "big=earliest"});
  EXPECT_EQ(planned.exit_code, 12) << planned.error_text;
  Apply("chosen");
  std::vector<std::string> wanted;
  for (int i = 10; i < 40; ++i) {
    if (i < 20 || i >= 30) wanted.push_back(absl::StrCat(R"({"k":"r)", i, R"(","number":)", i, "}"));
  }
  ExpectValues(wanted);
  ExpectNoChanges();
}

TEST_F(TimeTest, AnInputThatGrowsStopsAndSkipsNothing) {
  cluster_->AddPartitions(input_, 4);
  Feed(20, 40, 4);
  ExpectOutput(10, 40);
  CommandResult planned = pipe_->Plan("grown");
  EXPECT_EQ(planned.exit_code, 0) << planned.error_text;
  EXPECT_THAT(planned.error_text, HasSubstr("PARTITIONS_GROWN"));

  // The next generation is made for all of them.
  pipe_->Edit("n >= 10", "n >= 50");
  pipe_->Deploy("replaced");
  Feed(40, 60, 4);
  std::vector<std::string> wanted;
  for (int i = 10; i < 60; ++i) {
    if (i < 40 || i >= 50) wanted.push_back(absl::StrCat(R"({"k":"r)", i, R"(","number":)", i, "}"));
  }
  ExpectValues(wanted);
  planned = pipe_->Plan("after");
  EXPECT_EQ(planned.exit_code, 0) << planned.error_text;
  EXPECT_THAT(planned.error_text, testing::Not(HasSubstr("PARTITIONS_GROWN")));
}

TEST_F(TimeTest, AnInputThatGrewWhileNothingRan) {
  Stop("stopped");
  cluster_->AddPartitions(input_, 3);
  Feed(20, 32, 3);
  pipe_->Edit("running: false", "running: true");
  pipe_->Deploy("again");
  ExpectOutput(10, 32);
  ExpectNoChanges();
}

// A partition that the input got later is restored like those of the start, and none of it is read again.
TEST_F(TimeTest, AnInputThatGrewLosesItsOffsets) {
  Stop("stopped");
  cluster_->AddPartitions(input_, 3);
  Feed(20, 32, 3);
  pipe_->Edit("running: false", "running: true");
  pipe_->Deploy("grown");
  ExpectOutput(10, 32);
  Stop("stopped-again");
  cluster_->DeleteOffsets(pipe_->application_id("big"), input_, 3);
  Feed(32, 44, 3);
  pipe_->Edit("running: false", "running: true");
  const CommandResult planned = pipe_->Plan("again");
  EXPECT_EQ(planned.exit_code, 12) << planned.error_text;
  EXPECT_THAT(planned.error_text, HasSubstr("go on where it closed cleanly"));
  EXPECT_THAT(planned.error_text, HasSubstr("PARTITIONS_GROWN"));
  Apply("again");
  ExpectOutput(10, 44);
  ExpectNoChanges();
}

// All that was running is gone with the machine; the very generation is started again.
TEST_F(TimeTest, AMachineThatWentDown) {
  const std::vector<std::string> generations = pipe_->Generations();
  ASSERT_THAT(generations, SizeIs(1));
  pipe_->KillRunners();
  Feed(20, 30);
  // At once: the killed process is still a member of its group, and is waited for.
  const CommandResult planned = pipe_->Plan("again");
  EXPECT_EQ(planned.exit_code, 11) << planned.error_text;
  EXPECT_THAT(planned.error_text, HasSubstr("start runner"));
  Apply("again");
  EXPECT_EQ(pipe_->Generations(), generations);
  ExpectOutput(10, 30);
  ExpectNoChanges();
}

}  // namespace
}  // namespace st::e2e
