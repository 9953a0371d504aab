// What only the process host promises: what is in its folders, how a process is started, and that no other process is
// ever taken for a runner.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status_matchers.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/clock.h"
#include "lib/base/digest.h"
#include "lib/diag/diag.h"
#include "lib/docio/docio.h"
#include "lib/fs/descriptor.h"
#include "lib/fs/file.h"
#include "lib/host/conformance.h"
#include "lib/host/detached_process.h"
#include "lib/host/proc.h"
#include "lib/host/process.h"
#include "lib/host/process_bench.h"
#include "schemas/st/v1/generation.pb.h"
#include "schemas/st/v1/runner_status.pb.h"

namespace st::host {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using v1::GenerationFacts;

constexpr char kApplication[] = "st.shop.dev.late_flights";
constexpr char kGeneration[] = "g-op-1-0";

class ProcessHostTest : public testing::Test {
 protected:
  GenerationSpec Spec(const std::string& cluster_id) {
    GenerationSpec spec;
    spec.generation_id = kGeneration;
    spec.application_id = kApplication;
    spec.operation_id = "op-1";
    spec.cluster_id = cluster_id;
    spec.input_topic_id = "in";
    spec.output_topic_id = "out";
    spec.initialized_partitions = 3;
    spec.commit_interval_ms = 250;
    absl::StatusOr<std::vector<v1::VolumeFacts>> volumes = host_->Volumes({kApplication});
    EXPECT_THAT(volumes, IsOk());
    spec.volume_instance =
        volumes->empty() ? *host_->CreateVolume(kApplication, "op-1") : volumes->front().instance_id();
    bench_.Fill(&spec);
    return spec;
  }
  void Create(const std::string& cluster_id = "cluster") { ASSERT_THAT(host_->Create(Spec(cluster_id)), IsOk()); }
  absl::Status Start() { return host_->Start(kApplication, kGeneration); }
  absl::StatusOr<GenerationFacts> Await(GenerationFacts::State state) {
    return AwaitState(host_.get(), kApplication, state);
  }
  GenerationFacts Only() {
    absl::StatusOr<std::vector<GenerationFacts>> all = host_->Inventory({kApplication}, Depth::kDeep);
    EXPECT_THAT(all, IsOkAndHolds(SizeIs(1)));
    return all.ok() && all->size() == 1 ? all->front() : GenerationFacts();
  }
  std::string Application() const { return absl::StrCat(bench_.root(), "/", kApplication); }
  std::string Folder() const { return absl::StrCat(Application(), "/generations/", kGeneration); }

  v1::RunnerIdentity Identity() {
    v1::RunnerIdentity identity;
    diag::Diagnostics diagnostics;
    EXPECT_TRUE(docio::Read(Content(Folder() + "/state/identity.textproto"), "identity", docio::Trailer::kRequired,
                            &identity, &diagnostics));
    return identity;
  }
  // This very process: alive, and no runner.
  v1::RunnerIdentity Forged() {
    v1::RunnerIdentity identity;
    identity.set_generation_id(kGeneration);
    identity.set_pid(static_cast<uint32_t>(getpid()));
    identity.set_boot_id(*BootId());
    identity.set_start_time_ticks(*StartTimeTicks(getpid()));
    identity.set_executable(Folder() + "/st-runner");
    return identity;
  }
  void PutIdentity(const v1::RunnerIdentity& identity) {
    Overwrite(Folder() + "/state/identity.textproto", docio::Write(identity));
  }

  ProcessBench bench_;
  std::unique_ptr<RunnerHost> host_ = bench_.Open();
};

std::string Mode(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return path + " is missing";
  return absl::StrFormat("%o", status.st_mode & 07777);
}

std::vector<std::string> LinesWith(const std::string& text, std::string_view prefix) {
  std::vector<std::string> lines;
  for (std::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::ConsumePrefix(&line, prefix)) lines.emplace_back(line);
  }
  return lines;
}

