// Somebody is at work with the same engine and broker, while a model runs or in the middle of its replacement: what the
// tools say of it, what they allow, and that the way out which docs/recovery.md names leads out. Every order comes out
// once all the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/docker/deployed_test.h"
#include "e2e/docker/deployment.h"
#include "e2e/docker/ground.h"
#include "e2e/pipe.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// All that the kernel killed on this machine because memory ran out.
int64_t OutOfMemoryKills() {
  std::ifstream counters("/proc/vmstat");
  std::string name;
  int64_t value = 0;
  while (counters >> name >> value) {
    if (name == "oom_kill") return value;
  }
  return -1;
}

class MeddlingTest : public DeployedTest {
 protected:
  void SetUp() override { deployed_->Feed(); }

  // A replacement, up to there.
  static void CutOff(const std::string& at) {
    ASSERT_NO_FATAL_FAILURE(deployed_->PlanChange());
    ASSERT_EQ(deployed_->ApplyCutOff(at).exit_code, kKilled);
    deployed_->Feed(6);
  }

  // Neither tool would go on, and both say why.
  static void ExpectBlocked(const std::string& code, const std::string& sentence, const std::string& way_out) {
    const auto why = AllOf(HasSubstr(code), HasSubstr(sentence), HasSubstr(way_out));
    const CommandResult status = deployed_->user().Status();
    EXPECT_EQ(status.exit_code, 1);
    EXPECT_THAT(status.error_text, AllOf(HasSubstr("next step: none (not allowed: "), why));
    const CommandResult resumed = deployed_->Resume(deployed_->Status().operation_id());
    EXPECT_EQ(resumed.exit_code, 1);
    EXPECT_THAT(resumed.error_text, AllOf(HasSubstr("blocked half-way"), why));
  }

  // It is allowed, and done.
  static void CarryOn() {
    const CommandResult status = deployed_->user().Status();
    EXPECT_EQ(status.exit_code, 0) << status.error_text;
    const CommandResult resumed = deployed_->Resume(deployed_->Status().operation_id());
    ASSERT_EQ(resumed.exit_code, 0) << resumed.error_text;
    deployed_->Feed();
    deployed_->ExpectWhole();
  }

  static std::vector<int64_t> Committed() {
    return deployed_->cluster().Committed(deployed_->application(), Deployment::kInput, Deployment::kPartitions);
  }
  static void SetOffsets(const std::vector<int64_t>& offsets) {
    deployed_->cluster().CommitOffsets(deployed_->application(), Deployment::kInput, offsets);
  }
  // One back in each partition: the last record of each would be read twice.
  static std::vector<int64_t> OneBack(std::vector<int64_t> offsets) {
    for (int64_t& offset : offsets) --offset;
    return offsets;
  }

  static void AwaitNoMember() {
    const absl::Time deadline = absl::Now() + absl::Minutes(1);
    while (deployed_->cluster().GroupState(deployed_->application()) != "Empty") {
      ASSERT_LT(absl::Now(), deadline) << "somebody is still in the group";
      absl::SleepFor(absl::Milliseconds(100));
    }
  }

  static void MakeTheOutputAgain() {
    deployed_->cluster().DeleteTopic(deployed_->output());
    // A broker shows what was done a moment later.
    const absl::Time deadline = absl::Now() + absl::Minutes(1);
    while (absl::StrContains(Probe(deployed_->broker().bootstrap(), {"topics"}), deployed_->output() + "\n")) {
      ASSERT_LT(absl::Now(), deadline);
    }
    deployed_->cluster().CreateTopic(deployed_->output(), Deployment::kPartitions);
    ExpectBlocked("TOPIC_ID_CHANGED", "was deleted and made again", "so this operation cannot go on");
    EXPECT_THAT(deployed_->Status().next_command(), HasSubstr("st-state recover --settle observed"));
  }

  static CommandResult Propose(const std::string& settlement) {
    return deployed_->user().Run({"st-state", "recover", "--settle", settlement}, deployed_->user().Compile());
  }

