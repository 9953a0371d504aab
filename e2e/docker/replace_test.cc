// A changed filter in containers: the reviewed plan replaces the runner on the same application, offsets and volume,
// also when st-apply is cut off half-way. Figure: how long processing stands still.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/docker/deployed_test.h"
#include "e2e/docker/deployment.h"
#include "e2e/docker/ground.h"

namespace st::e2e {
namespace {

// Of a replacement that nobody disturbs.
constexpr int kCheckpoints = 6;

class DockerReplaceTest : public DeployedTest {};

TEST_F(DockerReplaceTest, CutOffAnywhereItIsCarriedOn) {
  std::vector<std::string> moments = {"after:stop_generation:1",   "before:remove_generation:1",
                                      "after:remove_generation:1", "after:create_generation:1",
                                      "after:start_generation:1",  "before:complete:1"};
  if (EveryCell()) {
    moments.insert(moments.end(), {"before:intent:1", "after:intent:1", "before:stop_generation:1",
                                   "before:create_generation:1", "before:start_generation:1", "after:complete:1"});
    for (int i = 1; i <= kCheckpoints; ++i) {
      moments.push_back(absl::StrCat("before:checkpoint:", i));
      moments.push_back(absl::StrCat("after:checkpoint:", i));
    }
  }
  for (const std::string& at : moments) {
    SCOPED_TRACE(at);
    const std::string before = deployed_->Container();
    ASSERT_NO_FATAL_FAILURE(deployed_->PlanChange());
    const CommandResult applied = deployed_->ApplyCutOff(at);
    ASSERT_EQ(applied.exit_code, kKilled) << "the moment was not met: " << applied.error_text;
    deployed_->Feed();
    const std::string operation = deployed_->Status().operation_id();
    if (at == "before:intent:1") {
      // Nothing was begun.
      EXPECT_EQ(operation, "");
      EXPECT_EQ(deployed_->user().Apply("plan").exit_code, 0);
    } else if (at == "after:complete:1") {
      EXPECT_EQ(operation, "");
    } else {
      const CommandResult resumed = deployed_->Resume(operation);
      ASSERT_EQ(resumed.exit_code, 0) << resumed.error_text;
    }
    EXPECT_NE(deployed_->Container(), before);
  }
  deployed_->ExpectWhole();
  std::cout << "figure: kill points of st-apply survived by a replacement in Docker: " << moments.size() << "\n";
}

TEST_F(DockerReplaceTest, HowLongProcessingStandsStill) {
  // All partitions together.
  const auto committed = [] {
    const std::vector<int64_t> offsets =
        deployed_->cluster().Committed(deployed_->application(), Deployment::kInput, Deployment::kPartitions);
    return std::accumulate(offsets.begin(), offsets.end(), int64_t{0});
  };
  std::vector<double> seconds;
  for (int i = 0; i < 5; ++i) {
    const std::string old = deployed_->Container();
    ASSERT_NO_FATAL_FAILURE(deployed_->PlanChange());
    const int64_t before = committed();
    const std::string since = absl::StrCat(absl::ToUnixSeconds(absl::Now()) - 1);
    CommandResult applied;
    std::thread apply([&] { applied = deployed_->user().Apply("plan"); });
    const absl::Time deadline = absl::Now() + absl::Minutes(1);
    while (!ground_->Try({"inspect", old}).exit_code && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(20));
    deployed_->Feed();
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
  deployed_->ExpectWhole();
}

}  // namespace
}  // namespace st::e2e
