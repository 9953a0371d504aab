// The smallest set of rights of each tool and of a runner: docs/security.md has the same table. With it the work is
// done; with any right taken away it is not, and the message names that right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "e2e/command.h"
#include "e2e/pipe.h"
#include "e2e/security/secure_broker.h"
#include "e2e/security/way.h"

namespace st::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr auto kTopic = RD_KAFKA_RESOURCE_TOPIC;
constexpr auto kGroup = RD_KAFKA_RESOURCE_GROUP;
constexpr auto kTransactionalId = RD_KAFKA_RESOURCE_TRANSACTIONAL_ID;
constexpr auto kRead = RD_KAFKA_ACL_OPERATION_READ;
constexpr auto kWrite = RD_KAFKA_ACL_OPERATION_WRITE;
constexpr auto kCreate = RD_KAFKA_ACL_OPERATION_CREATE;
constexpr auto kAlter = RD_KAFKA_ACL_OPERATION_ALTER;
constexpr auto kAlterConfigs = RD_KAFKA_ACL_OPERATION_ALTER_CONFIGS;
constexpr auto kDescribe = RD_KAFKA_ACL_OPERATION_DESCRIBE;
constexpr auto kDescribeConfigs = RD_KAFKA_ACL_OPERATION_DESCRIBE_CONFIGS;

constexpr char kPassword[] = "a.password";
// Who has every right, to prepare what the one under test then does.
constexpr char kOwner[] = "owner";
constexpr char kTool[] = "tool";

class AclTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    broker_ = new SecureBroker(std::map<std::string, std::string>{{kOwner, kPassword}, {kTool, kPassword}});
    broker_->AllowAll(kOwner);
    broker_->MakeInput("in");
  }
  static void TearDownTestSuite() { delete broker_; }

  static Way As(const std::string& user) { return Sasl(*broker_, "SCRAM", "SCRAM-SHA-512", user, kPassword); }

  // A project of its own, whose tools are `user`.
  static std::unique_ptr<Pipe> Project(const std::string& user) {
    const std::string id = absl::StrCat(number_++);
    auto pipe = std::make_unique<Pipe>("unused", "acl" + id);
    pipe->WriteProject("in", "out" + id);
    As(user).Declare(pipe.get());
    return pipe;
  }
  static std::string Output(const Pipe& pipe) { return "out" + pipe.name().substr(3); }
  static std::string ApplicationId(const Pipe& pipe) { return pipe.application_id("big"); }

  static SecureBroker* broker_;
  static int number_;
};

SecureBroker* AclTest::broker_ = nullptr;
int AclTest::number_ = 0;

// A right; the weaker one in its place under which the work gets as far as to need it; what is then said.
struct Need {
  Right right;
  std::optional<Right> weaker;
  std::string said;
};

void AllowAllBut(SecureBroker* broker, const std::vector<Need>& needs, size_t without) {
  for (size_t i = 0; i < needs.size(); ++i) {
    if (i != without) broker->Allow(kTool, {needs[i].right});
    if (i == without && needs[i].weaker.has_value()) broker->Allow(kTool, {*needs[i].weaker});
  }
}

void TakeBack(SecureBroker* broker, const std::vector<Need>& needs) {
  for (const Need& need : needs) {
    broker->Forbid(kTool, need.right);
    if (need.weaker.has_value()) broker->Forbid(kTool, *need.weaker);
  }
}

// The page has these rows for `who`, and no others.
void ExpectDocumented(const std::string& who, const std::vector<Need>& needs) {
  std::ifstream page("docs/security.md");
  std::set<std::string> documented, wanted;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("| " + who + " | ", 0) == 0) documented.insert(line.substr(0, line.rfind('|', line.size() - 2)));
  }
  for (const Need& need : needs) {
    const std::string text = need.right.Text();
    const std::string what = need.right.kind == kGroup             ? "the group"
                             : need.right.kind == kTransactionalId ? "the transactional id"
                             : need.right.name == "in"             ? "the input topic"
                                                                   : "the output topic";
    wanted.insert(absl::StrCat("| ", who, " | ", text.substr(0, text.find(' ')), " | ", what, " "));
  }
  EXPECT_EQ(documented, wanted);
}