  // By the two commands of the page, with the file in between.
  static void Settle(const std::string& settlement, const std::string& verdict) {
    const CommandResult proposed = Propose(settlement);
    ASSERT_EQ(proposed.exit_code, 0) << proposed.error_text;
    EXPECT_THAT(proposed.error_text, HasSubstr(verdict));
    const v1::Recovery recovery = ReadAnswer<v1::Recovery>(proposed.output);
    ASSERT_EQ(deployed_->user().Run({"sh", "-c", "cat > recovery.textproto"}, proposed.output).exit_code, 0);
    const CommandResult settled =
        deployed_->user().Run({"st-state", "recover", "--apply", "recovery.textproto", "--operation",
                               recovery.operation_id(), "--checksum", recovery.checksum()},
                              deployed_->user().Compile());
    ASSERT_EQ(settled.exit_code, 0) << settled.error_text;
    EXPECT_EQ(deployed_->Status().operation_id(), "");
  }

  static void GiveUpFor(const std::string& name) {
    CommandResult planned = deployed_->user().Plan("plan");
    EXPECT_EQ(planned.exit_code, 1);
    EXPECT_THAT(planned.error_text,
                AllOf(HasSubstr("TOPIC_ID_CHANGED"), HasSubstr("declare the model under another name")));
    deployed_->Redeclare(name);
    planned = deployed_->user().Plan("plan");
    ASSERT_EQ(planned.exit_code, 10) << planned.error_text;
    EXPECT_THAT(planned.error_text, HasSubstr("NO_LONGER_DECLARED"));
    const CommandResult applied = deployed_->user().Apply("plan");
    ASSERT_EQ(applied.exit_code, 0) << applied.error_text;
    deployed_->ExpectWhole();
  }
};

TEST_F(MeddlingTest, TheOldContainerIsKilledBeforeItWasReviewedAsEnded) {
  ASSERT_NO_FATAL_FAILURE(deployed_->PlanChange());
  ground_->Docker({"kill", "--signal", "KILL", deployed_->Container()});
  deployed_->Feed();
  const CommandResult applied = deployed_->user().Apply("plan");
  EXPECT_EQ(applied.exit_code, 1);
  EXPECT_THAT(applied.error_text, AllOf(HasSubstr("UNCLEAN_END"), HasSubstr("resume to go on, marked unclean")));
  CarryOn();
}

TEST_F(MeddlingTest, TheOldContainerIsKilledAndItsOffsetsAreMovedBack) {
  ASSERT_NO_FATAL_FAILURE(CutOff("after:checkpoint:1"));
  deployed_->AwaitAllRead();
  ground_->Docker({"kill", "--signal", "KILL", deployed_->Container()});
  ASSERT_NO_FATAL_FAILURE(AwaitNoMember());
  const std::vector<int64_t> committed = Committed();
  std::vector<int64_t> reviewed;
  const v1::OperationStatus status = deployed_->Status();
  for (const v1::PartitionOffset& offset : status.intent().actions(0).replace_runner().offsets()) {
    reviewed.push_back(offset.offset());
  }
  ASSERT_EQ(reviewed.size(), committed.size());
  SetOffsets(OneBack(reviewed));
  ExpectBlocked("OFFSETS_MOVED_BACK", "where it was before", "find out who moved it back");
  SetOffsets(committed);
  CarryOn();
}

TEST_F(MeddlingTest, OffsetsAreMovedWhileNothingRuns) {
  ASSERT_NO_FATAL_FAILURE(CutOff("after:checkpoint:3"));
  const std::vector<int64_t> committed = Committed();
  SetOffsets(OneBack(committed));
  // The plan saw all that was read, so this is behind what was reviewed, too.
  ExpectBlocked("OFFSETS_MOVED_BACK", "where it was before", "find out who moved it back");
  std::vector<int64_t> ahead = committed;
  ++ahead.front();
  SetOffsets(ahead);
  ExpectBlocked("OFFSETS_MOVED", "is not where the runner stopped", "put it back");
  SetOffsets(committed);
  CarryOn();
}

