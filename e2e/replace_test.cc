// A deployed model's SQL changes, on a real broker and the process host: the reviewed plan replaces the runner on the
// same application and offsets. Wherever st-apply or st-resume is cut off, the same operation is carried on, and every
// record comes out once, by the filter of the generation that read it.
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/broker.h"
#include "e2e/pipe.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/kafka/admin.h"
#include "schemas/st/v1/observation.pb.h"

namespace st::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr int kPartitions = 2;
constexpr int kKilled = 128 + 9;
constexpr int kRandomMoments = 25;

class ReplaceTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto broker = Broker::Start();
    ASSERT_TRUE(broker.ok()) << broker.status();
    broker_ = broker->release();
  }
  static void TearDownTestSuite() { delete broker_; }

  // A model that keeps n >= 10, deployed and fed.
  void SetUp() override {
    static int number = 0;
    const std::string id = std::to_string(number++);
    input_ = absl::StrCat("replace", id, ".in");
    output_ = absl::StrCat("replace", id, ".out");
    Probe(broker_->bootstrap(), {"create", input_, "--partitions", std::to_string(kPartitions)});
    pipe_ = std::make_unique<Pipe>(broker_->bootstrap(), "replace" + id);
    pipe_->WriteProject(input_, output_);
    pipe_->Deploy("create");
    Feed(40);
    group_ = pipe_->application_id("big");
    auto admin = kafka::OpenAdmin({{"bootstrap.servers", broker_->bootstrap()}}, "replace-test");
    ASSERT_TRUE(admin.ok()) << admin.status();
    admin_ = *std::move(admin);
  }

  // Records `r<i>` with n = i % 20, i counted through.
  void Feed(int count) {
    std::string lines;
    for (int i = 0; i < count; ++i, ++fed_) {
      absl::StrAppend(&lines, "r", fed_.load(), "={\"k\":\"r", fed_.load(), "\",\"n\":", fed_ % 20, "}\n");
    }
    Probe(broker_->bootstrap(), {"produce", input_, "--key-separator", "="}, lines);
  }

  // Committed offsets of the group, partition by partition; -1: none.
  std::vector<int64_t> Committed() {
    std::vector<int64_t> offsets(kPartitions, -1);
    auto group = admin_->DescribeGroup(group_, {{input_, kPartitions}});
    if (!group.ok() || group->topics_size() != 1) return offsets;
    for (const v1::GroupOffset& offset : group->topics(0).offsets()) {
      offsets[static_cast<size_t>(offset.partition())] = offset.unstable() ? -1 : offset.offset();
    }
    return offsets;
  }

  bool AwaitAllRead() {
    const absl::Time deadline = absl::Now() + absl::Minutes(1);
    while (absl::Now() < deadline) {
      auto topics = admin_->DescribeTopics({input_});
      const std::vector<int64_t> committed = Committed();
      bool all = topics.ok();
      for (int i = 0; all && i < kPartitions; ++i) {
        all = committed[static_cast<size_t>(i)] == topics->front().partitions(i).end_offset();
      }
      if (all) return true;
      absl::SleepFor(absl::Milliseconds(20));
    }
    return false;
  }

  // Names of the input's records that pass, in order, each with its partition and offset.
  struct Record {
    int partition = 0;
    int64_t offset = 0;
    std::string name;
    int n = 0;
  };
  std::vector<Record> Input() {
    std::vector<Record> records;
    for (int partition = 0; partition < kPartitions; ++partition) {
      int64_t offset = 0;
      const std::vector<std::string> lines = absl::StrSplit(
          Probe(broker_->bootstrap(), {"consume", input_, "--exit-at-end", "--partition", std::to_string(partition)}),
          '\n', absl::SkipEmpty());
      for (const std::string& line : lines) {
        Record& record = records.emplace_back();
        record.partition = partition;
        record.offset = offset++;
        record.name = Between(line, "\"k\":\"", "\"");
        EXPECT_TRUE(absl::SimpleAtoi(Between(line, "\"n\":", "}"), &record.n)) << line;
      }
    }
    return records;
  }

  static std::string Between(const std::string& text, const std::string& before, const std::string& after) {
    const size_t from = text.find(before) + before.size();
    return text.substr(from, text.find(after, from) - from);
  }

  // One filter from here on, partition by partition.
  struct Era {
    std::map<int, int64_t> from;
    int at_least = 0;
  };

  // Output equals input through the filters of `eras`, each record once, in order per partition.
  void ExpectOutput(const std::vector<Era>& eras) {
    std::map<std::string, int> partition_of;
    std::vector<std::vector<std::string>> wanted(kPartitions);
    size_t all = 0;
    for (const Record& record : Input()) {
      partition_of[record.name] = record.partition;
      int at_least = 0;
      for (const Era& era : eras) {
        if (record.offset >= era.from.at(record.partition)) at_least = era.at_least;
      }
      if (record.n < at_least) continue;
      wanted[static_cast<size_t>(record.partition)].push_back(record.name);
      ++all;
    }
    ASSERT_TRUE(AwaitAllRead());
    std::vector<std::vector<std::string>> got(kPartitions);
    for (const std::string& line : AwaitOutput(broker_->bootstrap(), output_, all, 60)) {
      const std::string name = Between(line, "\"k\":\"", "\"");
      got[static_cast<size_t>(partition_of[name])].push_back(name);
    }
    EXPECT_EQ(got, wanted);
  }

  static std::map<int, int64_t> Vector(const v1::Checkpoint& checkpoint) {
    std::map<int, int64_t> vector;
    for (const v1::PartitionOffset& offset : checkpoint.vector()) vector[offset.partition()] = offset.offset();
    return vector;
  }
  static std::map<int, int64_t> Start() { return {{0, 0}, {1, 0}}; }
  std::map<int, int64_t> Now() {
    const std::vector<int64_t> committed = Committed();
    return {{0, committed[0]}, {1, committed[1]}};
  }

  // The same filter never twice in a row.
  void ChangeFilter() {
    const int next = filter_ == 10 ? 15 : 10;
    pipe_->Edit(absl::StrCat("n >= ", filter_), absl::StrCat("n >= ", next));
    filter_ = next;
  }

  void ExpectWhole() {
    EXPECT_EQ(pipe_->Status().operation_id(), "");
    EXPECT_THAT(pipe_->Generations(), SizeIs(1));
    EXPECT_THAT(pipe_->RunnerPids(), SizeIs(1));
    const CommandResult again = pipe_->Plan("again");
    EXPECT_EQ(again.exit_code, 0) << again.error_text;
  }

  static Broker* broker_;
  std::string input_;
  std::string output_;
  std::string group_;
  std::unique_ptr<Pipe> pipe_;
  std::unique_ptr<kafka::ClusterAdmin> admin_;
  std::atomic<int> fed_ = 0;
  int filter_ = 10;
};

