// A changed filter in containers: the reviewed plan replaces the runner on the same application, offsets and volume,
// also when it is cut off half-way, and when the old container was killed. Figure: how long processing stands still.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/docker/ground.h"
#include "e2e/docker/operator.h"
#include "e2e/pipe.h"
#include "lib/kafka/admin.h"
#include "schemas/st/v1/observation.pb.h"

namespace st::e2e {
namespace {

using ::testing::HasSubstr;

constexpr char kInput[] = "orders.v1";
constexpr char kOutput[] = "orders.large.v1";
constexpr int kKilled = 128 + 9;

class DockerReplaceTest : public testing::Test {
 protected:
  DockerReplaceTest()
      : broker_(*ground_, "broker"),
        operator_(*ground_, broker_.bootstrap(), broker_.inside(), Operator::Who::kRoot),
        application_(operator_.application_id("large_orders")) {
    operator_.TakeExample("orders");
    ground_->Docker({"load", "--input", operator_.Path("prefix/share/st/st-runner-image.tar")});
  }

  static void SetUpTestSuite() { ground_ = std::make_unique<Ground>(); }
  static void TearDownTestSuite() { ground_.reset(); }

  void SetUp() override {
    ASSERT_EQ(operator_.Plan("plan").exit_code, 10);
    const CommandResult applied = operator_.Apply("plan");
    ASSERT_EQ(applied.exit_code, 0) << applied.error_text;
    volume_ = Volume();
    Feed();
  }

  std::string Container() {
    const std::vector<std::string> containers = ground_->ContainersOf(application_);
    EXPECT_EQ(containers.size(), 1u);
    return containers.empty() ? "" : containers.front();
  }
  std::string Volume() {
    return ground_->Inspect(Container(), "{{range .Mounts}}{{if eq .Type \"volume\"}}{{.Name}}{{end}}{{end}}");
  }

  // 20 orders of 90 to 185 units.
  void Feed() {
    std::string lines;
    for (int i = 0; i < 20; ++i, ++fed_) {
      const int amount = 90 + i * 5;
      absl::StrAppend(&lines, R"({"id":"o)", fed_, R"(","amount":)", amount, R"(,"paid":true})", "\n");
      if (amount < filter_) continue;
      expected_.push_back(absl::StrCat(R"({"order_id":"o)", fed_, R"(","amount":)", amount, "}"));
    }
    Probe(broker_.bootstrap(), {"produce", kInput}, lines);
  }

  void ChangeFilter() {
    const int next = filter_ == 100 ? 150 : 100;
    operator_.Edit("models/orders.yml", absl::StrCat("amount >= ", filter_), absl::StrCat("amount >= ", next));
    filter_ = next;
    const CommandResult planned = operator_.Plan("plan");
    ASSERT_EQ(planned.exit_code, 10) << planned.error_text;
    ASSERT_THAT(planned.error_text, HasSubstr("replace runner " + application_));
  }

  CommandResult ApplyCutOff(const std::string& at) {
    operator_.environment()["ST_CRASH_AT"] = at;
    CommandResult result = operator_.Apply("plan");
    operator_.environment().erase("ST_CRASH_AT");
    return result;
  }

  v1::OperationStatus Status() {
    return ReadAnswer<v1::OperationStatus>(operator_.Run({"st-resume", "--status"}, operator_.Compile()).output);
  }
  CommandResult Resume(const std::string& operation) {
    return operator_.Run({"st-resume", "--plan", "plan", "--operation", operation}, operator_.Compile());
  }

  void ExpectWhole() {
    EXPECT_TRUE(broker_.AwaitAllRead(application_, kInput));
    EXPECT_EQ(ground_->Inspect(Container(), "{{.State.Status}}"), "running");
    EXPECT_EQ(Volume(), volume_);
    const CommandResult again = operator_.Plan("again");
    EXPECT_EQ(again.exit_code, 0) << again.error_text;
    std::vector<std::string> values;
    for (const SeenRecord& record : SeenRecords(broker_.bootstrap(), kOutput)) values.push_back(record.value);
    EXPECT_THAT(values, testing::UnorderedElementsAreArray(expected_));
  }

