// Records in, records out: what is written, where, and what stands in the status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iostream>
#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "e2e/runner/world.h"

namespace st::e2e {
namespace {

using testing::ElementsAre;

int64_t ResidentKilobytes(pid_t pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/status"));
  int64_t kilobytes = 0;
  for (std::string word; file >> word;) {
    if (word == "VmRSS:" && file >> kilobytes) break;
  }
  return kilobytes;
}

// Computed with Kafka's own Java classes for 3 partitions.
TEST(Copy, KeysGoWhereTheJavaClientPutsThem) {
  World world("keys", Kept("keys-in", "keys-out"), 1, 3);
  const std::vector<std::pair<std::string, int>> keys = {{"", 0},     {"a", 1},     {"ab", 2},    {"abc", 0},
                                                         {"abcd", 2}, {"abcde", 1}, {"key-7", 1}, {"Grüße", 0}};
  std::vector<Record> input;
  for (const auto& [key, partition] : keys) input.push_back({.key = key, .value = KeptValue(1, true)});
  world.cluster.Produce(world.input, input);
  RunnerProcess runner(*world.model);
  runner.Await(In(static_cast<int64_t>(keys.size())));
  EXPECT_EQ(runner.Stop(), 0);
  std::map<std::string, int> found;
  for (const Record& record : world.Output()) found[record.key.value()] = record.partition;
  for (const auto& [key, partition] : keys) EXPECT_EQ(found.at(key), partition) << key;
}

TEST(Copy, KeysHeadersAndTimestampsPassThrough) {
  World world("pass", Kept("pass-in", "pass-out"), 1, 1);
  const std::string binary("\0\xff\x80k", 4);
  constexpr int64_t kTime = 1700000000123;
  std::vector<Record> input = {
      {.key = binary, .value = KeptValue(0, true), .headers = {{"a", "1"}, {"b", std::nullopt}, {"a", ""}}},
      {.value = KeptValue(1, true), .timestamp_ms = kTime},
      {.key = "", .value = KeptValue(2, true), .timestamp_ms = 1},
      {.key = "filtered", .value = KeptValue(3, false), .headers = {{"h", "x"}}, .timestamp_ms = kTime},
      {.key = "tomb"},
      {.key = "last", .value = KeptValue(5, true), .headers = {{"", binary}}, .timestamp_ms = kTime + 1},
  };
  world.cluster.Produce(world.input, input);
  RunnerProcess runner(*world.model);
  v1::RunnerStatus status = runner.Await(In(6));
  EXPECT_EQ(status.tombstones(), 1);
  EXPECT_EQ(status.filtered(), 1);
  EXPECT_EQ(runner.Stop(), 0);
  std::vector<Record> read = world.cluster.ReadCommitted(world.input, 1);
  std::vector<Record> output = world.Output();
  ASSERT_EQ(output.size(), 4u);
  const std::array<size_t, 4> kept = {0, 1, 2, 5};
  for (size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(output[i].key, read[kept[i]].key);
    EXPECT_EQ(output[i].headers, read[kept[i]].headers);
    EXPECT_EQ(output[i].timestamp_ms, read[kept[i]].timestamp_ms);
    EXPECT_EQ(output[i].value, KeptOutput(static_cast<int64_t>(kept[i])));
  }
}

TEST(Copy, SeveralPartitionsKeepTheirOrder) {
  World world("order", Kept("order-in", "order-out"), 3, 1);
  constexpr int kEach = 4000;
  std::vector<Record> input;
  for (int i = 0; i < 3 * kEach; ++i) {
    input.push_back({.partition = i % 3, .value = KeptValue(i, i % 7 != 0)});
  }
  world.cluster.Produce(world.input, input);
  RunnerProcess runner(*world.model);
  runner.Await(In(int64_t{3} * kEach));
  EXPECT_EQ(runner.Stop(), 0);
  std::array<int, 3> next = {0, 1, 2};
  auto skip = [&](int& id) {
    while (id % 7 == 0) id += 3;
  };
  for (const Record& record : world.Output()) {
    int id = 0;
    ASSERT_TRUE(absl::SimpleAtoi(record.value->substr(6, record.value->find(',') - 6), &id)) << *record.value;
    int& expected = next[static_cast<size_t>(id % 3)];
    skip(expected);
    ASSERT_EQ(id, expected);
    expected += 3;
  }
  for (int& id : next) {
    skip(id);
    EXPECT_GE(id, 3 * kEach);
  }
  EXPECT_THAT(world.Committed(), ElementsAre(kEach, kEach, kEach));
}

TEST(Copy, PositionsPassWhatWasFilteredAndAborted) {
  World world("moved", Kept("moved-in", "moved-out"), 1, 1);
  world.cluster.Produce(world.input, {{.value = KeptValue(0, false)}, {.value = KeptValue(1, false)}});
  RunnerProcess runner(*world.model);
  // Nothing is written, the offsets move all the same.
  runner.Await([](const v1::RunnerStatus& s) { return s.partitions_size() == 1 && s.partitions(0).committed() == 2; });
  // Two records and the mark of the abort.
  world.cluster.ProduceInTransaction(world.input, {{.value = "poison"}, {.value = "poison"}}, false);
  runner.Await([](const v1::RunnerStatus& s) { return s.partitions(0).committed() == 5; });
  world.cluster.ProduceInTransaction(world.input, {{.value = KeptValue(5, true)}}, true);
  v1::RunnerStatus status = runner.Await(In(3));
  EXPECT_EQ(status.records_out(), 1);
  EXPECT_EQ(runner.Stop(), 0);
  EXPECT_THAT(world.Committed(), ElementsAre(7));
  EXPECT_THAT(Values(world.Output()), ElementsAre(KeptOutput(5)));
}

TEST(Copy, StatusSaysWhoAndWhere) {
  World world("status", Kept("status-in", "status-out"), 2, 1);
  world.cluster.Produce(world.input, {{.partition = 1, .value = KeptValue(0, true)}});
  RunnerProcess runner(*world.model);
  v1::RunnerStatus status = runner.Await([](const v1::RunnerStatus& s) {
    return s.records_in() == 1 && s.partitions_size() == 2 && s.partitions(1).high_watermark() == 1;
  });
  EXPECT_EQ(status.state(), v1::RunnerStatus::RUNNING);
  EXPECT_EQ(status.application_id(), world.application_id);
  EXPECT_EQ(status.generation_id(), "g-test");
  EXPECT_EQ(status.cluster_id(), world.cluster.ClusterId());
  EXPECT_EQ(status.input_topic_id(), world.cluster.TopicId(world.input));
  EXPECT_EQ(status.output_topic_id(), world.cluster.TopicId(world.output));
  EXPECT_EQ(status.pid(), static_cast<uint32_t>(runner.pid()));
  EXPECT_EQ(status.plan_sha256().size(), 64u);
  EXPECT_FALSE(status.member_id().empty());
  EXPECT_EQ(status.partitions(0).committed(), 0);
  EXPECT_EQ(status.partitions(1).committed(), 1);
  EXPECT_EQ(status.partitions(1).position(), 1);
  EXPECT_EQ(status.partitions(1).last_stable_offset(), 1);
  EXPECT_EQ(world.cluster.GroupState(world.application_id), "Stable");
  std::cout << "resident memory: " << ResidentKilobytes(runner.pid()) << " kB" << std::endl;
  EXPECT_EQ(runner.Stop(), 0);
  EXPECT_EQ(world.cluster.GroupState(world.application_id), "Empty");
  const std::string log = runner.Log();
  for (const char* state : {" starting\n", " running\n", " closing\n", " closed\n"}) {
    EXPECT_NE(log.find(state), std::string::npos) << log;
  }
}

TEST(Copy, GoesOnWhereItStopped) {
  World world("again", Kept("again-in", "again-out"), 1, 1);
  for (int64_t round = 0; round < 3; ++round) {
    world.cluster.Produce(world.input, {{.value = KeptValue(round, true)}});
    RunnerProcess runner(*world.model);
    runner.Await(In(1));
    EXPECT_EQ(runner.Stop(), 0);
  }
  EXPECT_THAT(Values(world.Output()), ElementsAre(KeptOutput(0), KeptOutput(1), KeptOutput(2)));
}

}  // namespace
}  // namespace st::e2e