TEST_F(ProcessHostTest, FoldersAndFilesAreOursAlone) {
  const mode_t before = umask(0);
  Create();
  ASSERT_THAT(Start(), IsOk());
  (void)umask(before);
  for (const char* folder : {"", "/state"}) EXPECT_EQ(Mode(Folder() + folder), "700") << folder;
  for (const char* file :
       {"/plan.textproto", "/client.properties", "/generation.textproto", "/start.textproto", "/log"}) {
    EXPECT_EQ(Mode(Folder() + file), "600") << file;
  }
  EXPECT_EQ(Mode(Folder() + "/st-runner"), "700");
  EXPECT_EQ(Mode(Application()), "700");
  EXPECT_EQ(Mode(Application() + "/volume.textproto"), "600");

  const GenerationSpec spec = Spec("cluster");
  EXPECT_EQ(Content(Folder() + "/plan.textproto"), spec.plan_document);
  EXPECT_EQ(Content(Folder() + "/client.properties"), spec.client_properties);
  EXPECT_EQ(base::Sha256Hex(Content(Folder() + "/st-runner")), spec.runner_sha256);
  EXPECT_THAT(fs::ListFolder(Application() + "/building"), IsOkAndHolds(IsEmpty()));
}

TEST_F(ProcessHostTest, TheSecretIsInOneFileOnly) {
  Create();
  ASSERT_THAT(Start(), IsOk());
  absl::StatusOr<GenerationFacts> running = Await(GenerationFacts::RUNNING);
  ASSERT_THAT(running, IsOk());
  EXPECT_THAT(running->DebugString(), Not(HasSubstr("canary")));
  int seen = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(bench_.root())) {
    if (!entry.is_regular_file() || entry.path().filename() == "st-runner") continue;
    const bool has = absl::StrContains(Content(entry.path()), "canary-secret");
    EXPECT_EQ(has, entry.path().filename() == "client.properties") << entry.path();
    ++seen;
  }
  EXPECT_GE(seen, 8);
}

TEST_F(ProcessHostTest, TheRunnerGetsItsFlagsAndNothingOfOurs) {
  ASSERT_EQ(setenv("ST_CANARY", "secret", 1), 0);
  ASSERT_EQ(setenv("TZ", "UTC", 1), 0);
  const auto handler = signal(SIGPIPE, SIG_IGN);
  const fs::Descriptor leaked(open("/dev/zero", O_RDONLY));  // without O_CLOEXEC
  Create();
  ASSERT_THAT(Start(), IsOk());
  (void)signal(SIGPIPE, handler);
  ASSERT_THAT(Await(GenerationFacts::RUNNING), IsOk());
  const std::string log = Content(Folder() + "/log");
  EXPECT_THAT(
      LinesWith(log, "arg "),
      ElementsAre(Folder() + "/st-runner", absl::StrCat("--plan=", Folder(), "/plan.textproto"),
                  absl::StrCat("--client-properties=", Folder(), "/client.properties"),
                  absl::StrCat("--application-id=", kApplication), absl::StrCat("--state-dir=", Folder(), "/state"),
                  "--expected-cluster-id=cluster", "--expected-input-topic-id=in", "--expected-output-topic-id=out",
                  "--initialized-partitions=3", "--commit-interval-ms=250"));
  for (const std::string& variable : LinesWith(log, "env ")) {
    const std::string name(variable.substr(0, variable.find('=')));
    EXPECT_THAT(name, testing::AnyOf("ST_GENERATION_ID", "ST_APPLICATION_ID", "PATH", "HOME", "TZ"));
  }
  EXPECT_THAT(LinesWith(log, "env ST_GENERATION_ID="), ElementsAre(kGeneration));
  EXPECT_THAT(LinesWith(log, "env ST_APPLICATION_ID="), ElementsAre(kApplication));
  EXPECT_THAT(LinesWith(log, "env TZ="), ElementsAre("UTC"));
  EXPECT_THAT(LinesWith(log, "fd "),
              ElementsAre("0 /dev/null", absl::StrCat("1 ", Folder(), "/log"), absl::StrCat("2 ", Folder(), "/log")));
  EXPECT_THAT(LinesWith(log, "session leader "), ElementsAre("no"));
  EXPECT_THAT(LinesWith(log, "terminal "), ElementsAre("0"));
  EXPECT_THAT(LinesWith(log, "folder "), ElementsAre(Folder()));
  EXPECT_THAT(LinesWith(log, "umask "), ElementsAre("077"));
  EXPECT_THAT(LinesWith(log, "SigBlk:\t"), ElementsAre("0000000000000000"));
  // Two signals are the C library's own: it lets nobody change what it inherited for them.
  EXPECT_THAT(LinesWith(log, "SigIgn:\t"), ElementsAre(testing::MatchesRegex("0000000[01][08]0000000")));
  EXPECT_THAT(log, testing::ContainsRegex("Max core file size +0 +0 "));
}

