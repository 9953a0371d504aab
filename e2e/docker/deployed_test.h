// What tests have that share one deployment: each finds it whole, and leaves it so. For end-to-end tests.
#ifndef ST_E2E_DOCKER_DEPLOYED_TEST_H_
#define ST_E2E_DOCKER_DEPLOYED_TEST_H_

#include <memory>

#include "e2e/docker/deployment.h"
#include "e2e/docker/ground.h"
#include "gtest/gtest.h"

namespace st::e2e {

class DeployedTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ground_ = std::make_unique<Ground>();
    deployed_ = std::make_unique<Deployment>(*ground_);
  }
  static void TearDownTestSuite() {
    deployed_.reset();
    ground_.reset();
  }

  static inline std::unique_ptr<Ground> ground_;
  static inline std::unique_ptr<Deployment> deployed_;
};

}  // namespace st::e2e

#endif  // ST_E2E_DOCKER_DEPLOYED_TEST_H_