// As an operator does who wants to see whether it comes back.
TEST_F(MeddlingTest, TheOldContainerIsRestarted) {
  ground_->Docker({"restart", deployed_->Container()});
  deployed_->AwaitAllRead();
  EXPECT_EQ(deployed_->user().Plan("again").exit_code, 0);
  ASSERT_NO_FATAL_FAILURE(CutOff("after:checkpoint:1"));
  ground_->Docker({"restart", deployed_->Container()});
  CarryOn();

  // After its close it runs on with the old filter, and is closed once more, where it is by then.
  ASSERT_NO_FATAL_FAILURE(CutOff("after:checkpoint:2"));
  ground_->Docker({"restart", deployed_->Container()});
  deployed_->AwaitAllRead();
  CarryOn();
}

TEST_F(MeddlingTest, TheContainerIsRenamed) {
  ground_->Docker({"rename", deployed_->Container(), "mine-" + ground_->unique()});
  EXPECT_EQ(deployed_->user().Plan("again").exit_code, 0);
  ASSERT_NO_FATAL_FAILURE(CutOff("after:checkpoint:1"));
  ground_->Docker({"rename", deployed_->Container(), "yours-" + ground_->unique()});
  CarryOn();
}

TEST_F(MeddlingTest, AStrangerHasTheNameOrTheLabelOfTheNewContainer) {
  ASSERT_NO_FATAL_FAILURE(CutOff("after:checkpoint:3"));
  const v1::OperationStatus status = deployed_->Status();
  const std::string generation = absl::StrCat("g-", status.operation_id(), "-", status.intent().actions(0).index());
  std::string stranger =
      ground_->Docker({"create", "--name", "st." + generation, deployed_->user().image(), "--version"});
  const CommandResult resumed = deployed_->Resume(status.operation_id());
  EXPECT_EQ(resumed.exit_code, 1);
  EXPECT_THAT(resumed.error_text, AllOf(HasSubstr("CONFLICT"), HasSubstr(generation + " is taken"),
                                        HasSubstr("find out who has that name")));
  ground_->Docker({"rename", stranger, "stranger-" + ground_->unique()});
  EXPECT_EQ(deployed_->user().Status().exit_code, 0);
  ground_->Docker({"rm", stranger});

  stranger = ground_->Docker(
      {"create", "--label", "st.application=" + deployed_->application(), deployed_->user().image(), "--version"});
  ExpectBlocked("RUNNER_NOT_OURS", "is no generation of ours", "find out who made it");
  ground_->Docker({"rm", stranger});
  CarryOn();
}