TEST_F(ProcessHostTest, ItOutlivesTheSessionThatStartedIt) {
  Create();
  ASSERT_THAT(Start(), IsOk());
  absl::StatusOr<GenerationFacts> running = Await(GenerationFacts::RUNNING);
  ASSERT_THAT(running, IsOk());
  const pid_t pid = static_cast<pid_t>(running->pid());
  EXPECT_NE(getsid(pid), getsid(0));
  EXPECT_NE(getpgid(pid), getpgid(0));
}

TEST_F(ProcessHostTest, NoMomentInWhichItRunsAndIsNotFound) {
  const std::string gate = bench_.root() + "-gate";
  ASSERT_EQ(mkfifo(gate.c_str(), 0600), 0);
  Create("fifo:" + gate);
  ASSERT_THAT(Start(), IsOk());
  // It executes, and has written nothing yet.
  EXPECT_FALSE(std::filesystem::exists(Folder() + "/state/identity.textproto"));
  const GenerationFacts early = Only();
  EXPECT_EQ(early.state(), GenerationFacts::RUNNING);
  EXPECT_GT(early.pid(), 0);
  EXPECT_FALSE(early.has_status());
  EXPECT_THAT(Start(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("already running")));
  EXPECT_THAT(host_->Remove(kApplication, kGeneration), StatusIs(absl::StatusCode::kFailedPrecondition));
  const fs::Descriptor open_gate(open(gate.c_str(), O_WRONLY));
  ASSERT_THAT(Await(GenerationFacts::RUNNING), IsOk());
  EXPECT_EQ(Only().pid(), early.pid());
}

TEST_F(ProcessHostTest, AProcessThatNeverGotAnywhereIsNoStart) {
  Create("die-early");
  ASSERT_THAT(Start(), IsOk());
  ASSERT_THAT(Await(GenerationFacts::CREATED), IsOk());
  EXPECT_THAT(Only().detail(), HasSubstr("a start was begun"));
  EXPECT_FALSE(Only().exit_code_known());
  EXPECT_THAT(Start(), IsOk());
}

TEST_F(ProcessHostTest, AFailedOneHasExited) {
  Create("fail");
  ASSERT_THAT(Start(), IsOk());
  absl::StatusOr<GenerationFacts> ended = Await(GenerationFacts::EXITED);
  ASSERT_THAT(ended, IsOk());
  EXPECT_EQ(ended->status().state(), v1::RunnerStatus::FAILED);
  EXPECT_FALSE(ended->exit_code_known());
}

TEST_F(ProcessHostTest, AForkThatIsNotLetGoExecutesNothing) {
  const std::string log = bench_.root() + "-log";
  pid_t pid = 0;
  {
    absl::StatusOr<std::unique_ptr<DetachedProcess>> process =
        DetachedProcess::Fork({"/bin/echo", {"echo", "executed"}, {}, "/", log});
    ASSERT_THAT(process, IsOk());
    pid = (*process)->pid();
    EXPECT_THAT(StartTimeTicks(pid), IsOk());
  }
  while (StartTimeTicks(pid).ok()) base::RealClock().SleepMs(1);
  EXPECT_EQ(Content(log), "");
}

