#include "e2e/model_fixture.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "schemas/st/v1/observation.pb.h"

namespace st::e2e {
namespace {

using ::testing::SizeIs;

constexpr absl::Duration kLongest = absl::Minutes(1);
constexpr absl::Duration kLook = absl::Milliseconds(20);

std::string Between(const std::string& text, const std::string& before, const std::string& after) {
  const size_t from = text.find(before) + before.size();
  return text.substr(from, text.find(after, from) - from);
}

// Names of boundaries, and how often each is met by one replacement.
constexpr std::pair<const char*, int> kBoundaries[] = {{"stop_generation", 1},   {"remove_generation", 1},
                                                       {"create_generation", 1}, {"start_generation", 1},
                                                       {"checkpoint", 6},        {"complete", 1}};

}  // namespace

Broker* ModelFixture::broker_ = nullptr;

void ModelFixture::SetUpTestSuite() {
  auto broker = Broker::Start();
  ASSERT_TRUE(broker.ok()) << broker.status();
  broker_ = broker->release();
}

void ModelFixture::TearDownTestSuite() { delete std::exchange(broker_, nullptr); }

ModelFixture::~ModelFixture() = default;

void ModelFixture::Declare(const std::string& prefix) {
  static int number = 0;
  id_ = absl::StrCat(prefix, number++);
  input_ = id_ + ".in";
  output_ = id_ + ".out";
  Probe(broker_->bootstrap(), {"create", input_, "--partitions", std::to_string(kPartitions)});
  pipe_ = std::make_unique<Pipe>(broker_->bootstrap(), id_);
  pipe_->WriteProject(input_, output_);
  group_ = pipe_->application_id("big");
  auto admin = kafka::OpenAdmin({{"bootstrap.servers", broker_->bootstrap()}}, "model-test");
  ASSERT_TRUE(admin.ok()) << admin.status();
  admin_ = *std::move(admin);
}

void ModelFixture::DeployAndFeed() {
  pipe_->Deploy("create");
  Feed(40);
}

void ModelFixture::Feed(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i, ++fed_) {
    absl::StrAppend(&lines, "r", fed_.load(), "={\"k\":\"r", fed_.load(), "\",\"n\":", fed_ % 20, "}\n");
  }
  Probe(broker_->bootstrap(), {"produce", input_, "--key-separator", "="}, lines);
}

void ModelFixture::ChangeFilter() {
  const int next = filter_ == 10 ? 15 : 10;
  pipe_->Edit(absl::StrCat("n >= ", filter_), absl::StrCat("n >= ", next));
  filter_ = next;
}

void ModelFixture::PlanAnotherFilter() {
  ChangeFilter();
  const CommandResult planned = pipe_->Plan("p");
  ASSERT_EQ(planned.exit_code, 10) << planned.error_text;
}

std::vector<int64_t> ModelFixture::Committed() {
  std::vector<int64_t> offsets(kPartitions, -1);
  auto group = admin_->DescribeGroup(group_, {{input_, kPartitions}});
  if (!group.ok() || group->topics_size() != 1) return offsets;
  for (const v1::GroupOffset& offset : group->topics(0).offsets()) {
    offsets[static_cast<size_t>(offset.partition())] = offset.unstable() ? -1 : offset.offset();
  }
  return offsets;
}

std::map<int, int64_t> ModelFixture::Now() {
  const std::vector<int64_t> committed = Committed();
  return {{0, committed[0]}, {1, committed[1]}};
}

bool ModelFixture::AwaitAllRead() {
  const absl::Time deadline = absl::Now() + kLongest;
  while (absl::Now() < deadline) {
    auto topics = admin_->DescribeTopics({input_});
    const std::vector<int64_t> committed = Committed();
    bool all = topics.ok();
    for (int i = 0; all && i < kPartitions; ++i) {
      all = committed[static_cast<size_t>(i)] == topics->front().partitions(i).end_offset();
    }
    if (all) return true;
    absl::SleepFor(kLook);
  }
  return false;
}

bool ModelFixture::AwaitNoRunner() const {
  const absl::Time deadline = absl::Now() + kLongest;
  while (!pipe_->RunnerPids().empty()) {
    if (absl::Now() > deadline) return false;
    absl::SleepFor(kLook);
  }
  return true;
}

std::vector<ModelFixture::InputRecord> ModelFixture::Input() {
  std::vector<InputRecord> records;
  for (int partition = 0; partition < kPartitions; ++partition) {
    int64_t offset = 0;
    const std::vector<std::string> lines = absl::StrSplit(
        Probe(broker_->bootstrap(), {"consume", input_, "--exit-at-end", "--partition", std::to_string(partition)}),
        '\n', absl::SkipEmpty());
    for (const std::string& line : lines) {
      InputRecord& record = records.emplace_back();
      record.partition = partition;
      record.offset = offset++;
      record.name = Between(line, "\"k\":\"", "\"");
      EXPECT_TRUE(absl::SimpleAtoi(Between(line, "\"n\":", "}"), &record.n)) << line;
    }
  }
  return records;
}

void ModelFixture::ExpectOutput(const std::vector<Era>& eras) {
  std::map<std::string, int> partition_of;
  std::vector<std::vector<std::string>> wanted(kPartitions);
  size_t all = 0;
  for (const InputRecord& record : Input()) {
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
  for (const std::string& line : Output(all)) {
    const std::string name = Between(line, "\"k\":\"", "\"");
    got[static_cast<size_t>(partition_of[name])].push_back(name);
  }
  EXPECT_EQ(got, wanted);
}

std::map<int, int64_t> ModelFixture::Vector(const v1::Checkpoint& checkpoint) {
  std::map<int, int64_t> vector;
  for (const v1::PartitionOffset& offset : checkpoint.vector()) vector[offset.partition()] = offset.offset();
  return vector;
}

void ModelFixture::ExpectOneRunner() const {
  EXPECT_THAT(pipe_->Generations(), SizeIs(1));
  EXPECT_THAT(pipe_->RunnerPids(), SizeIs(1));
}

void ModelFixture::ExpectWhole() const {
  EXPECT_EQ(pipe_->Status().operation_id(), "");
  ExpectOneRunner();
  const CommandResult again = pipe_->Plan("again");
  EXPECT_EQ(again.exit_code, 0) << again.error_text;
}

void ModelFixture::CarryOn() const {
  const v1::OperationStatus status = pipe_->Status();
  CommandResult carried;
  if (!status.operation_id().empty()) {
    carried = pipe_->Resume("p", status.operation_id());
  } else if (pipe_->Plan("again").exit_code != 0) {
    carried = pipe_->Apply("p");
  }
  ASSERT_EQ(carried.exit_code, 0) << carried.error_text;
}

std::vector<std::string> CrashPoints(const std::string& first) {
  std::vector<std::string> points = {"before:" + first + ":1", "after:" + first + ":1"};
  for (const auto& [boundary, times] : kBoundaries) {
    for (int nth = 1; nth <= times; ++nth) {
      for (const char* side : {"before", "after"}) points.push_back(absl::StrCat(side, ":", boundary, ":", nth));
    }
  }
  return points;
}

}  // namespace st::e2e