// `docker update` makes another container of it, so it has to be taken back; then the kernel's kill is an end like any
// that nobody reviewed.
TEST_F(MeddlingTest, TheOldContainerRunsOutOfMemory) {
  ASSERT_NO_FATAL_FAILURE(CutOff("after:checkpoint:1"));
  const std::string container = deployed_->Container();
  const std::string before = ground_->Inspect(container, "{{.HostConfig.Memory}}");
  const int64_t kills = OutOfMemoryKills();
  ASSERT_GE(kills, 0);
  const auto limit = [&](const std::string& bytes) {
    return ground_->Try({"update", "--memory", bytes, "--memory-swap", bytes, container}).exit_code == 0;
  };
  // The least that the engine takes, and the kernel: some do not go below what is in use.
  int mib = 6;
  while (!limit(absl::StrCat(mib, "m"))) ASSERT_LT(++mib, 64);
  const absl::Time deadline = absl::Now() + absl::Minutes(1);
  while (ground_->Inspect(container, "{{.State.Running}}") == "true") {
    ASSERT_LT(absl::Now(), deadline) << mib << " MiB are enough";
    deployed_->Feed(3, 900'000);
  }
  EXPECT_EQ(ground_->Inspect(container, "{{.State.Status}} {{.State.ExitCode}}"), "exited 137");
  EXPECT_GT(OutOfMemoryKills(), kills);
  ExpectBlocked("RUNNER_NOT_OURS", "or was changed after it was made", "find out who made it");
  ASSERT_TRUE(limit(before));
  CarryOn();
}

TEST_F(MeddlingTest, SomebodyElseIsInTheGroup) {
  auto member = std::make_unique<Member>(deployed_->broker().bootstrap(), deployed_->application(), Deployment::kInput);
  member->AwaitAssignment();
  deployed_->ChangeFilter();
  const CommandResult planned = deployed_->user().Plan("plan");
  EXPECT_EQ(planned.exit_code, 1);
  EXPECT_THAT(planned.error_text,
              AllOf(HasSubstr("GROUP_ACTIVE"), HasSubstr("is in use: member "), HasSubstr("stop that consumer")));
  member.reset();
  ASSERT_EQ(deployed_->user().Plan("plan").exit_code, 10);

  // Half-way he is waited for.
  ASSERT_EQ(deployed_->ApplyCutOff("after:checkpoint:3").exit_code, kKilled);
  deployed_->Feed(6);
  member = std::make_unique<Member>(deployed_->broker().bootstrap(), deployed_->application(), Deployment::kInput);
  member->AwaitAssignment();
  const CommandResult status = deployed_->user().Status();
  EXPECT_EQ(status.exit_code, 0);
  EXPECT_THAT(status.error_text, AllOf(HasSubstr("next step: wait (allowed: "), HasSubstr("is active: member ")));
  const std::string operation = deployed_->Status().operation_id();
  CommandResult resumed;
  std::thread resume([&] { resumed = deployed_->Resume(operation); });
  const absl::Time deadline = absl::Now() + absl::Minutes(1);
  while (deployed_->Status().authorizations().empty() && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(20));
  EXPECT_LT(absl::Now(), deadline) << "it was not authorized";
  member.reset();
  resume.join();
  ASSERT_EQ(resumed.exit_code, 0) << resumed.error_text;
  deployed_->ExpectWhole();
}

// The engine takes no volume away that a container has; between the two it does.
TEST_F(MeddlingTest, TheVolumeIsMadeAgain) {
  const std::string volume = deployed_->Volume();
  EXPECT_NE(ground_->Try({"volume", "rm", volume}).exit_code, 0);
  ASSERT_NO_FATAL_FAILURE(CutOff("after:checkpoint:3"));
  std::vector<std::string> restore = {"volume", "create"};
  const std::string labels = ground_->Docker(
      {"volume", "inspect", "--format", "{{range $k, $v := .Labels}}{{$k}}={{$v}}{{println}}{{end}}", volume});
  for (const absl::string_view label : absl::StrSplit(labels, '\n', absl::SkipEmpty())) {
    restore.insert(restore.end(), {"--label", std::string(label)});
  }
  restore.push_back(volume);
  ground_->Docker({"volume", "rm", volume});
  ExpectBlocked("VOLUME_CHANGED", "is not the one that it was made with", "somebody replaced it");
  ground_->Docker({"volume", "create", volume});
  ExpectBlocked("VOLUME_CHANGED", "is not the one that it was made with", "somebody replaced it");
  ground_->Docker({"volume", "rm", volume});
  ground_->Docker(restore);
  CarryOn();
}

// The last ones: nothing brings a topic back. The operation is settled by what is there, and the model is given up for
// another one.
TEST_F(MeddlingTest, TheOutputIsMadeAgainWhileTheOldContainerIsThere) {
  ASSERT_NO_FATAL_FAILURE(CutOff("after:checkpoint:1"));
  ASSERT_NO_FATAL_FAILURE(MakeTheOutputAgain());
  ASSERT_NO_FATAL_FAILURE(Settle("rolled_back", "PRIOR"));
  GiveUpFor("larger");
}

TEST_F(MeddlingTest, TheOutputIsMadeAgainWhenTheOldContainerIsGone) {
  ASSERT_NO_FATAL_FAILURE(CutOff("after:checkpoint:3"));
  ASSERT_NO_FATAL_FAILURE(MakeTheOutputAgain());
  const CommandResult proposed = Propose("rolled_back");
  EXPECT_EQ(proposed.exit_code, 1);
  EXPECT_THAT(proposed.error_text, AllOf(HasSubstr("NOT_PROVEN"), HasSubstr("settle it as observed")));
  ASSERT_NO_FATAL_FAILURE(Settle("observed", "TAKEN_AWAY"));
  GiveUpFor("largest");
}

}  // namespace
}  // namespace st::e2e