  static std::unique_ptr<Ground> ground_;
  BrokerContainer broker_;
  Operator operator_;
  std::string application_;
  std::string volume_;
  std::vector<std::string> expected_;
  int fed_ = 0;
  int filter_ = 100;
};

std::unique_ptr<Ground> DockerReplaceTest::ground_;

TEST_F(DockerReplaceTest, CutOffAnywhereItIsCarriedOn) {
  int cells = 0;
  for (const char* at :
       {"", "after:intent:1", "before:stop_generation:1", "after:stop_generation:1", "after:checkpoint:2",
        "before:remove_generation:1", "after:remove_generation:1", "after:create_generation:1",
        "before:start_generation:1", "after:start_generation:1", "before:complete:1"}) {
    SCOPED_TRACE(at);
    ASSERT_TRUE(broker_.AwaitAllRead(application_, kInput));
    const std::string before = Container();
    ASSERT_NO_FATAL_FAILURE(ChangeFilter());
    const CommandResult applied = ApplyCutOff(at);
    ASSERT_EQ(applied.exit_code, *at == '\0' ? 0 : kKilled) << applied.error_text;
    if (*at != '\0') {
      const CommandResult resumed = Resume(Status().operation_id());
      ASSERT_EQ(resumed.exit_code, 0) << resumed.error_text;
    }
    EXPECT_NE(Container(), before);
    Feed();
    ++cells;
  }
  ExpectWhole();
  std::cout << "figure: kill points survived by a replacement in Docker: " << cells - 1 << "\n";
  EXPECT_EQ(cells, 11);
}

TEST_F(DockerReplaceTest, AKilledContainerIsReplacedByAResumeOnly) {
  ASSERT_TRUE(broker_.AwaitAllRead(application_, kInput));
  ASSERT_NO_FATAL_FAILURE(ChangeFilter());
  ground_->Docker({"kill", "--signal", "KILL", Container()});
  Feed();
  const CommandResult applied = operator_.Apply("plan");
  EXPECT_EQ(applied.exit_code, 1);
  EXPECT_THAT(applied.error_text, HasSubstr("UNCLEAN_END"));
  const v1::OperationStatus status = Status();
  EXPECT_TRUE(status.allowed()) << status.reason();
  const CommandResult resumed = Resume(status.operation_id());
  EXPECT_EQ(resumed.exit_code, 0) << resumed.error_text;
  ExpectWhole();
}

// Half-way somebody else is at work; each time the operation says what it met, and goes on when that is set right.
TEST_F(DockerReplaceTest, WhatSomebodyDoesInBetween) {
  const auto cut_off = [this](const std::string& at) {
    ASSERT_TRUE(broker_.AwaitAllRead(application_, kInput));
    ASSERT_NO_FATAL_FAILURE(ChangeFilter());
    ASSERT_EQ(ApplyCutOff(at).exit_code, kKilled);
  };
  const auto expect_blocked = [this](const std::string& code) {
    const CommandResult resumed = Resume(Status().operation_id());
    EXPECT_EQ(resumed.exit_code, 1);
    EXPECT_THAT(resumed.error_text, HasSubstr(code));
    EXPECT_THAT(Status().reason(), HasSubstr(code));
  };
  const auto carry_on = [this] {
    const CommandResult resumed = Resume(Status().operation_id());
    ASSERT_EQ(resumed.exit_code, 0) << resumed.error_text;
    Feed();
  };

  // The old one is started again, and reads: it is closed once more, at its new place.
  ASSERT_NO_FATAL_FAILURE(cut_off("after:checkpoint:2"));
  ground_->Docker({"start", Container()});
  filter_ = filter_ == 100 ? 150 : 100;  // what it still filters by
  Feed();
  ASSERT_TRUE(broker_.AwaitAllRead(application_, kInput));
  filter_ = filter_ == 100 ? 150 : 100;
  ASSERT_NO_FATAL_FAILURE(carry_on());

  // A stranger with our label.
  ASSERT_NO_FATAL_FAILURE(cut_off("after:checkpoint:2"));
  const std::string stranger =
      ground_->Docker({"create", "--label", "st.application=" + application_, operator_.image(), "--version"});
  expect_blocked("RUNNER_NOT_OURS");
  ground_->Docker({"rm", stranger});
  ASSERT_NO_FATAL_FAILURE(carry_on());

  // Another tool moves an offset while nothing runs, and puts it back.
  auto admin = kafka::OpenAdmin({{"bootstrap.servers", broker_.bootstrap()}}, "meddler");
  ASSERT_TRUE(admin.ok()) << admin.status();
  ASSERT_NO_FATAL_FAILURE(cut_off("after:checkpoint:3"));
  auto topics = (*admin)->DescribeTopics({kInput});
  ASSERT_TRUE(topics.ok()) << topics.status();
  auto group = (*admin)->DescribeGroup(application_, {{kInput, topics->front().partitions_size()}});
  ASSERT_TRUE(group.ok()) << group.status();
  const auto& offsets = group->topics(0).offsets();
  const auto read =
      std::find_if(offsets.begin(), offsets.end(), [](const auto& offset) { return offset.offset() > 0; });
  ASSERT_NE(read, offsets.end());
  v1::PartitionOffset moved;
  moved.set_partition(read->partition());
  moved.set_leader_epoch(-1);
  const int64_t at = read->offset();
  moved.set_offset(at - 1);
  ASSERT_TRUE((*admin)->CommitOffsets(application_, kInput, {moved}, "").ok());
  expect_blocked("OFFSETS_MOVED");
  moved.set_offset(at);
  ASSERT_TRUE((*admin)->CommitOffsets(application_, kInput, {moved}, "").ok());
  ASSERT_NO_FATAL_FAILURE(carry_on());
  ExpectWhole();

  // A volume of the same name is another one, and nothing brings it back.
  ASSERT_NO_FATAL_FAILURE(cut_off("after:checkpoint:3"));
  ground_->Docker({"volume", "rm", volume_});
  ground_->Docker({"volume", "create", volume_});
  expect_blocked("VOLUME_CHANGED");
}

TEST_F(DockerReplaceTest, HowLongProcessingStandsStill) {
  auto admin = kafka::OpenAdmin({{"bootstrap.servers", broker_.bootstrap()}}, "replace-test");
  ASSERT_TRUE(admin.ok()) << admin.status();
  auto topics = (*admin)->DescribeTopics({kInput});
  ASSERT_TRUE(topics.ok()) << topics.status();
  const int partitions = topics->front().partitions_size();
  // All partitions together; -1 while one is not known.
  const auto committed = [&]() -> int64_t {
    auto group = (*admin)->DescribeGroup(application_, {{kInput, partitions}});
    if (!group.ok() || group->topics_size() != 1) return -1;
    int64_t sum = 0;
    for (const v1::GroupOffset& offset : group->topics(0).offsets()) {
      if (offset.unstable() || offset.offset() < 0) return -1;
      sum += offset.offset();
    }
    return sum;
  };
  std::vector<double> seconds;
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(broker_.AwaitAllRead(application_, kInput));
    const int64_t before = committed();
    const std::string old = Container();
    ASSERT_NO_FATAL_FAILURE(ChangeFilter());
    const std::string since = absl::StrCat(absl::ToUnixSeconds(absl::Now()) - 1);
    CommandResult applied;
    std::thread apply([&] { applied = operator_.Apply("plan"); });
    const absl::Time deadline = absl::Now() + absl::Minutes(1);
    while (!ground_->Try({"inspect", old}).exit_code && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(20));
    Feed();
    while (committed() <= before && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(10));
    const absl::Time first = absl::Now();
    apply.join();
    ASSERT_EQ(applied.exit_code, 0) << applied.error_text;
    ASSERT_LT(first, deadline);
    // When the engine passed the signal on.
    const std::vector<std::string> told =
        ground_->DockerLines({"events", "--since", since, "--until", absl::StrCat(absl::ToUnixSeconds(absl::Now()) + 1),
                              "--filter", "event=kill", "--filter", "container=" + old, "--format", "{{.TimeNano}}"});
    int64_t nanos = 0;
    ASSERT_TRUE(!told.empty() && absl::SimpleAtoi(told.front(), &nanos));
    seconds.push_back(absl::ToDoubleSeconds(first - absl::FromUnixNanos(nanos)));
  }
  std::sort(seconds.begin(), seconds.end());
  std::cout << "figure: standstill of a replacement in Docker, SIGTERM to first commit: median "
            << seconds[seconds.size() / 2] << " s, " << seconds.front() << " to " << seconds.back() << " s of "
            << seconds.size() << "\n";
  ExpectWhole();
}

}  // namespace
}  // namespace st::e2e
