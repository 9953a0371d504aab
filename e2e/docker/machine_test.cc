// The machine goes down with its engine, its broker and every container, in the middle of a replacement. When it is up
// again nothing runs by itself; the operation goes on, the plan starts the other runners, each its very generation, and
// every order has come out once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "e2e/docker/deployment.h"
#include "e2e/docker/ground.h"

namespace st::e2e {
namespace {

using ::testing::HasSubstr;

TEST(MachineTest, GoesDownInTheMiddleOfAReplacement) {
  const Ground ground;
  if (!ground.OwnsEngine()) GTEST_SKIP() << "an engine that others use is not taken down";
  Deployment deployed(ground);
  const std::string second = deployed.AddModel("second");
  CommandResult planned = deployed.user().Plan("plan");
  ASSERT_EQ(planned.exit_code, 10) << planned.error_text;
  ASSERT_EQ(deployed.user().Apply("plan").exit_code, 0);
  deployed.Feed();
  ASSERT_NO_FATAL_FAILURE(deployed.PlanChange());
  ASSERT_EQ(deployed.ApplyCutOff("after:checkpoint:1").exit_code, kKilled);
  const std::string replaced = deployed.Container();
  const std::string other = deployed.ContainerOf(second);
  deployed.Feed();

  ground.RestartMachine();
  deployed.broker().StartAgain();
  for (const std::string& container : {replaced, other}) {
    EXPECT_EQ(ground.Inspect(container, "{{.State.Status}}"), "exited");
  }
  deployed.Feed();
  planned = deployed.user().Plan("again");
  EXPECT_EQ(planned.exit_code, 1);
  EXPECT_THAT(planned.error_text, HasSubstr("OPERATION_PENDING"));
  const CommandResult status = deployed.user().Status();
  EXPECT_EQ(status.exit_code, 0) << status.error_text;
  const CommandResult resumed = deployed.Resume(deployed.Status().operation_id());
  ASSERT_EQ(resumed.exit_code, 0) << resumed.error_text;

  planned = deployed.user().Plan("plan");
  EXPECT_EQ(planned.exit_code, 11);
  EXPECT_THAT(planned.error_text, HasSubstr("start runner " + second));
  const CommandResult applied = deployed.user().Apply("plan");
  ASSERT_EQ(applied.exit_code, 0) << applied.error_text;
  EXPECT_EQ(deployed.ContainerOf(second), other);
  deployed.Feed();
  deployed.ExpectWhole();
}

}  // namespace
}  // namespace st::e2e
