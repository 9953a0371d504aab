// What a real engine makes of our requests: hardening, secrets, and the facts that the scripted engine repeats.
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status_matchers.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/host/docker_bench.h"
#include "lib/host/process_bench.h"

namespace st::host {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using v1::GenerationFacts;
using Code = absl::StatusCode;

class DockerEngineTest : public testing::Test {
 protected:
  void SetUp() override { host_ = bench_.Open(); }

  GenerationSpec Spec(RunnerHost* host) {
    GenerationSpec spec;
    spec.application_id = absl::StrCat("st.shop.dev.late_", bench_.unique());
    spec.operation_id = "op";
    spec.generation_id = absl::StrCat("g-", bench_.unique());
    spec.cluster_id = "the-cluster";
    spec.input_topic_id = "in";
    spec.output_topic_id = "out";
    spec.initialized_partitions = 1;
    spec.commit_interval_ms = 100;
    bench_.Fill(&spec);
    absl::StatusOr<std::string> volume = host->CreateVolume(spec.application_id, "op");
    EXPECT_THAT(volume, IsOk());
    spec.volume_instance = volume.value_or("");
    return spec;
  }
  GenerationSpec Created() {
    GenerationSpec spec = Spec(host_.get());
    EXPECT_THAT(host_->Create(spec), IsOk());
    return spec;
  }
  GenerationFacts Only(const GenerationSpec& spec) {
    absl::StatusOr<std::vector<GenerationFacts>> all = host_->Inventory({spec.application_id}, Depth::kDeep);
    EXPECT_THAT(all, IsOkAndHolds(SizeIs(1)));
    return all.ok() && !all->empty() ? all->front() : GenerationFacts();
  }
  json Inspect(const GenerationFacts& facts) {
    absl::StatusOr<json> answer = TestEngine::Get().Ask("GET", absl::StrCat("/containers/", facts.location(), "/json"));
    EXPECT_THAT(answer, IsOk());
    return answer.value_or(json());
  }
  // By its first process: it has no way to say so itself.
  static std::string ProcStatus(const json& inspection) {
    const std::string command = absl::StrCat("tools/dev/docker exec ", TestEngine::Get().folder(), "/engine cat /proc/",
                                             inspection["State"]["Pid"].get<int>(), "/status");
    FILE* pipe = popen(command.c_str(), "r");
    std::string text(8192, '\0');
    text.resize(fread(text.data(), 1, text.size(), pipe));
    EXPECT_EQ(pclose(pipe), 0);
    return text;
  }

