// st-resume is killed at every boundary of one operation in containers, again and again, and always carries that same
// operation on; orders are written all the while, and come out once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "e2e/docker/deployed_test.h"
#include "e2e/docker/deployment.h"
#include "e2e/docker/ground.h"

namespace st::e2e {
namespace {

using ::testing::HasSubstr;

// What a resume meets from an intent on, in order: each is the first of its name after those before it are behind.
using Way = std::vector<std::string>;
const Way kReplace = {"authorization",     "checkpoint", "stop_generation",   "checkpoint",
                      "remove_generation", "checkpoint", "create_generation", "checkpoint",
                      "start_generation",  "checkpoint", "checkpoint",        "complete"};
const Way kCreate = {"authorization",  "checkpoint",       "create_topic",  "checkpoint", "checkpoint",
                     "commit_offsets", "checkpoint",       "create_volume", "checkpoint", "create_generation",
                     "checkpoint",     "start_generation", "checkpoint",    "checkpoint", "complete"};

class DockerResumeTest : public DeployedTest {
 protected:
  // The plan's operation is opened, and its resume killed before and after each of these.
  void KillAtEach(const Way& way, const std::string& what) {
    ASSERT_EQ(deployed_->ApplyCutOff("after:intent:1").exit_code, kKilled);
    const std::string operation = deployed_->Status().operation_id();
    int kills = 0;
    for (const std::string& boundary : way) {
      for (const char* side : {"before", "after"}) {
        SCOPED_TRACE(absl::StrCat(side, " ", boundary, ", kill ", kills));
        deployed_->Feed(5);
        CommandResult killed;
        {
          const Given crash(deployed_->user(), "ST_CRASH_AT", absl::StrCat(side, ":", boundary, ":1"));
          killed = deployed_->Resume(operation);
        }
        ASSERT_EQ(killed.exit_code, kKilled) << "the boundary was not met: " << killed.error_text;
        ++kills;
      }
    }
    // It was complete, and its answer lost.
    const CommandResult again = deployed_->Resume(operation);
    EXPECT_EQ(again.exit_code, 0) << again.error_text;
    EXPECT_THAT(again.error_text, HasSubstr("the operation had finished"));
    EXPECT_THAT(again.error_text, HasSubstr(" runs"));
    deployed_->Feed();
    deployed_->ExpectWhole();
    std::cout << "figure: kill points of st-resume survived by " << what << " in Docker: " << kills << "\n";
  }
};

TEST_F(DockerResumeTest, OfAReplacement) {
  deployed_->Feed();
  ASSERT_NO_FATAL_FAILURE(deployed_->PlanChange());
  KillAtEach(kReplace, "a replacement");
}

TEST_F(DockerResumeTest, OfACreation) {
  deployed_->AddModel("second");
  ASSERT_EQ(deployed_->user().Plan("plan").exit_code, 10);
  KillAtEach(kCreate, "a creation");
}

}  // namespace
}  // namespace st::e2e