Broker* ReplaceTest::broker_ = nullptr;

// Names of boundaries, and how often each is met by one replacement.
const std::vector<std::pair<std::string, int>> kBoundaries = {{"stop_generation", 1},   {"remove_generation", 1},
                                                              {"create_generation", 1}, {"start_generation", 1},
                                                              {"checkpoint", 6},        {"complete", 1}};

std::vector<std::string> CrashPoints(const std::string& first) {
  std::vector<std::string> points = {"before:" + first + ":1", "after:" + first + ":1"};
  for (const auto& [boundary, times] : kBoundaries) {
    for (int nth = 1; nth <= times; ++nth) {
      for (const char* side : {"before", "after"}) points.push_back(absl::StrCat(side, ":", boundary, ":", nth));
    }
  }
  return points;
}

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

// One model, replaced once a cell, fed before and after.
TEST_F(ReplaceTest, KilledAtEveryBoundary) {
  std::vector<Era> eras = {{Start(), 10}};
  int cells = 0;
  for (const std::string& at : CrashPoints("intent")) {
    SCOPED_TRACE(at);
    ASSERT_TRUE(AwaitAllRead());
    ChangeFilter();
    eras.push_back({Now(), filter_});
    ASSERT_EQ(pipe_->Plan("p").exit_code, 10);
    const CommandResult applied = pipe_->Apply("p", {{"ST_CRASH_AT", at}});
    ASSERT_EQ(applied.exit_code, kKilled) << "the boundary was not met: " << applied.error_text;
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
    EXPECT_THAT(pipe_->Generations(), SizeIs(1));
    EXPECT_THAT(pipe_->RunnerPids(), SizeIs(1));
    Feed(20);
    ++cells;
  }
  ExpectWhole();
  ExpectOutput(eras);
  EXPECT_EQ(cells, 24);
  std::cout << "figure: kill points of st-apply survived by a replacement: " << cells << "\n";
}

TEST_F(ReplaceTest, AResumeIsKilledAtEveryBoundary) {
  std::vector<Era> eras = {{Start(), 10}};
  int cells = 0;
  for (const std::string& at : CrashPoints("authorization")) {
    SCOPED_TRACE(at);
    ASSERT_TRUE(AwaitAllRead());
    ChangeFilter();
    eras.push_back({Now(), filter_});
    ASSERT_EQ(pipe_->Plan("p").exit_code, 10);
    ASSERT_EQ(pipe_->Apply("p", {{"ST_CRASH_AT", "after:intent:1"}}).exit_code, kKilled);
    const std::string operation = pipe_->Status().operation_id();
    const CommandResult killed = pipe_->Resume("p", operation, {{"ST_CRASH_AT", at}});
    ASSERT_EQ(killed.exit_code, kKilled) << "the boundary was not met: " << killed.error_text;
    const CommandResult resumed = pipe_->Resume("p", operation);
    ASSERT_EQ(resumed.exit_code, 0) << resumed.error_text;
    EXPECT_THAT(pipe_->Generations(), SizeIs(1));
    EXPECT_THAT(pipe_->RunnerPids(), SizeIs(1));
    Feed(20);
    ++cells;
  }
  ExpectWhole();
  ExpectOutput(eras);
  EXPECT_EQ(cells, 24);
  std::cout << "figure: kill points of st-resume survived by a replacement: " << cells << "\n";
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
    const v1::OperationStatus status = pipe_->Status();
    if (!status.operation_id().empty()) {
      const CommandResult resumed = pipe_->Resume("p", status.operation_id());
      ASSERT_EQ(resumed.exit_code, 0) << resumed.error_text;
    } else if (pipe_->Plan("again").exit_code != 0) {
      ASSERT_EQ(pipe_->Apply("p").exit_code, 0);
    }
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
