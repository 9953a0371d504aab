// A canary in every credential, through journeys that succeed and through each failure: nothing that a tool or a runner
// says, writes or shows holds one, but the two files that a runner reads.
#include "e2e/security/canary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // mkdtemp
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "e2e/command.h"
#include "e2e/pipe.h"
#include "e2e/security/secure_broker.h"
#include "e2e/security/way.h"

namespace st::e2e {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr char kUser[] = "canary.user";
constexpr char kPassword[] = "canary.password-1Q";
constexpr char kWrong[] = "canary.wrong-2W";

class CanaryTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    broker_ = new SecureBroker(std::map<std::string, std::string>{{kUser, kPassword}});
    broker_->AllowAll(kUser);
  }
  static void TearDownTestSuite() { delete broker_; }

  // Of name, password and keys of this user (with and without a password), and what is tried in their place.
  static Canary NewCanary() {
    return Canary({kUser, kPassword, kWrong, broker_->Text(absl::StrCat("client-", kUser, ".key")),
                   broker_->Text(absl::StrCat("client-", kUser, ".encrypted.key"))});
  }

  // Deploys, stops, and is looked at all the while.
  static void Journey(const Way& way, const std::string& name, Canary* canary) {
    broker_->MakeInput(name + ".in");
    Pipe pipe("unused", name);
    pipe.WriteProject(name + ".in", name + ".out");
    way.Declare(&pipe);
    Say("import", way.Import(pipe, {"--into", pipe.Path("imported")}), 0, canary);
    for (const char* plan : {"p1", "p2"}) {
      const CommandResult compiled = pipe.Tool("st-compile", {pipe.Path("project")});
      Say("compile", compiled, 0, canary);
      Say("observe", pipe.Tool("st-observe", {}, compiled.output), 0, canary);
      Say("plan", pipe.Plan(plan), 10, canary);
      Say("apply", pipe.Apply(plan), 0, canary);
      Say("status", pipe.Tool("st-resume", {"--status"}, compiled.output), 0, canary);
      if (std::string(plan) == "p2") continue;
      EXPECT_THAT(broker_->AwaitOutput(name + ".out", 10), SizeIs(10));
      LookAtRunner(pipe, canary);
      pipe.Edit("running: true", "running: false");
    }
    Failures(pipe, way, canary);
    EXPECT_GT(canary->LookInFolder(pipe.Path("")), 10'000u);
  }

  // Of a tool that must end so.
  static void Say(const std::string& what, const CommandResult& result, int exit_code, Canary* canary) {
    EXPECT_EQ(result.exit_code, exit_code) << what << ": " << result.error_text;
    canary->LookAt(what + " (output)", result.output);
    canary->LookAt(what + " (messages)", result.error_text);
  }

  static void LookAtRunner(const Pipe& pipe, Canary* canary) {
    const std::vector<int> pids = pipe.RunnerPids();
    ASSERT_THAT(pids, SizeIs(1));
    EXPECT_GT(canary->LookAtProcess(pids[0]), 100u);
    EXPECT_GT(canary->LookAtCommandLines(), 100u);
    std::stringstream limits;
    limits << std::ifstream(absl::StrCat("/proc/", pids[0], "/limits")).rdbuf();
    EXPECT_THAT(limits.str(), ::testing::ContainsRegex("Max core file size +0 +0 "));
  }

  // What goes wrong with each variable of the way: another value, none, one of several lines; and with the broker.
  static void Failures(const Pipe& pipe, const Way& way, Canary* canary) {
    const std::string topology = pipe.Compile();
    for (const auto& [variable, value] : way.environment) {
      for (const std::string& wrong : {std::string(kWrong), std::string(), absl::StrCat(kWrong, "\n", kWrong)}) {
        const CommandResult observed = pipe.Tool("st-observe", {}, topology, {{variable, wrong}});
        const CommandResult resumed = pipe.Tool("st-resume", {"--status"}, topology, {{variable, wrong}});
        // A certificate is no secret and stands in the topology.
        const bool matters = variable != "KAFKA_CERTIFICATE";
        EXPECT_EQ(observed.exit_code != 0, matters) << variable << ": " << observed.error_text;
        Say(variable, observed, observed.exit_code, canary);
        Say(variable, resumed, resumed.exit_code, canary);
        const CommandResult imported = way.Where(variable, wrong).Import(pipe, {});
        Say(variable, imported, imported.exit_code, canary);
      }
    }
    for (const char* listener : {"BADHOST", "EXPIRED", "PLAINTEXT", "PLAIN", "TLS"}) {
      const CommandResult observed = pipe.Tool("st-observe", {}, topology, {{"BOOTSTRAP", broker_->Address(listener)}});
      Say(listener, observed, observed.exit_code, canary);
    }
  }

  static SecureBroker* broker_;
};

