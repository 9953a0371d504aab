// Records in, records out: what is written, where, and what stands in the status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "e2e/runner/plans.h"
#include "e2e/runner/runner_process.h"
#include "e2e/runner/servers.h"

namespace st::e2e {
namespace {

using testing::ElementsAre;

TEST(Copy, FiltersProjectsAndCommits) {
  Cluster cluster(Servers());
  cluster.CreateTopic("basic-in", 1);
  cluster.CreateTopic("basic-out", 1);
  std::vector<Record> input;
  for (int i = 0; i < 1000; ++i) input.push_back({.value = KeptValue(i, i % 3 == 0)});
  cluster.Produce("basic-in", input);
  cluster.CommitOffsets("st.t.dev.basic", "basic-in", {0});
  Model model(&cluster, Servers(), Kept("basic-in", "basic-out"), "st.t.dev.basic", 1);
  RunnerProcess runner(model);
  auto status = runner.Await([](const auto& s) { return s.records_in() == 1000; });
  EXPECT_EQ(status.state(), v1::RunnerStatus::RUNNING);
  EXPECT_EQ(runner.Stop(), 0);
  status = runner.Status();
  EXPECT_EQ(status.state(), v1::RunnerStatus::CLOSED) << status.DebugString();
  EXPECT_EQ(status.records_out(), 334);
  EXPECT_EQ(status.filtered(), 666);
  EXPECT_EQ(cluster.Committed("st.t.dev.basic", "basic-in", 1), std::vector<int64_t>{1000});
  EXPECT_EQ(cluster.GroupState("st.t.dev.basic"), "Empty");
  std::vector<Record> output = cluster.ReadCommitted("basic-out", 1);
  ASSERT_EQ(output.size(), 334u);
  for (size_t i = 0; i < output.size(); ++i) EXPECT_EQ(output[i].value, KeptOutput(static_cast<int64_t>(3 * i)));
}

}  // namespace
}  // namespace st::e2e
