// What stops a runner, with which reason and exit code, where its offsets stand then, and that nothing of it is
// visible.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "e2e/runner/world.h"

namespace st::e2e {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Status = v1::RunnerStatus;

constexpr int kRefused = 2;
constexpr int kFailed = 3;

// `count` good records with one of another value at `bad`.
std::vector<Record> WithOneBad(int count, int bad, const Record& record) {
  std::vector<Record> records;
  for (int i = 0; i < count; ++i) records.push_back(i == bad ? record : Record{.value = KeptValue(i, true)});
  return records;
}

// Starts it, which ends by itself.
Status RunToEnd(const World& world, int exit_code) {
  RunnerProcess runner(*world.model);
  EXPECT_EQ(runner.Wait(), exit_code) << runner.Log();
  Status status = runner.Status();
  EXPECT_EQ(status.state(), Status::FAILED) << status.DebugString();
  return status;
}

class Poison : public testing::TestWithParam<int> {};

// All in one transaction; `GetParam()` is where the bad one is.
TEST_P(Poison, StopsAtItsOffsetAndIsMetAgain) {
  const int bad = GetParam();
  constexpr int kCount = 2500;
  const std::string name = absl::StrCat("poison", bad);
  World world(name, Kept(name + "-in", name + "-out"), 1, 1);
  world.cluster.Produce(world.input, WithOneBad(kCount, bad, {.value = R"({"id":1,"keep":false,"text":"x","new":1})"}));
  world.model->flags["commit-interval-ms"] = "10000";
  for (int round = 0; round < 2; ++round) {
    Status status = RunToEnd(world, kFailed);
    EXPECT_EQ(status.reason(), Status::POISON_RECORD);
    EXPECT_EQ(status.stop().topic(), world.input);
    EXPECT_EQ(status.stop().partition(), 0);
    EXPECT_EQ(status.stop().offset(), bad);
    EXPECT_EQ(status.stop().fault(), v1::UNKNOWN_MEMBER);
    EXPECT_EQ(status.stop().column(), "new");
    EXPECT_EQ(status.records_in(), round == 0 ? bad : 0);
    EXPECT_EQ(status.partitions(0).committed(), bad);
    EXPECT_THAT(world.Committed(), ElementsAre(bad));
    EXPECT_EQ(world.Output().size(), static_cast<size_t>(bad));
  }
}

INSTANTIATE_TEST_SUITE_P(FirstMiddleLast, Poison, testing::Values(0, 1, 999, 1000, 1234, 2499));

TEST(Stop, PoisonInOnePartitionLeavesTheOthersGood) {
  World world("poison-of", Kept("poison-of-in", "poison-of-out"), 2, 1);
  std::vector<Record> records;
  for (int i = 0; i < 1000; ++i) records.push_back({.partition = i % 2, .value = KeptValue(i, true)});
  records[501].value = "";  // partition 1, offset 250
  world.cluster.Produce(world.input, records);
  Status status = RunToEnd(world, kFailed);
  EXPECT_EQ(status.stop().partition(), 1);
  EXPECT_EQ(status.stop().offset(), 250);
  EXPECT_EQ(status.stop().fault(), v1::EMPTY_VALUE);
  std::vector<int64_t> committed = world.Committed();
  EXPECT_EQ(committed[1], 250);
  // Each committed record is visible, and no other.
  EXPECT_EQ(world.Output().size(), static_cast<size_t>(committed[0] + committed[1]));
}

struct Refusal {
  const char* name;
  Record record;
  Configs output_configs;
  const char* broker_code;
};

class Refused : public testing::TestWithParam<Refusal> {};

TEST_P(Refused, StopsAtTheInputOffset) {
  const Refusal& refusal = GetParam();
  constexpr int kCount = 3000;
  constexpr int kBad = 1700;
  const std::string name = absl::StrCat("refused-", refusal.name);
  World world(name, Kept(name + "-in", name + "-out"), 1, 1, refusal.output_configs);
  std::vector<Record> records = WithOneBad(kCount, kBad, refusal.record);
  for (int i = 0; i < kCount; ++i) {
    if (i != kBad) records[static_cast<size_t>(i)].key = absl::StrCat("k", i);
  }
  world.cluster.Produce(world.input, records);
  for (int round = 0; round < 2; ++round) {
    Status status = RunToEnd(world, kFailed);
    EXPECT_EQ(status.reason(), Status::OUTPUT_REFUSED) << status.detail();
    EXPECT_EQ(status.stop().topic(), world.input);
    EXPECT_EQ(status.stop().offset(), kBad);
    EXPECT_EQ(status.stop().broker_code(), refusal.broker_code);
    EXPECT_THAT(world.Committed(), ElementsAre(kBad));
    EXPECT_EQ(world.Output().size(), static_cast<size_t>(kBad));
  }
}

INSTANTIATE_TEST_SUITE_P(ByTheBroker, Refused,
                         testing::Values(Refusal{"compacted",
                                                 {.value = KeptValue(0, true)},
                                                 {{"cleanup.policy", "compact"}},
                                                 "INVALID_RECORD"},
                                         Refusal{"old",
                                                 {.key = "k", .value = KeptValue(0, true), .timestamp_ms = 1000},
                                                 {{"message.timestamp.before.max.ms", "3600000"}},
                                                 "INVALID_TIMESTAMP"},
                                         Refusal{"large",
                                                 {.key = "k", .value = KeptValue(0, true, std::string(30000, 'x'))},
                                                 {{"max.message.bytes", "20000"}},
                                                 "MSG_SIZE_TOO_LARGE"},
                                         // The record alone is below the limit; the batch that holds it is not.
                                         Refusal{"border",
                                                 {.key = "k", .value = KeptValue(0, true, std::string(19950, 'x'))},
                                                 {{"max.message.bytes", "20000"}},
                                                 "MSG_SIZE_TOO_LARGE"}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Stop, RefusesAnotherCluster) {
  World world("cluster", Kept("cluster-in", "cluster-out"), 1, 1);
  world.cluster.Produce(world.input, {{.value = KeptValue(0, true)}});
  world.model->flags["expected-cluster-id"] = "another";
  Status status = RunToEnd(world, kRefused);
  EXPECT_EQ(status.reason(), Status::IDENTITY_MISMATCH);
  EXPECT_THAT(status.detail(), HasSubstr("not another"));
  EXPECT_THAT(world.Committed(), ElementsAre(0));
  EXPECT_TRUE(world.Output().empty());
}

TEST(Stop, RefusesATopicThatWasMadeAgain) {
  for (const char* which : {"input", "output"}) {
    const std::string name = absl::StrCat("remade-", which);
    World world(name, Kept(name + "-in", name + "-out"), 1, 1);
    const std::string& topic = std::string(which) == "input" ? world.input : world.output;
    world.cluster.DeleteTopic(topic);
    world.cluster.CreateTopic(topic, 1);
    world.cluster.Produce(world.input, {{.value = KeptValue(0, true)}});
    world.cluster.CommitOffsets(world.application_id, world.input, {0});
    Status status = RunToEnd(world, kRefused);
    EXPECT_EQ(status.reason(), Status::IDENTITY_MISMATCH);
    EXPECT_THAT(status.detail(), HasSubstr(topic));
    EXPECT_TRUE(world.Output().empty());
  }
}

TEST(Stop, RefusesWithoutAnOffsetForEachPartition) {
  World world("missing", Kept("missing-in", "missing-out"), 2, 1);
  world.cluster.Produce(world.input, {{.value = KeptValue(0, true)}, {.partition = 1, .value = KeptValue(0, true)}});
  world.model->flags["application-id"] = "st.t.dev.missing-one";
  world.cluster.CommitOffsets("st.t.dev.missing-one", world.input, {0, -1});
  Status status = RunToEnd(world, kRefused);
  EXPECT_EQ(status.reason(), Status::OFFSET_MISSING);
  EXPECT_THAT(status.detail(), HasSubstr("partition 1 "));
  EXPECT_TRUE(world.Output().empty());
  EXPECT_THAT(world.cluster.Committed("st.t.dev.missing-one", world.input, 2), ElementsAre(0, -1));
}

TEST(Stop, OffsetOutOfRange) {
  World world("range", Kept("range-in", "range-out"), 1, 1);
  world.cluster.Produce(world.input, {{.value = KeptValue(0, true)}});
  world.cluster.CommitOffsets(world.application_id, world.input, {77});
  Status status = RunToEnd(world, kFailed);
  EXPECT_EQ(status.reason(), Status::OFFSET_MISSING);
  EXPECT_THAT(world.Committed(), ElementsAre(77));
  EXPECT_TRUE(world.Output().empty());
}

TEST(Stop, InputMadeAgainUnderIt) {
  World world("swapped", Kept("swapped-in", "swapped-out"), 1, 1);
  world.cluster.Produce(world.input, {{.value = KeptValue(0, true)}});
  RunnerProcess runner(*world.model);
  runner.Await(In(1));
  world.cluster.DeleteTopic(world.input);
  world.cluster.CreateTopic(world.input, 1);
  world.cluster.Produce(world.input, {{.value = KeptValue(1, true)}, {.value = KeptValue(2, true)}});
  EXPECT_EQ(runner.Wait(90), kFailed);
  EXPECT_EQ(runner.Status().reason(), Status::IDENTITY_MISMATCH) << runner.Status().DebugString();
}

TEST(Stop, ASecondProcessFencesTheFirst) {
  World world("fenced", Kept("fenced-in", "fenced-out"), 1, 1);
  RunnerProcess first(*world.model);
  first.AwaitRunning();
  Model other(&world.cluster, Servers(), Kept(world.input, world.output), world.application_id, 1);
  RunnerProcess second(other);
  world.cluster.Produce(world.input, {{.value = KeptValue(0, true)}});
  second.AwaitRunning();
  // Whichever of the two reads it: the first one can not commit.
  world.cluster.Produce(world.input, {{.value = KeptValue(1, true)}});
  second.Await([](const Status& s) { return s.partitions_size() == 1 && s.partitions(0).committed() == 2; });
  EXPECT_EQ(first.Wait(), kFailed);
  EXPECT_EQ(first.Status().reason(), Status::FENCED);
  EXPECT_THAT(first.Status().detail(), HasSubstr("another process"));
  EXPECT_THAT(first.Status().detail(), HasSubstr("stopped for longer"));
  EXPECT_EQ(second.Stop(), 0);
  EXPECT_THAT(Values(world.Output()), ElementsAre(KeptOutput(0), KeptOutput(1)));
}

TEST(Stop, TheSameStateFolderTwice) {
  World world("locked", Kept("locked-in", "locked-out"), 1, 1);
  RunnerProcess first(*world.model);
  first.AwaitRunning();
  {
    RunnerProcess second(*world.model);
    EXPECT_EQ(second.Wait(), kRefused);
    EXPECT_THAT(second.Log(), HasSubstr("lock"));
  }
  EXPECT_EQ(first.Stop(), 0);
}

TEST(Stop, APlanEditedByOneByte) {
  World world("edited", Kept("edited-in", "edited-out"), 1, 1);
  std::fstream plan(world.model->flags["plan"], std::ios::in | std::ios::out);
  plan.seekp(200);
  plan.put('!');
  plan.close();
  Status status = RunToEnd(world, kRefused);
  EXPECT_EQ(status.reason(), Status::REFUSED);
}

TEST(Stop, APropertyThatIsNotAllowed) {
  World world("property", Kept("property-in", "property-out"), 1, 1);
  std::ofstream(world.model->flags["client-properties"], std::ios::app) << "isolation.level=read_uncommitted\n";
  Status status = RunToEnd(world, kRefused);
  EXPECT_EQ(status.reason(), Status::REFUSED);
  EXPECT_THAT(status.detail(), HasSubstr("isolation.level"));
}

TEST(Stop, NoBroker) {
  World world("nobody", Kept("nobody-in", "nobody-out"), 1, 1);
  std::ofstream(world.model->flags["client-properties"]) << "bootstrap.servers=127.0.0.1:1\n";
  Status status = RunToEnd(world, kFailed);
  EXPECT_EQ(status.reason(), Status::BROKER_UNREACHABLE);
  EXPECT_THAT(status.detail(), HasSubstr("Connection refused"));
}

TEST(Stop, SigtermBeforeTheBrokerAnswers) {
  World world("early", Kept("early-in", "early-out"), 1, 1);
  std::ofstream(world.model->flags["client-properties"]) << "bootstrap.servers=127.0.0.1:1\n";
  RunnerProcess runner(*world.model);
  runner.Await([](const Status& s) { return s.state() == Status::STARTING; });
  EXPECT_EQ(runner.Stop(), 0);
  EXPECT_EQ(runner.Status().state(), Status::CLOSED);
}

}  // namespace
}  // namespace st::e2e