SecureBroker* CanaryTest::broker_ = nullptr;

TEST_F(CanaryTest, Scram) {
  Canary canary = NewCanary();
  Journey(Sasl(*broker_, "SCRAM", "SCRAM-SHA-512", kUser, kPassword), "scram", &canary);
  EXPECT_THAT(canary.found(), IsEmpty());
  EXPECT_THAT(canary.kept(), ElementsAre(HasSubstr("/client.properties")));
}

TEST_F(CanaryTest, InlineKeyWithPassword) {
  Canary canary = NewCanary();
  Journey(MutualTlsInline(*broker_, kUser, kPassword), "inline", &canary);
  EXPECT_THAT(canary.found(), IsEmpty());
  EXPECT_THAT(canary.kept(), UnorderedElementsAre(HasSubstr("/client.properties"), HasSubstr("/key.pem")));
}

// The broker's own harness, too: what it prints and logs.
TEST_F(CanaryTest, TheBrokersLog) {
  Canary canary({kPassword, kWrong});  // whom it lets in, it may say
  std::stringstream log;
  log << std::ifstream(broker_->folder() + "/broker.log").rdbuf();
  EXPECT_GT(canary.LookAt("broker.log", log.str()), 10'000u);
  canary.LookAtCommandLines();
  EXPECT_THAT(canary.found(), IsEmpty());
}

// The search finds what is planted, wherever it looks.
TEST(Search, FindsWhatIsPlanted) {
  const std::string key =
      "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqG\nshort\n-----END PRIVATE KEY-----\n";
  Canary canary({"canary.one", key});
  canary.LookAt("password", "x canary.one y");
  canary.LookAt("key", "a line: MIGHAgEAMBMGByqGSM49AgEGCCqG");
  canary.LookAt("nothing", "short -----BEGIN PRIVATE KEY-----");
  EXPECT_THAT(canary.found(), ElementsAre("password", "key"));

  std::string folder = absl::StrCat(getenv("TEST_TMPDIR"), "/planted.XXXXXX");
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string generation = folder + "/generations/g";
  ASSERT_EQ(mkdir((folder + "/generations").c_str(), 0700), 0);
  ASSERT_EQ(mkdir(generation.c_str(), 0700), 0);
  const auto plant = [](const std::string& path, mode_t mode) {
    std::ofstream(path) << std::string("\0binary\0canary.one", 18);
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
  };
  plant(folder + "/state.db", 0600);
  plant(folder + "/client.properties", 0600);
  plant(generation + "/client.properties", 0600);
  plant(generation + "/key.pem", 0640);
  plant(generation + "/generation.textproto", 0600);
  Canary in_files({"canary.one"});
  EXPECT_GT(in_files.LookInFolder(folder), 80u);
  EXPECT_THAT(in_files.found(), UnorderedElementsAre(folder + "/state.db", folder + "/client.properties",
                                                     generation + "/key.pem", generation + "/generation.textproto"));
  EXPECT_THAT(in_files.kept(), ElementsAre(generation + "/client.properties"));
}

TEST(Search, LooksIntoProcesses) {
  // Ends by itself, if nobody ends it.
  absl::StatusOr<CommandResult> started =
      RunCommand({"sh", "-c", "sh -c 'sleep 60; :' canary.three > /dev/null 2>&1 & echo $!"},
                 {.input = "", .environment = {{"PLANTED", "canary.two"}}});
  ASSERT_TRUE(started.ok()) << started.status();
  const pid_t pid = std::stoi(started->output);
  const std::string process = absl::StrCat("/proc/", pid);
  // It is a copy of its parent until it runs its own program.
  while (true) {
    Canary line({std::string("canary.three\0", 13)});
    line.LookAtCommandLines();
    if (::testing::Value(line.found(), Contains(process))) break;
    usleep(1000);
  }
  Canary environment({"canary.two"});
  EXPECT_GT(environment.LookAtProcess(pid), 10u);
  EXPECT_THAT(environment.found(), ElementsAre(process + "/environ"));
  kill(pid, SIGKILL);
}

}  // namespace
}  // namespace st::e2e