  DockerBench bench_;
  std::unique_ptr<RunnerHost> host_;
};

TEST_F(DockerEngineTest, AContainerIsHardened) {
  const GenerationSpec spec = Created();
  ASSERT_THAT(host_->Start(spec.application_id, spec.generation_id), IsOk());
  ASSERT_THAT(AwaitState(host_.get(), spec.application_id, GenerationFacts::RUNNING), IsOk());
  const json inspection = Inspect(Only(spec));
  const json& host = inspection["HostConfig"];
  EXPECT_EQ(inspection["Name"], absl::StrCat("/st.", spec.generation_id));
  const std::string user = geteuid() == 0 ? "10001:10001" : absl::StrCat(geteuid(), ":", getegid());
  EXPECT_EQ(inspection["Config"]["User"], user);
  EXPECT_EQ(host["ReadonlyRootfs"], true);
  EXPECT_EQ(host["Privileged"], false);
  EXPECT_EQ(host["CapDrop"], json({"ALL"}));
  EXPECT_EQ(host["SecurityOpt"], json({"no-new-privileges"}));  // no seccomp here: the daemon's own profile
  EXPECT_EQ(host["RestartPolicy"]["Name"], "no");
  EXPECT_EQ(host["AutoRemove"], false);
  EXPECT_EQ(host["Memory"], 64 << 20);
  EXPECT_EQ(host["PidsLimit"], 32);
  EXPECT_EQ(host["NetworkMode"], spec.network_id);
  EXPECT_EQ(host["LogConfig"]["Type"], "json-file");
  EXPECT_EQ(host["LogConfig"]["Config"], json({{"max-size", "1m"}, {"max-file", "2"}}));
  EXPECT_THAT(host["Ulimits"].get<std::vector<json>>(), Contains(json({{"Name", "core"}, {"Soft", 0}, {"Hard", 0}})));
  int volumes = 0;
  for (const json& mount : inspection["Mounts"]) {
    const bool volume = mount["Type"] == "volume";
    volumes += volume ? 1 : 0;
    EXPECT_EQ(mount["RW"], volume) << mount;
    EXPECT_EQ(mount["Destination"] == "/var/lib/st", volume) << mount;
  }
  EXPECT_EQ(volumes, 1);
  EXPECT_EQ(inspection["Mounts"].size(), 3);
  const std::string status = ProcStatus(inspection);
  for (const char* line : {"CapEff:\t0000000000000000", "CapPrm:\t0000000000000000", "CapBnd:\t0000000000000000",
                           "NoNewPrivs:\t1", "Seccomp:\t2"}) {
    EXPECT_THAT(status, HasSubstr(line));
  }
  EXPECT_THAT(status, HasSubstr(absl::StrCat("Uid:\t", user.substr(0, user.find(':')), "\t")));
}

TEST_F(DockerEngineTest, NoSecretIsShownByTheEngine) {
  GenerationSpec spec = Spec(host_.get());
  ASSERT_THAT(spec.client_properties, HasSubstr("canary"));
  spec.client_files = {{"ssl.key.location", "key.pem", "canary-key"}};
  ASSERT_THAT(host_->Create(spec), IsOk());
  const GenerationFacts facts = Only(spec);
  EXPECT_THAT(Content(bench_.FolderOf(facts) + "/client.properties"), HasSubstr("canary"));
  EXPECT_THAT(Content(bench_.FolderOf(facts) + "/key.pem"), HasSubstr("canary"));
  EXPECT_THAT(Inspect(facts).dump(), Not(HasSubstr("canary")));
  EXPECT_THAT(facts.DebugString(), Not(HasSubstr("canary")));
}

// In a process of another user: what it finds wrong is its exit code's and its standard error's.
void AsUser(uid_t uid, gid_t gid, gid_t group, const std::function<bool()>& act) {
  const pid_t child = fork();
  if (child == 0) {
    const bool changed = setgroups(1, &group) == 0 && setgid(gid) == 0 && setuid(uid) == 0;
    _exit(changed && act() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "as user " << uid;
}

bool Holds(const absl::Status& status) {
  if (!status.ok()) fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok();
}

// All is done by that user, and the fake runner ends with 2 when it cannot read its client properties.
TEST_F(DockerEngineTest, AnOrdinaryUserOfTheDockerGroupKeepsItsSecrets) {
  constexpr uid_t kUser = 10777;
  constexpr uid_t kStranger = 10778;
  ASSERT_EQ(geteuid(), 0U) << "run as root: it acts as two other users";
  struct stat socket {};
  ASSERT_EQ(stat(TestEngine::Get().socket().c_str(), &socket), 0);
  DockerOptions options = bench_.Options();
  const std::string home = std::filesystem::path(options.root).parent_path();
  ASSERT_EQ(chown(home.c_str(), kUser, kUser), 0);
  const std::string application = absl::StrCat("st.shop.dev.late_", bench_.unique());
  const std::string generation = absl::StrCat("g-", bench_.unique());
  AsUser(kUser, kUser, socket.st_gid, [&] {
    options.user = DefaultContainerUser();
    const std::unique_ptr<RunnerHost> host = OpenDockerHost(options);
    const GenerationSpec spec = Spec(host.get());
    return Holds(host->Create(spec)) && Holds(host->Start(application, generation)) &&
           Holds(AwaitState(host.get(), application, GenerationFacts::RUNNING).status());
  });
  absl::StatusOr<std::vector<GenerationFacts>> all = host_->Inventory({application}, Depth::kDeep);
  ASSERT_THAT(all, IsOkAndHolds(SizeIs(1)));
  EXPECT_EQ(all->front().state(), GenerationFacts::RUNNING);
  EXPECT_EQ(Inspect(all->front())["Config"]["User"], "10777:10777");
  const std::string properties = bench_.FolderOf(all->front()) + "/client.properties";
  struct stat file {};
  ASSERT_EQ(stat(properties.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 07777, 0600U);
  EXPECT_EQ(file.st_uid, kUser);
  AsUser(kUser, kUser, socket.st_gid, [&] { return access(properties.c_str(), R_OK) == 0; });
  AsUser(kStranger, kStranger, socket.st_gid, [&] { return access(properties.c_str(), R_OK) != 0; });
  // Whoever may not use the socket is told so.
  AsUser(kStranger, kStranger, kStranger, [&] {
    const absl::Status refused = OpenDockerHost(options)->Identify().status();
    return absl::IsUnavailable(refused) && absl::StrContains(refused.message(), "permission denied");
  });
  EXPECT_THAT(host_->Stop(application, generation), IsOk());
}

TEST_F(DockerEngineTest, AMountWhoseSourceVanishedIsRefusedAtTheStart) {
  const GenerationSpec spec = Created();
  std::filesystem::remove(bench_.FolderOf(Only(spec)) + "/client.properties");
  EXPECT_THAT(host_->Start(spec.application_id, spec.generation_id), StatusIs(Code::kFailedPrecondition));
  EXPECT_EQ(Only(spec).state(), GenerationFacts::CREATED);
  EXPECT_FALSE(std::filesystem::exists(bench_.FolderOf(Only(spec)) + "/client.properties")) << "the engine made one";
}

TEST_F(DockerEngineTest, AVolumeThatWasMadeAnewIsNotOurs) {
  const GenerationSpec spec = Spec(host_.get());
  const std::string name = absl::StrCat("st.", spec.application_id);
  ASSERT_THAT(TestEngine::Get().Ask("DELETE", "/volumes/" + name), IsOk());
  EXPECT_THAT(host_->Create(spec), StatusIs(Code::kFailedPrecondition, HasSubstr("is not there")));
  ASSERT_THAT(TestEngine::Get().Ask("POST", "/volumes/create", json({{"Name", name}}).dump()), IsOk());
  EXPECT_THAT(host_->Create(spec), StatusIs(Code::kFailedPrecondition, HasSubstr("our labels")));
  absl::StatusOr<std::vector<v1::VolumeFacts>> volumes = host_->Volumes({spec.application_id});
  ASSERT_THAT(volumes, IsOkAndHolds(SizeIs(1)));
  EXPECT_EQ(volumes->front().instance_id(), "");
  EXPECT_THAT(host_->CreateVolume(spec.application_id, "op"), StatusIs(Code::kAlreadyExists));
}

TEST_F(DockerEngineTest, AContainerMadeOrChangedByHandIsNotOurs) {
  const GenerationSpec spec = Created();
  const GenerationFacts facts = Only(spec);
  ASSERT_EQ(facts.generation_id(), spec.generation_id);
  const json labels = Inspect(facts)["Config"]["Labels"];
  const json update = {{"PidsLimit", 1000}};
  ASSERT_THAT(TestEngine::Get().Ask("POST", absl::StrCat("/containers/", facts.location(), "/update"), update.dump()),
              IsOk());
  EXPECT_EQ(Only(spec).generation_id(), "");
  EXPECT_THAT(Only(spec).detail(), HasSubstr("changed after it was made"));
  EXPECT_THAT(host_->Start(spec.application_id, spec.generation_id), StatusIs(Code::kFailedPrecondition));
  ASSERT_THAT(TestEngine::Get().Ask("DELETE", absl::StrCat("/containers/", facts.location())), IsOk());
  const json by_hand = {{"Image", spec.runner_sha256}, {"Labels", labels}, {"NetworkMode", spec.network_id}};
  ASSERT_THAT(
      TestEngine::Get().Ask("POST", absl::StrCat("/containers/create?name=by-hand-", bench_.unique()), by_hand.dump()),
      IsOk());
  EXPECT_EQ(Only(spec).generation_id(), "");
  EXPECT_EQ(Only(spec).state(), GenerationFacts::STATE_UNSPECIFIED);
  EXPECT_THAT(host_->Create(spec), StatusIs(Code::kAlreadyExists));
}

TEST_F(DockerEngineTest, ANetworkThatIsGoneIsRefusedAtTheStart) {
  GenerationSpec spec = Spec(host_.get());
  const json request = {{"Name", absl::StrCat("st-gone-", bench_.unique())}, {"Driver", "bridge"}};
  absl::StatusOr<json> network = TestEngine::Get().Ask("POST", "/networks/create", request.dump());
  ASSERT_THAT(network, IsOk());
  spec.network_id = (*network)["Id"];
  ASSERT_THAT(host_->Create(spec), IsOk());
  ASSERT_THAT(TestEngine::Get().Ask("DELETE", absl::StrCat("/networks/", spec.network_id)), IsOk());
  EXPECT_THAT(host_->Start(spec.application_id, spec.generation_id),
              StatusIs(Code::kFailedPrecondition, HasSubstr("not found")));
  EXPECT_THAT(host_->Create(spec), StatusIs(Code::kAlreadyExists));
  spec.generation_id += "-2";
  EXPECT_THAT(host_->Create(spec), StatusIs(Code::kFailedPrecondition, HasSubstr("is gone")));
}

TEST_F(DockerEngineTest, ExitCodesAreKnownAndAKillIsNoProofOfMemory) {
  GenerationSpec spec = Spec(host_.get());
  spec.cluster_id = "fail";
  ASSERT_THAT(host_->Create(spec), IsOk());
  ASSERT_THAT(host_->Start(spec.application_id, spec.generation_id), IsOk());
  absl::StatusOr<GenerationFacts> failed = AwaitState(host_.get(), spec.application_id, GenerationFacts::EXITED);
  ASSERT_THAT(failed, IsOk());
  EXPECT_TRUE(failed->exit_code_known());
  EXPECT_EQ(failed->exit_code(), 3);
  EXPECT_EQ(failed->status().state(), v1::RunnerStatus::FAILED);
  ASSERT_THAT(host_->Remove(spec.application_id, spec.generation_id), IsOk());
  EXPECT_FALSE(std::filesystem::exists(bench_.FolderOf(*failed)));
  spec.cluster_id = "the-cluster";
  ASSERT_THAT(host_->Create(spec), IsOk());
  ASSERT_THAT(host_->Start(spec.application_id, spec.generation_id), IsOk());
  ASSERT_THAT(AwaitState(host_.get(), spec.application_id, GenerationFacts::RUNNING), IsOk());
  ASSERT_THAT(bench_.Kill(Only(spec)), IsOk());
  EXPECT_EQ(Only(spec).exit_code(), 137);
  EXPECT_EQ(Only(spec).detail(), "");
}

TEST_F(DockerEngineTest, APausedOneIsNeitherStoppedNorRemoved) {
  const GenerationSpec spec = Created();
  ASSERT_THAT(host_->Start(spec.application_id, spec.generation_id), IsOk());
  ASSERT_THAT(AwaitState(host_.get(), spec.application_id, GenerationFacts::RUNNING), IsOk());
  const std::string container = absl::StrCat("/containers/", Only(spec).location());
  ASSERT_THAT(TestEngine::Get().Ask("POST", container + "/pause"), IsOk());
  EXPECT_EQ(Only(spec).state(), GenerationFacts::RUNNING);
  EXPECT_EQ(Only(spec).detail(), "its container is paused");
  EXPECT_THAT(host_->Stop(spec.application_id, spec.generation_id),
              StatusIs(Code::kFailedPrecondition, HasSubstr("docker unpause")));
  EXPECT_THAT(host_->Remove(spec.application_id, spec.generation_id), StatusIs(Code::kFailedPrecondition));
  ASSERT_THAT(TestEngine::Get().Ask("POST", container + "/unpause"), IsOk());
  EXPECT_THAT(host_->Stop(spec.application_id, spec.generation_id), IsOk());
  absl::StatusOr<GenerationFacts> closed = AwaitState(host_.get(), spec.application_id, GenerationFacts::EXITED);
  ASSERT_THAT(closed, IsOk());
  EXPECT_EQ(closed->exit_code(), 0);
  EXPECT_EQ(closed->status().state(), v1::RunnerStatus::CLOSED);
}

}  // namespace
}  // namespace st::host