// Of what does nothing but look, and so can be done again and again.
void ExpectSmallest(SecureBroker* broker, const std::string& who, const std::vector<Need>& needs, int good_exit_code,
                    const std::function<CommandResult()>& run) {
  ExpectDocumented(who, needs);
  for (size_t without = 0; without < needs.size(); ++without) {
    SCOPED_TRACE(needs[without].right.Text());
    AllowAllBut(broker, needs, without);
    const CommandResult result = run();
    EXPECT_NE(result.exit_code, good_exit_code) << result.error_text;
    EXPECT_THAT(result.error_text, HasSubstr(needs[without].said));
    TakeBack(broker, needs);
  }
  AllowAllBut(broker, needs, needs.size());
  const CommandResult result = run();
  EXPECT_EQ(result.exit_code, good_exit_code) << result.error_text;
  TakeBack(broker, needs);
}

// Without a weaker one, and called by its name.
Need Plainly(const Right& right) { return {right, std::nullopt, "the right " + right.Text()}; }

TEST_F(AclTest, Import) {
  const std::unique_ptr<Pipe> pipe = Project(kTool);
  const Right describe = {kTopic, "in", kDescribe};
  ExpectDocumented("`st-import`", {Plainly(describe)});
  broker_->Allow(kTool, {describe});
  EXPECT_EQ(As(kTool).Import(*pipe, {"--topics", "in"}).exit_code, 0);
  broker_->Forbid(kTool, describe);
  // A broker lists what may be described, and says nothing of the rest.
  const CommandResult result = As(kTool).Import(*pipe, {"--topics", "in"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.error_text, HasSubstr("the right Describe"));
}

TEST_F(AclTest, ObserveBeforeTheFirstDeployment) {
  const std::unique_ptr<Pipe> pipe = Project(kTool);
  const std::string output = Output(*pipe);
  ExpectSmallest(broker_, "`st-observe`, first deployment",
                 {Plainly({kTopic, "in", kDescribe}), Plainly({kTopic, output, kDescribe}),
                  Plainly({kTopic, output, kCreate}), Plainly({kGroup, ApplicationId(*pipe), kDescribe})},
                 10, [&] { return pipe->Plan("p"); });
}

TEST_F(AclTest, ObserveWhatIsDeployed) {
  const std::unique_ptr<Pipe> pipe = Project(kOwner);
  const std::string output = Output(*pipe), application = ApplicationId(*pipe);
  pipe->Deploy("first");
  pipe->set_environment(As(kTool).environment);
  ExpectSmallest(broker_, "`st-observe`, nothing changed",
                 {Plainly({kTopic, "in", kDescribe}), Plainly({kTopic, output, kDescribe}),
                  Plainly({kTopic, output, kDescribeConfigs}), Plainly({kGroup, application, kDescribe})},
                 0, [&] { return pipe->Plan("p"); });

  // With a changed config and more partitions, which the broker is asked about. Who may alter may describe.
  pipe->set_environment(As(kOwner).environment);
  pipe->Edit("running: true", "running: false");
  pipe->Deploy("stopped");
  pipe->Edit("retention.ms: 86400000", "retention.ms: 96400000");
  pipe->Edit("partitions: 1", "partitions: 2");
  pipe->set_environment(As(kTool).environment);
  const Right configs = {kTopic, output, kAlterConfigs}, partitions = {kTopic, output, kAlter};
  ExpectSmallest(broker_, "`st-observe`, topic changed",
                 {Plainly({kTopic, "in", kDescribe}),
                  {configs, Right{kTopic, output, kDescribeConfigs}, "the right " + configs.Text()},
                  {partitions, Right{kTopic, output, kDescribe}, "the right " + partitions.Text()},
                  Plainly({kGroup, application, kDescribe})},
                 10, [&] { return pipe->Plan("p"); });
}

// st-apply passes its credentials on to the runner that it starts, so this is what both need together.
std::vector<Need> NeedsOfApply(const std::string& output, const std::string& application) {
  return {{{kTopic, output, kCreate}, std::nullopt, "the right Create on topic '" + output + "'"},
          {{kTopic, output, kDescribeConfigs}, std::nullopt, "the right DescribeConfigs on topic '" + output + "'"},
          {{kTopic, output, kWrite}, Right{kTopic, output, kDescribe}, "the right Write on the output topic"},
          {{kTopic, "in", kRead}, Right{kTopic, "in", kDescribe}, "the right Read on topic 'in'"},
          {{kGroup, application, kRead},
           Right{kGroup, application, kDescribe},
           "the right Read on group '" + application + "'"},
          {{kTransactionalId, application, kWrite}, std::nullopt, "the right Write on the transactional id"}};
}

// All that runners of this operator have said.
std::string RunnerLogs(const Pipe& pipe) {
  std::stringstream all;
  for (const std::string& generation : pipe.Generations()) all << std::ifstream(generation + "/log").rdbuf();
  return all.str();
}

TEST_F(AclTest, ApplyAndItsRunner) {
  const size_t count = NeedsOfApply("", "").size();
  ExpectDocumented("`st-apply`, `st-resume`", NeedsOfApply("", ""));
  for (size_t without = 0; without <= count; ++without) {
    const std::unique_ptr<Pipe> pipe = Project(kOwner);
    ASSERT_EQ(pipe->Plan("p").exit_code, 10);
    const std::vector<Need> needs = NeedsOfApply(Output(*pipe), ApplicationId(*pipe));
    SCOPED_TRACE(without == count ? "with all" : "without " + needs[without].right.Text());
    AllowAllBut(broker_, needs, without);
    pipe->set_environment(As(kTool).environment);
    const CommandResult applied = pipe->Apply("p");
    if (without == count) {
      EXPECT_EQ(applied.exit_code, 0) << applied.error_text;
      EXPECT_THAT(broker_->AwaitOutput(Output(*pipe), 10), SizeIs(10));
    } else {
      // The first record is written after the runner has shown that it runs.
      std::string said = applied.error_text;
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
      while (said.find(needs[without].said) == std::string::npos && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        said = applied.error_text + RunnerLogs(*pipe);
      }
      EXPECT_THAT(said, HasSubstr(needs[without].said));
    }
    pipe->KillRunners();
    TakeBack(broker_, needs);
  }
}

// The runner alone, as a host starts it, with credentials of its own.
TEST_F(AclTest, Runner) {
  const std::unique_ptr<Pipe> pipe = Project(kOwner);
  const std::string output = Output(*pipe), application = ApplicationId(*pipe);
  pipe->Deploy("first");
  pipe->Edit("running: true", "running: false");
  pipe->Deploy("stopped");
  const std::string generation = pipe->Generations().at(0);
  std::map<std::string, std::string> known;
  std::ifstream status(generation + "/state/status.textproto");
  for (std::string line; std::getline(status, line);) {
    const size_t colon = line.find(": \"");
    if (colon != std::string::npos) known[line.substr(0, colon)] = line.substr(colon + 3, line.size() - colon - 4);
  }
  std::ofstream(pipe->Path("client.properties")) << As(kTool).Resolved();
  const auto run = [&](const char* seconds) {
    broker_->Probe({"produce", "in"}, "{\"k\":\"more\",\"n\":99}\n");
    absl::StatusOr<CommandResult> result = RunCommand(
        {"timeout", "--preserve-status", "-s", "TERM", seconds, "runner/st-runner",
         "--plan=" + generation + "/plan.textproto", "--client-properties=" + pipe->Path("client.properties"),
         "--application-id=" + application, "--state-dir=" + pipe->Path("alone"),
         "--expected-cluster-id=" + known["cluster_id"], "--expected-input-topic-id=" + known["input_topic_id"],
         "--expected-output-topic-id=" + known["output_topic_id"], "--initialized-partitions=2"},
        {.input = "", .environment = {{"ST_GENERATION_ID", "g"}}});
    EXPECT_TRUE(result.ok()) << result.status();
    return *std::move(result);
  };
  const std::vector<Need> needs = {
      {{kTopic, "in", kRead}, Right{kTopic, "in", kDescribe}, "the right Read on the input topic"},
      {{kTopic, output, kWrite}, Right{kTopic, output, kDescribe}, "the right Write on the output topic"},
      {{kGroup, application, kRead}, Right{kGroup, application, kDescribe}, "the right Read on the group"},
      {{kTransactionalId, application, kWrite}, std::nullopt, "the right Write on the transactional id"}};
  ExpectDocumented("`st-runner`", needs);
  for (size_t without = 0; without < needs.size(); ++without) {
    SCOPED_TRACE(needs[without].right.Text());
    AllowAllBut(broker_, needs, without);
    const CommandResult result = run("40");
    EXPECT_EQ(result.exit_code, 3) << result.output << result.error_text;
    EXPECT_THAT(result.output, HasSubstr("failed not_authorized: "));
    EXPECT_THAT(result.output, HasSubstr(needs[without].said));
    TakeBack(broker_, needs);
  }
  AllowAllBut(broker_, needs, needs.size());
  const CommandResult result = run("6");
  EXPECT_EQ(result.exit_code, 0) << result.output << result.error_text;
  EXPECT_THAT(broker_->AwaitOutput(output, 10 + needs.size() + 1), SizeIs(10 + needs.size() + 1));
  TakeBack(broker_, needs);
}

}  // namespace
}  // namespace st::e2e
