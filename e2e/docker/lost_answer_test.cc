// The engine does what it was asked for and its answer is lost, or it gets the request only when everybody has gone on:
// the tool says that it does not know, and the command that it prints carries the very operation on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "e2e/docker/deployed_test.h"
#include "e2e/docker/deployment.h"
#include "e2e/docker/engine_proxy.h"
#include "e2e/docker/ground.h"

namespace st::e2e {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using Fate = EngineProxy::Fate;

constexpr int kUnreachable = 3;
constexpr int kUnknown = 4;

const std::vector<std::string> kWritesOfACreation = {"POST /volumes/create", "POST /containers/create",
                                                     "POST /containers/ID/start"};
const std::vector<std::string> kWritesOfAReplacement = {"POST /containers/ID/kill", "DELETE /containers/ID",
                                                        "POST /containers/create", "POST /containers/ID/start"};

// What is planned, the application that it changes, and what the engine is asked for then.
struct Change {
  std::function<std::string()> plan;
  std::vector<std::string> writes;
};

// What the engine says to one that comes after the operation has ended: it is there (a volume is answered as if it had
// been made), the name is taken, it runs already, it is gone.
const std::map<std::string, int> kAnswerToALateOne = {{"POST /volumes/create", 201},
                                                      {"POST /containers/create", 409},
                                                      {"POST /containers/ID/start", 304},
                                                      {"POST /containers/ID/kill", 404},
                                                      {"DELETE /containers/ID", 404}};

// The operation that the printed command carries on; empty: none was printed.
std::string PrintedOperation(const CommandResult& result) {
  const std::string before = "next: st-compile PROJECT | st-resume --plan PLAN --operation ";
  const size_t at = result.error_text.find(before);
  return at == std::string::npos ? "" : result.error_text.substr(at + before.size(), 36);
}

class DockerLostAnswerTest : public DeployedTest {
 protected:
  static void SetUpTestSuite() {
    DeployedTest::SetUpTestSuite();
    proxy_ = std::make_unique<EngineProxy>(ground_->docker_host(), ground_->folder() + "/proxy.sock");
    deployed_->user().environment()["DOCKER_HOST"] = proxy_->host();
    deployed_->Feed();
  }
  static void TearDownTestSuite() {
    deployed_.reset();
    proxy_.reset();
    DeployedTest::TearDownTestSuite();
  }

  // Of each write, once: its answer is lost, and then it comes late. What such changes make is what one makes that
  // nobody disturbed.
  static void BreakEachWrite(const Change& change) {
    const std::string application = change.plan();
    const CommandResult applied = deployed_->user().Apply("plan");
    ASSERT_EQ(applied.exit_code, 0) << applied.error_text;
    const std::string made = deployed_->Made(application);
    for (const Fate fate : {Fate::kLoseAnswer, Fate::kHold}) {
      SCOPED_TRACE(fate == Fate::kHold ? "held" : "answer lost");
      ASSERT_NO_FATAL_FAILURE(EachInARunOfItsOwn(fate, change, made));
      if (!EveryCell()) continue;
      ASSERT_NO_FATAL_FAILURE(EachInAnOperationOfItsOwn(fate, change, made));
    }
    deployed_->ExpectWhole();
  }

  // One operation: each of its runs breaks one write more, until there is none left to break.
  static void EachInARunOfItsOwn(Fate fate, const Change& change, const std::string& made) {
    const std::string application = change.plan();
    std::vector<std::string> broken;
    std::string operation;
    do {
      // One that was held was not done: the next run asks for it again, before the one that it breaks.
      const int next = fate == Fate::kHold && !broken.empty() ? 2 : 1;
      ASSERT_NO_FATAL_FAILURE(RunWithBroken(next, fate, &operation, &broken));
    } while (!operation.empty());
    EXPECT_THAT(broken, ElementsAreArray(change.writes));
    for (size_t i = 0; fate == Fate::kHold && i < broken.size(); ++i) {
      EXPECT_EQ(proxy_->Deliver(), kAnswerToALateOne.at(broken[i])) << broken[i];
    }
    Print(fate, "in one operation", broken.size());
    EXPECT_EQ(deployed_->Made(application), made);
  }

