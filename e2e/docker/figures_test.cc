// What a runner in Docker costs: printed for docs/benchmarks.md; counts and sizes are asserted, times are not.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "absl/log/absl_check.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/docker/ground.h"
#include "e2e/docker/operator.h"
#include "e2e/pipe.h"
#include "lib/base/clock.h"
#include "lib/diag/diag.h"
#include "lib/docio/docio.h"
#include "lib/host/docker.h"
#include "lib/kafka/admin.h"
#include "lib/observe/observe.h"
#include "lib/state/sqlite.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::e2e {
namespace {

namespace files = std::filesystem;

constexpr int kModels = 100;
constexpr int64_t kMaxIdleBytes = 24 << 20;
constexpr absl::Duration kIdle = absl::Seconds(10);

// A number out of a file of a container's control group, whichever version the kernel has.
int64_t OfControlGroup(const std::string& container, const std::string& file, const std::string& word = "") {
  for (const auto& entry : files::recursive_directory_iterator("/sys/fs/cgroup")) {
    if (entry.path().filename() != file || entry.path().parent_path().filename() != container) continue;
    std::ifstream stream(entry.path());
    std::string name = word;
    int64_t value = 0;
    while (word.empty() ? bool(stream >> value) : bool(stream >> name >> value)) {
      if (name == word) return value;
    }
  }
  return -1;
}

int64_t CpuMicros(const std::string& container) {
  const int64_t first = OfControlGroup(container, "cpuacct.usage");
  return first >= 0 ? first / 1000 : OfControlGroup(container, "cpu.stat", "usage_usec");
}

// As `docker stats` counts it: without file pages that the kernel would give away first.
int64_t MemoryBytes(const std::string& container) {
  const int64_t first = OfControlGroup(container, "memory.usage_in_bytes");
  if (first >= 0) return first - OfControlGroup(container, "memory.stat", "total_inactive_file");
  return OfControlGroup(container, "memory.current") - OfControlGroup(container, "memory.stat", "inactive_file");
}

class FiguresTest : public testing::Test {
 protected:
  FiguresTest()
      : broker_(ground_, "broker"), operator_(ground_, broker_.bootstrap(), broker_.inside(), Operator::Who::kRoot) {
    operator_.TakeExample("orders");
    ground_.Docker({"load", "--input", operator_.Path("prefix/share/st/st-runner-image.tar")});
  }

  // Requests to the engine while all of the project is observed, as st-observe does it.
  uint64_t EngineRequests() {
    v1::Topology topology;
    diag::Diagnostics diagnostics;
    ABSL_CHECK(docio::Read(operator_.Compile(), "topology", docio::Trailer::kRequired, &topology, &diagnostics));
    auto cluster = kafka::OpenAdmin({{"bootstrap.servers", broker_.bootstrap()}}, "figures");
    ABSL_CHECK_OK(cluster);
    const std::unique_ptr<host::RunnerHost> host =
        host::OpenDockerHost({.socket = std::string(absl::StripPrefix(ground_.docker_host(), "unix://")),
                              .root = operator_.Path("state/docker"),
                              .image = operator_.image(),
                              .network = ground_.network()});
    auto store = state::OpenSqlite(operator_.Path("state/state.db"), state::Access::kReadOnly);
    ABSL_CHECK_OK(store);
    v1::Observation observation;
    ABSL_CHECK_OK(observe::Observe(
        topology, {.cluster = cluster->get(), .host = host.get(), .store = store->get(), .clock = &base::RealClock()},
        {}, &observation));
    return host->Requests();
  }

  Ground ground_;
  BrokerContainer broker_;
  Operator operator_;
};

TEST_F(FiguresTest, OfOneRunner) {
  // A broker makes its topic of transactions for the first runner that it ever meets, which takes it a second.
  Operator first(ground_, broker_.bootstrap(), broker_.inside(), Operator::Who::kMember);
  first.TakeExample("orders");
  first.Edit("models/orders.yml", "name: orders.v1", "name: first.v1");
  first.Edit("models/orders.yml", "name: orders.large.v1", "name: first.large.v1");
  ASSERT_EQ(first.Plan("plan.textproto").exit_code, 10);
  ASSERT_EQ(first.Apply("plan.textproto").exit_code, 0);

  ASSERT_EQ(operator_.Plan("plan.textproto").exit_code, 10);
  const CommandResult applied = operator_.Apply("plan.textproto");
  const absl::Time done = absl::Now();
  ASSERT_EQ(applied.exit_code, 0) << applied.error_text;
  const std::vector<std::string> containers = ground_.ContainersOf(operator_.application_id("large_orders"));
  ASSERT_EQ(containers.size(), 1u);
  absl::Time created;
  std::string wrong;
  ASSERT_TRUE(
      absl::ParseTime(absl::RFC3339_full, ground_.Inspect(containers.front(), "{{.Created}}"), &created, &wrong))
      << wrong;

  const absl::Time plain = absl::Now();
  const std::string bare = ground_.Docker(
      {"container", "create", "--network", ground_.network(), "--read-only", operator_.image(), "--version"});
  ground_.Docker({"container", "start", bare});
  const absl::Duration dockers = absl::Now() - plain;
  ground_.Docker({"container", "rm", "--force", bare});
  absl::PrintF("figure: a runner from its container's creation to the end of st-apply, which saw it run: %.2f s; ",
               absl::ToDoubleSeconds(done - created));
  absl::PrintF("create and start by the docker client alone: %.2f s\n", absl::ToDoubleSeconds(dockers));

  // The time over which it is measured.
  const int64_t cpu = CpuMicros(containers.front());
  ASSERT_GE(cpu, 0);
  absl::SleepFor(kIdle);
  const int64_t used = CpuMicros(containers.front()) - cpu;
  const int64_t memory = MemoryBytes(containers.front());
  absl::PrintF("figure: idle container: %.1f MB, %.2f %% of a core\n", static_cast<double>(memory) / (1 << 20),
               100.0 * static_cast<double>(used) / static_cast<double>(absl::ToInt64Microseconds(kIdle)));
  EXPECT_GT(memory, 1 << 20);
  EXPECT_LT(memory, kMaxIdleBytes);
}

TEST_F(FiguresTest, OfLookingAtManyModels) {
  const uint64_t one = EngineRequests();
  std::string models = "models:\n";
  for (int i = 1; i < kModels; ++i) {
    absl::StrAppend(&models, "  - {name: m", i,
                    ", executor: runner, owner: tests, sql: \"SELECT id, amount FROM {{ ref('orders') }}\"}\n");
  }
  operator_.Write("models/many.yml", models);
  const uint64_t many = EngineRequests();
  absl::PrintF("figure: engine requests of looking at 1 model: %d, at %d models: %d\n", one, kModels, many);
  EXPECT_GT(one, 0u);
  EXPECT_EQ(many, one);
}

}  // namespace
}  // namespace st::e2e
