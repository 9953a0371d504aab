// A deployed model's SQL changes, on a real broker and the process host: the reviewed plan replaces the runner on the
// same application and offsets. Wherever st-apply or st-resume is cut off, the same operation is carried on, and every
// record comes out once, by the filter of the generation that read it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
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

}  // namespace
}  // namespace st::e2e