  static void EachInAnOperationOfItsOwn(Fate fate, const Change& change, const std::string& made) {
    std::vector<std::string> broken;
    for (size_t nth = 1; nth <= change.writes.size(); ++nth) {
      SCOPED_TRACE(absl::StrCat("write ", nth));
      const std::string application = change.plan();
      std::string operation;
      ASSERT_NO_FATAL_FAILURE(RunWithBroken(static_cast<int>(nth), fate, &operation, &broken));
      ASSERT_NO_FATAL_FAILURE(RunWithBroken(0, fate, &operation, &broken));
      EXPECT_EQ(operation, "");
      if (fate == Fate::kHold) {
        EXPECT_EQ(proxy_->Deliver(), kAnswerToALateOne.at(broken.back()));
      }
      EXPECT_EQ(deployed_->Made(application), made);
    }
    EXPECT_THAT(broken, ElementsAreArray(change.writes));
    Print(fate, "each in an operation of its own", broken.size());
  }

  // st-apply, or st-resume of `operation`. Afterwards that is the one which the printed command carries on; empty:
  // none.
  static void RunWithBroken(int nth, Fate fate, std::string* operation, std::vector<std::string>* all) {
    proxy_->BreakWrite(nth, fate);
    const CommandResult run = operation->empty() ? deployed_->user().Apply("plan") : deployed_->Resume(*operation);
    const std::string broken = proxy_->Broken();
    proxy_->BreakWrite(0, fate);
    SCOPED_TRACE(broken);
    deployed_->Feed(6);
    *operation = PrintedOperation(run);
    if (broken.empty()) {
      ASSERT_EQ(run.exit_code, 0) << run.error_text;
      return;
    }
    all->push_back(broken);
    ASSERT_EQ(run.exit_code, kUnknown) << run.error_text;
    EXPECT_THAT(run.error_text, AllOf(HasSubstr("the outcome of the last step is not known"),
                                      HasSubstr("the connection was closed without an answer")));
    ASSERT_NE(*operation, "");
    EXPECT_EQ(*operation, deployed_->Status().operation_id());
  }

  static void Print(Fate fate, const std::string& how, size_t count) {
    std::cout << "figure: " << (fate == Fate::kHold ? "late requests" : "lost answers")
              << " of the Docker engine survived, " << how << ": " << count << "\n";
  }

  static std::string Create() {
    static int number = 0;
    const std::string application = deployed_->AddModel(absl::StrCat("more_", ++number));
    const CommandResult planned = deployed_->user().Plan("plan");
    EXPECT_EQ(planned.exit_code, 10) << planned.error_text;
    return application;
  }

  static std::string Replace() {
    deployed_->PlanChange();
    return deployed_->application();
  }

  static std::unique_ptr<EngineProxy> proxy_;
};

std::unique_ptr<EngineProxy> DockerLostAnswerTest::proxy_;

TEST_F(DockerLostAnswerTest, OfEachWriteOfAReplacement) { BreakEachWrite({Replace, kWritesOfAReplacement}); }

TEST_F(DockerLostAnswerTest, OfEachWriteOfACreation) { BreakEachWrite({Create, kWritesOfACreation}); }

// Every run loses the answer to a later question than the run before it, until one is through before that.
TEST_F(DockerLostAnswerTest, OfAQuestionItIsAskedAgainByTheNextRun) {
  ASSERT_NO_FATAL_FAILURE(deployed_->PlanChange());
  std::string operation;
  int refused = 0;
  int cut_off = 0;
  for (int nth = 1;; nth += nth / 2 + 1) {
    SCOPED_TRACE(absl::StrCat("question ", nth));
    proxy_->BreakRead(nth);
    const CommandResult run = operation.empty() ? deployed_->user().Apply("plan") : deployed_->Resume(operation);
    const std::string broken = proxy_->Broken();
    proxy_->BreakRead(0);
    if (run.exit_code == 0) {
      if (broken.empty()) break;
      // A status that is replaced while the engine copies it is cut off too, so the same run asks for it again.
      EXPECT_EQ(broken, "GET /containers/ID/archive");
      operation.clear();
      ASSERT_NO_FATAL_FAILURE(deployed_->PlanChange());
      continue;
    }
    ASSERT_NE(broken, "");
    ASSERT_THAT(run.exit_code, AnyOf(kUnreachable, kUnknown)) << run.error_text;
    operation = deployed_->Status().operation_id();
    // Before the intent there is nothing to resume.
    EXPECT_EQ(PrintedOperation(run), operation) << run.error_text;
    ++(operation.empty() ? refused : cut_off);
    deployed_->Feed(3);
  }
  EXPECT_GE(refused, 3);
  EXPECT_GE(cut_off, 2);
  std::cout << "figure: lost answers to questions: " << refused << " before the intent, " << cut_off << " after it\n";
  deployed_->ExpectWhole();
}

}  // namespace
}  // namespace st::e2e