TEST_F(ProcessHostTest, AProgramThatCannotBeExecutedIsSaid) {
  Create();
  ASSERT_EQ(chmod((Folder() + "/st-runner").c_str(), 0600), 0);
  EXPECT_THAT(Start(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("cannot execute the program")));
  EXPECT_EQ(Only().state(), GenerationFacts::CREATED);
  ASSERT_EQ(chmod((Folder() + "/st-runner").c_str(), 0700), 0);
  EXPECT_THAT(Start(), IsOk());
}

TEST_F(ProcessHostTest, ALogThatIsALinkIsNotWritten) {
  Create();
  const std::string target = bench_.root() + "-target";
  Overwrite(target, "mine");
  ASSERT_EQ(symlink(target.c_str(), (Folder() + "/log").c_str()), 0);
  EXPECT_FALSE(Start().ok());
  EXPECT_EQ(Content(target), "mine");
}

// Each is an identity that names a living process, or one of another boot; none is a runner of this generation.
TEST_F(ProcessHostTest, NoOtherProcessIsTakenForTheRunner) {
  Create("fail");
  ASSERT_THAT(Start(), IsOk());
  ASSERT_THAT(Await(GenerationFacts::EXITED), IsOk());
  const v1::RunnerIdentity real = Identity();

  struct Case {
    const char* name;
    v1::RunnerIdentity identity;
    const char* detail;
  };
  std::vector<Case> cases = {{"a forgery that fits in all but what it executes", Forged(), "is not its runner"},
                             {"the pid was used again", Forged(), ""},
                             {"another boot", Forged(), ""},
                             {"no such process", real, ""},
                             {"no pid", Forged(), ""}};
  cases[1].identity.set_start_time_ticks(real.start_time_ticks() + 1);
  cases[2].identity.set_boot_id("00000000-0000-0000-0000-000000000000");
  cases[4].identity.set_pid(0);
  for (const Case& c : cases) {
    PutIdentity(c.identity);
    EXPECT_EQ(Only().state(), GenerationFacts::EXITED) << c.name;
    EXPECT_EQ(Only().pid(), 0) << c.name;
    EXPECT_THAT(Only().detail(), HasSubstr(c.detail)) << c.name;
    // A signal would end this test.
    EXPECT_THAT(host_->Stop(kApplication, kGeneration), IsOk()) << c.name;
  }
}

TEST_F(ProcessHostTest, AnotherGenerationsRunnerIsNotTakenForThisOne) {
  Create();
  GenerationSpec other = Spec("cluster");
  other.generation_id = "g-op-1-1";
  ASSERT_THAT(host_->Create(other), IsOk());
  ASSERT_THAT(host_->Start(kApplication, "g-op-1-1"), IsOk());
  const std::string theirs = Application() + "/generations/g-op-1-1/state/identity.textproto";
  while (!std::filesystem::exists(theirs)) base::RealClock().SleepMs(1);
  Overwrite(Folder() + "/state/identity.textproto", Content(theirs));
  absl::StatusOr<std::vector<GenerationFacts>> all = host_->Inventory({kApplication}, Depth::kDeep);
  ASSERT_THAT(all, IsOkAndHolds(SizeIs(2)));
  EXPECT_EQ((*all)[0].state(), GenerationFacts::EXITED);
  EXPECT_EQ((*all)[1].state(), GenerationFacts::RUNNING);
  // What is sent to a stopped process stays pending, and shows.
  const std::string status = absl::StrCat("/proc/", (*all)[1].pid(), "/status");
  ASSERT_EQ(kill(static_cast<pid_t>((*all)[1].pid()), SIGSTOP), 0);
  while (!absl::StrContains(Content(status), "State:\tT")) base::RealClock().SleepMs(1);
  EXPECT_THAT(host_->Stop(kApplication, kGeneration), IsOk());
  EXPECT_THAT(Content(status), HasSubstr("ShdPnd:\t0000000000000000"));
  EXPECT_THAT(host_->Stop(kApplication, "g-op-1-1"), IsOk());
  EXPECT_THAT(Content(status), HasSubstr("ShdPnd:\t0000000000004000"));
  ASSERT_EQ(kill(static_cast<pid_t>((*all)[1].pid()), SIGCONT), 0);
}

// The lock says that somebody is at work in the state folder; who, cannot be proven. Neither stopped nor started.
TEST_F(ProcessHostTest, WhoHoldsTheLockRuns) {
  Create();
  ASSERT_THAT(Start(), IsOk());
  absl::StatusOr<GenerationFacts> running = Await(GenerationFacts::RUNNING);
  ASSERT_THAT(running, IsOk());
  v1::RunnerIdentity identity = Identity();
  identity.set_boot_id("00000000-0000-0000-0000-000000000000");
  PutIdentity(identity);
  ASSERT_EQ(unlink((Folder() + "/start.textproto").c_str()), 0);
  EXPECT_EQ(Only().state(), GenerationFacts::RUNNING);
  EXPECT_EQ(Only().pid(), running->pid());
  EXPECT_THAT(Only().detail(), HasSubstr("cannot be proven"));
  EXPECT_THAT(Start(), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(host_->Stop(kApplication, kGeneration), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(host_->Remove(kApplication, kGeneration), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(StartTimeTicks(static_cast<pid_t>(running->pid())), IsOk());
}

TEST_F(ProcessHostTest, AfterARebootEverythingHasExited) {
  Create();
  ASSERT_THAT(Start(), IsOk());
  absl::StatusOr<GenerationFacts> running = Await(GenerationFacts::RUNNING);
  ASSERT_THAT(running, IsOk());
  ASSERT_THAT(bench_.Kill(*running), IsOk());
  v1::RunnerIdentity identity = Identity();
  identity.set_boot_id("00000000-0000-0000-0000-000000000000");
  identity.set_pid(1);
  PutIdentity(identity);
  EXPECT_EQ(Only().state(), GenerationFacts::EXITED);
  EXPECT_EQ(Only().detail(), "");
  EXPECT_THAT(Start(), IsOk());
}

TEST_F(ProcessHostTest, WhatIsForeignOrDamagedIsListed) {
  Create();
  const std::string generations = Application() + "/generations";
  Overwrite(generations + "/a-file", "?");
  ASSERT_THAT(fs::MakeFolders(generations + "/a-folder", 0700), IsOk());
  std::filesystem::copy(Folder(), generations + "/cut", std::filesystem::copy_options::recursive);
  Overwrite(generations + "/cut/generation.textproto", Content(Folder() + "/generation.textproto").substr(0, 60));
  ASSERT_EQ(symlink("/nowhere", (generations + "/link").c_str()), 0);
  absl::StatusOr<std::vector<GenerationFacts>> all = host_->Inventory({kApplication}, Depth::kDeep);
  ASSERT_THAT(all, IsOkAndHolds(SizeIs(5)));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ((*all)[i].generation_id(), "");
    EXPECT_EQ((*all)[i].state(), GenerationFacts::STATE_UNSPECIFIED);
    EXPECT_THAT((*all)[i].detail(), HasSubstr((*all)[i].location()));
  }
  EXPECT_EQ((*all)[4].generation_id(), kGeneration);
  EXPECT_THAT(host_->Start(kApplication, "cut"), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(host_->Start(kApplication, "a-folder-2"), StatusIs(absl::StatusCode::kNotFound));
  GenerationSpec spec = Spec("cluster");
  spec.generation_id = "a-folder";
  EXPECT_THAT(host_->Create(spec), StatusIs(absl::StatusCode::kAlreadyExists));
}

TEST_F(ProcessHostTest, TheSameLabelsTwiceAreNotStarted) {
  Create();
  std::filesystem::copy(Folder(), Application() + "/generations/copy", std::filesystem::copy_options::recursive);
  EXPECT_THAT(host_->Inventory({kApplication}, Depth::kDeep), IsOkAndHolds(SizeIs(2)));
  EXPECT_THAT(Start(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("more than one")));
  EXPECT_THAT(host_->Create(Spec("cluster")), StatusIs(absl::StatusCode::kAlreadyExists));
}

TEST_F(ProcessHostTest, UnreadableStatusAndIdentityAreSaid) {
  Create("fail");
  ASSERT_THAT(Start(), IsOk());
  ASSERT_THAT(Await(GenerationFacts::EXITED), IsOk());
  Overwrite(Folder() + "/state/status.textproto", "state: CLOSED\n");
  Overwrite(Folder() + "/state/identity.textproto", "");
  const GenerationFacts facts = Only();
  EXPECT_EQ(facts.state(), GenerationFacts::EXITED);
  EXPECT_FALSE(facts.has_status());
  EXPECT_THAT(facts.detail(), AllOf(HasSubstr("its status cannot be read"), HasSubstr("who ran it cannot be read")));
}

TEST_F(ProcessHostTest, ADamagedVolumeIsNotAbsent) {
  Create();
  Overwrite(Application() + "/volume.textproto", "?");
  EXPECT_THAT(host_->Volumes({kApplication}), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_FALSE(host_->CreateVolume(kApplication, "op-2").ok());
}

TEST_F(ProcessHostTest, WhatAKilledToolLeftIsCleared) {
  Create();
  const std::string building = Application() + "/building/g-op-1-1";
  ASSERT_THAT(fs::MakeFolders(building + "/state", 0700), IsOk());
  Overwrite(building + "/plan.textproto", "half");
  const std::string removed = Application() + "/removed/left";
  ASSERT_THAT(fs::MakeFolders(removed, 0700), IsOk());
  Overwrite(removed + "/client.properties", "sasl.password=secret");
  EXPECT_THAT(host_->Inventory({kApplication}, Depth::kDeep), IsOkAndHolds(SizeIs(1)));
  GenerationSpec next = Spec("cluster");
  next.generation_id = "g-op-1-1";
  ASSERT_THAT(host_->Create(next), IsOk());
  EXPECT_THAT(fs::ListFolder(Application() + "/building"), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(fs::ListFolder(Application() + "/removed"), IsOkAndHolds(IsEmpty()));
  ASSERT_THAT(fs::MakeFolders(Application() + "/removed/x/state", 0700), IsOk());
  ASSERT_THAT(host_->Remove(kApplication, "g-op-1-1"), IsOk());
  EXPECT_THAT(fs::ListFolder(Application() + "/removed"), IsOkAndHolds(IsEmpty()));
}

TEST_F(ProcessHostTest, OneToolAtATimeInAnApplication) {
  Create();
  const fs::FileLock held = *fs::FileLock::TryAcquire(Application() + "/lock");
  EXPECT_THAT(Start(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(host_->Remove(kApplication, kGeneration), StatusIs(absl::StatusCode::kUnavailable));
  GenerationSpec next = Spec("cluster");
  next.generation_id = "g-op-1-1";
  EXPECT_THAT(host_->Create(next), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(host_->Inventory({kApplication}, Depth::kDeep), IsOkAndHolds(SizeIs(1)));
}

TEST_F(ProcessHostTest, WithoutARunnerNothingIsCreated) {
  const std::unique_ptr<RunnerHost> host = OpenProcessHost(bench_.root(), "");
  absl::StatusOr<v1::HostFacts> facts = host->Identify();
  ASSERT_THAT(facts, IsOk());
  EXPECT_EQ(facts->runner_sha256(), "");
  EXPECT_THAT(facts->detail(), HasSubstr("st-runner"));
  EXPECT_EQ(facts->boot_id(), *BootId());
  EXPECT_THAT(host->Create(Spec("cluster")), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(ProcessHostTest, LookingMakesNothing) {
  EXPECT_THAT(host_->Inventory({kApplication}, Depth::kDeep), IsOk());
  EXPECT_THAT(host_->Volumes({kApplication}), IsOk());
  EXPECT_FALSE(host_->Stop(kApplication, kGeneration).ok());
  EXPECT_FALSE(host_->Start(kApplication, kGeneration).ok());
  EXPECT_FALSE(std::filesystem::exists(bench_.root()));
}

}  // namespace
}  // namespace st::host
