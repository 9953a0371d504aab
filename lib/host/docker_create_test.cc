// Looking at an engine, and making things on it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "absl/status/status_matchers.h"
#include "absl/strings/str_cat.h"
#include "lib/host/docker_scene.h"
#include "lib/host/process_bench.h"

namespace st::host {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using Code = absl::StatusCode;

class DockerCreateTest : public DockerScene {};

TEST_F(DockerCreateTest, TheSocketIsThatOfDockerHost) {
  const struct {
    const char* variable;
    Code code;
    const char* text;
  } cases[] = {
      {nullptr, Code::kOk, "/var/run/docker.sock"},
      {"", Code::kOk, "/var/run/docker.sock"},
      {"unix:///tmp/x.sock", Code::kOk, "/tmp/x.sock"},
      {"tcp://10.0.0.1:2375", Code::kInvalidArgument, "`tcp`"},
      {"ssh://me@there", Code::kInvalidArgument, "`ssh`"},
      {"unix://relative", Code::kInvalidArgument, "`unix`"},
      {"/tmp/x.sock", Code::kInvalidArgument, "names no scheme"},
  };
  for (const auto& one : cases) {
    if (one.variable == nullptr) {
      ASSERT_EQ(unsetenv("DOCKER_HOST"), 0);
    } else {
      ASSERT_EQ(setenv("DOCKER_HOST", one.variable, 1), 0);
    }
    const absl::StatusOr<std::string> socket = DockerSocket();
    if (one.code == Code::kOk) {
      EXPECT_THAT(socket, IsOkAndHolds(one.text));
    } else {
      EXPECT_THAT(socket, StatusIs(one.code, AllOf(HasSubstr(one.text), HasSubstr("unix://"))));
    }
  }
  ASSERT_EQ(unsetenv("DOCKER_HOST"), 0);
}

TEST_F(DockerCreateTest, IdentifiesDaemonImageAndNetwork) {
  ScriptGoodWorld();
  engine_.Script("GET /networks/net", Json({{"Id", Id('b')}, {"Name", "net"}, {"Driver", "overlay"}}));
  absl::StatusOr<v1::HostFacts> facts = host_->Identify();
  ASSERT_THAT(facts, IsOk());
  EXPECT_EQ(facts->kind(), v1::DOCKER);
  EXPECT_EQ(facts->host_id(), "daemon");
  EXPECT_EQ(facts->runner_sha256(), Image());
  EXPECT_TRUE(facts->image().present());
  EXPECT_EQ(facts->image().runner_version(), "0.1.0");
  EXPECT_EQ(facts->image().record_plan_version(), "1");
  EXPECT_TRUE(facts->network().present());
  EXPECT_EQ(facts->network().id(), Id('b'));
  EXPECT_EQ(facts->network().driver(), "overlay");
  EXPECT_THAT(engine_.Requests(), ElementsAre("GET /info", "GET /images/" + Image() + "/json", "GET /networks/net"));
  EXPECT_EQ(host_->Requests(), 4);  // and the version
}

TEST_F(DockerCreateTest, WhatIsMissingOrFoundByAnotherNameIsAbsent) {
  ScriptGoodWorld();
  const struct {
    FakeAnswer image;
    FakeAnswer network;
  } cases[] = {
      {Refusal(404), Refusal(404)},
      // A tag, and the beginning of another network's id.
      {Json({{"Id", "sha256:" + Id('9')}, {"Config", nullptr}}),
       Json({{"Id", Id('b')}, {"Name", "another"}, {"Driver", "bridge"}})},
  };
  for (const auto& one : cases) {
    engine_.Replace("GET /images/" + Image() + "/json", one.image);
    engine_.Replace("GET /networks/net", one.network);
    absl::StatusOr<v1::HostFacts> facts = host_->Identify();
    ASSERT_THAT(facts, IsOk());
    EXPECT_FALSE(facts->image().present());
    EXPECT_EQ(facts->image().id(), Image());
    EXPECT_EQ(facts->runner_sha256(), "");
    EXPECT_FALSE(facts->network().present());
    EXPECT_EQ(facts->network().name(), "net");
    EXPECT_EQ(facts->network().id(), "");
  }
  // Newer engines leave out what is empty.
  engine_.Replace("GET /images/" + Image() + "/json", Json({{"Id", Image()}}));
  EXPECT_TRUE(host_->Identify()->image().present());
  EXPECT_EQ(host_->Identify()->image().runner_version(), "");
  engine_.Replace("GET /info", Json({{"ID", ""}, {"MemoryLimit", true}, {"PidsLimit", true}}));
  EXPECT_THAT(host_->Identify(), StatusIs(Code::kDataLoss, HasSubstr("info.ID")));
}

TEST_F(DockerCreateTest, AVolumeIsMadeOnce) {
  engine_.Script(volume_, Refusal(404));
  // The engine's answer is the volume; a fake cannot know the instance, so the request is looked at below.
  engine_.Script("POST /volumes/create", Json({{"Name", "st.st.shop.dev.late"}, {"Labels", nullptr}}, 201));
  EXPECT_THAT(host_->CreateVolume(kApplication, "op-1"), StatusIs(Code::kAlreadyExists, HasSubstr("somebody else")));
  const json asked = json::parse(engine_.Body("POST /volumes/create"));
  EXPECT_EQ(asked["Name"], "st.st.shop.dev.late");
  EXPECT_EQ(asked["Labels"]["st.application"], kApplication);
  EXPECT_EQ(asked["Labels"]["st.operation"], "op-1");
  EXPECT_THAT(std::string(asked["Labels"]["st.instance"]), SizeIs(36));
  engine_.Replace("POST /volumes/create", Json(our_volume_, 201));
  EXPECT_THAT(host_->CreateVolume(kApplication, "op-1"), StatusIs(Code::kAlreadyExists));
  engine_.Replace("POST /volumes/create", Refusal(500, "disk full"));
  EXPECT_THAT(host_->CreateVolume(kApplication, "op-1"), StatusIs(Code::kUnknown, HasSubstr("disk full")));
  engine_.Forget();
  engine_.Replace(volume_, Json(our_volume_));
  EXPECT_THAT(host_->CreateVolume(kApplication, "op-1"), StatusIs(Code::kAlreadyExists));
  EXPECT_THAT(engine_.Requests(), ElementsAre(volume_));
}

TEST_F(DockerCreateTest, AVolumeIsOursByItsLabels) {
  json unlabelled = our_volume_;
  unlabelled["Labels"] = nullptr;
  json another = our_volume_;
  another["Labels"]["st.application"] = "st.shop.dev.another";
  json without_instance = our_volume_;
  without_instance["Labels"].erase("st.instance");
  for (const json& volume : {unlabelled, another, without_instance}) {
    engine_.Replace("GET /volumes", Json({{"Volumes", {volume}}, {"Warnings", nullptr}}));
    absl::StatusOr<std::vector<v1::VolumeFacts>> volumes = host_->Volumes({kApplication});
    ASSERT_THAT(volumes, IsOkAndHolds(SizeIs(1)));
    EXPECT_EQ(volumes->front().application_id(), kApplication);
    EXPECT_EQ(volumes->front().instance_id(), "");
    EXPECT_THAT(volumes->front().detail(), HasSubstr("does not carry our labels"));
  }
  json elsewhere = our_volume_;
  elsewhere["Name"] = "another-name";
  engine_.Replace("GET /volumes", Json({{"Volumes", {elsewhere}}}));
  EXPECT_THAT(host_->Volumes({kApplication}), IsOkAndHolds(IsEmpty()));
  engine_.Replace("GET /volumes", Json({{"Volumes", {our_volume_}}}));
  EXPECT_EQ(host_->Volumes({kApplication})->front().instance_id(), kInstance);
  EXPECT_EQ(host_->Volumes({kApplication})->front().detail(), "");
  engine_.Replace("GET /volumes", Json({{"Volumes", {{{"Labels", nullptr}}}}}));
  EXPECT_THAT(host_->Volumes({kApplication}), StatusIs(Code::kDataLoss, HasSubstr("volumes.Volumes[0].Name")));
}

TEST_F(DockerCreateTest, OneRequestMakesAHardenedContainer) {
  ScriptGoodWorld();
  ASSERT_THAT(host_->Create(Spec()), IsOk());
  EXPECT_THAT(engine_.Requests(), ElementsAre(ListOf("\"st.generation=g-1\""), "GET /containers/st.g-1/json", volume_,
                                              "GET /images/" + Image() + "/json", "GET /networks/" + Id('b'),
                                              "GET /info", list_, create_, volume_));
  const json asked = json::parse(engine_.Body(create_));
  EXPECT_EQ(asked["Image"], Image());
  EXPECT_EQ(asked["User"], absl::StrCat(geteuid(), ":", getegid()));
  EXPECT_EQ(asked["Entrypoint"], json({"/st-runner"}));
  EXPECT_EQ(asked["Cmd"],
            json({"--plan=/run/st/plan.textproto", "--client-properties=/run/st/client.properties",
                  "--application-id=st.shop.dev.late", "--state-dir=/var/lib/st", "--expected-cluster-id=cluster",
                  "--expected-input-topic-id=in", "--expected-output-topic-id=out", "--initialized-partitions=3",
                  "--commit-interval-ms=100"}));
  EXPECT_EQ(asked["Env"], json({"ST_GENERATION_ID=g-1"}));
  EXPECT_EQ(asked["StopSignal"], "SIGTERM");
  const json& host = asked["HostConfig"];
  EXPECT_EQ(host["ReadonlyRootfs"], true);
  EXPECT_EQ(host["Privileged"], false);
  EXPECT_EQ(host["CapDrop"], json({"ALL"}));
  EXPECT_EQ(host["CapAdd"], json::array());
  EXPECT_EQ(host["SecurityOpt"], json({"no-new-privileges"}));
  EXPECT_EQ(host["RestartPolicy"]["Name"], "no");
  EXPECT_EQ(host["AutoRemove"], false);
  EXPECT_EQ(host["Memory"], 256 << 20);
  EXPECT_EQ(host["MemorySwap"], 256 << 20);
  EXPECT_EQ(host["PidsLimit"], 64);
  EXPECT_EQ(host["NetworkMode"], Id('b'));
  EXPECT_EQ(host["Init"], true);
  EXPECT_EQ(host["Binds"], json::array());
  EXPECT_EQ(host["LogConfig"], json({{"Type", "json-file"}, {"Config", {{"max-size", "1m"}, {"max-file", "2"}}}}));
  EXPECT_EQ(host["Ulimits"][0], json({{"Name", "core"}, {"Soft", 0}, {"Hard", 0}}));
  EXPECT_FALSE(host.contains("NanoCpus"));
  ASSERT_EQ(host["Mounts"].size(), 4);
  EXPECT_EQ(
      host["Mounts"][0],
      json({{"Type", "volume"}, {"Source", "st.st.shop.dev.late"}, {"Target", "/var/lib/st"}, {"ReadOnly", false}}));
  int next = 1;
  for (const char* name : {"plan.textproto", "client.properties", "ca.pem"}) {
    EXPECT_EQ(host["Mounts"][next++], json({{"Type", "bind"},
                                            {"Source", absl::StrCat(Folder(), "/", name)},
                                            {"Target", absl::StrCat("/run/st/", name)},
                                            {"ReadOnly", true},
                                            {"BindOptions", {{"Propagation", "rprivate"}}}}));
  }
  EXPECT_EQ(asked["Labels"].size(), 12);
  EXPECT_EQ(asked["Labels"]["st.action"], "4");
  EXPECT_EQ(asked["Labels"]["st.volume_instance"], kInstance);
  EXPECT_THAT(std::string(asked["Labels"]["st.evidence"]), SizeIs(64));
  EXPECT_THAT(engine_.Body(create_), Not(HasSubstr("canary")));
}

TEST_F(DockerCreateTest, RootRunsContainersAsTheImagesUser) {
  const ContainerUser user = DockerOptions().user;
  EXPECT_EQ(user.uid, geteuid() == 0 ? 10001 : geteuid());
  EXPECT_EQ(user.gid, geteuid() == 0 ? 10001 : getegid());
}

TEST_F(DockerCreateTest, WhatItMountsIsForTheContainersUserAlone) {
  ScriptGoodWorld();
  ASSERT_THAT(host_->Create(Spec()), IsOk());
  for (const char* name : {"", "/plan.textproto", "/client.properties", "/ca.pem"}) {
    struct stat status {};
    ASSERT_EQ(stat(absl::StrCat(Folder(), name).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, *name == '\0' ? 0700 : 0600) << name;
  }
  EXPECT_EQ(Content(Folder() + "/client.properties"),
            "bootstrap.servers=broker:9092\nsasl.password=canary-secret\nssl.ca.location=/run/st/ca.pem\n");
  EXPECT_EQ(Content(Folder() + "/ca.pem"), "canary-pem");
}

TEST_F(DockerCreateTest, NothingIsMadeUnlessAllIsAsReviewed) {
  json foreign_volume = our_volume_;
  foreign_volume["Labels"] = json::object();
  json another_volume = our_volume_;
  another_volume["Labels"]["st.instance"] = "instance-2";
  json driver = {{"Id", Id('b')}, {"Name", "net"}, {"Driver", "macvlan"}};
  json mapped = {{"ID", "d"}, {"MemoryLimit", true}, {"PidsLimit", true}, {"SecurityOptions", {"name=userns"}}};
  json rootless = mapped;
  rootless["SecurityOptions"] = {"name=seccomp,profile=builtin", "name=rootless"};
  const std::string image = "GET /images/" + Image() + "/json";
  const struct {
    std::string request;
    FakeAnswer answer;
    Code code;
    const char* words;
  } cases[] = {
      {ListOf("\"st.generation=g-1\""), {200, "?"}, Code::kDataLoss, "containers"},
      {ListOf("\"st.generation=g-1\""), {200, "{}"}, Code::kDataLoss, "no array"},
      {"GET /containers/st.g-1/json", {200, "{}"}, Code::kAlreadyExists, "already a container st.g-1"},
      {volume_, Refusal(404), Code::kFailedPrecondition, "is not there"},
      {volume_, Json(foreign_volume), Code::kFailedPrecondition, "does not carry our labels"},
      {volume_, Json(another_volume), Code::kFailedPrecondition, "is another than"},
      {volume_, Refusal(500), Code::kUnavailable, ""},
      {list_, Refusal(500), Code::kUnavailable, ""},
      {image, Refusal(404), Code::kFailedPrecondition, "docker load -i"},
      {image, Json({{"Id", "sha256:" + Id('9')}}), Code::kFailedPrecondition, "the engine has no image"},
      {image, Json({{"Id", Image()}}), Code::kFailedPrecondition, "it starts nothing"},
      {"GET /networks/" + Id('b'), Refusal(404), Code::kFailedPrecondition, "is gone"},
      {"GET /networks/" + Id('b'), Json(driver), Code::kFailedPrecondition, "net is a macvlan network"},
      {"GET /info", Json(mapped), Code::kFailedPrecondition, "maps user ids"},
      {"GET /info", Json(rootless), Code::kFailedPrecondition, "maps user ids"},
      {"GET /info", Json({{"ID", "d"}, {"MemoryLimit", false}, {"PidsLimit", true}}), Code::kFailedPrecondition,
       "cannot limit a container's memory"},
      {"GET /info", Json({{"ID", "d"}, {"MemoryLimit", true}, {"PidsLimit", false}}), Code::kFailedPrecondition,
       "cannot limit a container's threads"},
      {"GET /info", Json({{"ID", "d"}, {"MemoryLimit", true}}), Code::kDataLoss, "`info.PidsLimit` is missing"},
  };
  for (const auto& one : cases) {
    ScriptGoodWorld();
    engine_.Replace(one.request, one.answer);
    EXPECT_THAT(host_->Create(Spec()), StatusIs(one.code, HasSubstr(one.words))) << one.request;
    EXPECT_THAT(engine_.Writes(), IsEmpty()) << one.request;
    EXPECT_FALSE(FolderIsThere());
  }
  ScriptGoodWorld();
  GenerationSpec spec = Spec();
  spec.memory_mib = 0;
  EXPECT_THAT(host_->Create(spec), StatusIs(Code::kInvalidArgument));
  spec = Spec();
  spec.pids_limit = 0;
  EXPECT_THAT(host_->Create(spec), StatusIs(Code::kInvalidArgument));
  EXPECT_THAT(engine_.Writes(), IsEmpty());
}

TEST_F(DockerCreateTest, WhatBecameOfACreate) {
  const struct {
    FakeAnswer answer;
    FakeAnswer look;  // at the name, afterwards
    Code code;
    bool folder_stays;
  } cases[] = {
      // As for a mount whose source is missing.
      {Refusal(400, "bind source path does not exist"), Refusal(404), Code::kFailedPrecondition, false},
      {Refusal(404, "no such image"), Refusal(404), Code::kFailedPrecondition, false},
      // The one that has the name may be ours, from a create whose answer was lost: it mounts what is there.
      {Refusal(409, "name in use"), Refusal(404), Code::kAlreadyExists, true},
      {Refusal(500, "malformed"), Refusal(404), Code::kFailedPrecondition, false},
      {Refusal(500, "late trouble"), {200, "{}"}, Code::kUnknown, true},
      {Refusal(500, "late trouble"), Refusal(500), Code::kUnknown, true},
      {{200, "", FakeAnswer::Manner::kNothing}, Refusal(404), Code::kUnknown, true},
      {{201, R"({"Id": "x"})"}, Refusal(404), Code::kUnknown, true},
      {{201, R"({"Id": "xxxxxxx"})", FakeAnswer::Manner::kCut}, Refusal(404), Code::kUnknown, true},
  };
  for (const auto& one : cases) {
    ScriptGoodWorld();
    engine_.Script("GET /containers/st.g-1/json", one.look);
    engine_.Replace(create_, one.answer);
    engine_.Forget();
    EXPECT_THAT(host_->Create(Spec()), StatusIs(one.code)) << one.answer.body;
    EXPECT_THAT(engine_.Writes(), ElementsAre(create_));
    EXPECT_EQ(FolderIsThere(), one.folder_stays) << one.answer.body;
  }
  // On an explicit resume the same create goes out again, over what the lost one left here.
  ASSERT_TRUE(FolderIsThere());
  ScriptGoodWorld();
  EXPECT_THAT(host_->Create(Spec()), IsOk());
  // And when the lost one came to be after all, it is met.
  engine_.Replace("GET /containers/st.g-1/json", {200, "{}"});
  EXPECT_THAT(host_->Create(Spec()), StatusIs(Code::kAlreadyExists));
  EXPECT_TRUE(FolderIsThere());
}

TEST_F(DockerCreateTest, AVolumeThatWasMadeAnewMeanwhileTakesTheContainerBack) {
  const std::string remove = "DELETE /containers/" + Container() + "?force=false&v=false";
  json anew = our_volume_;
  anew["Labels"] = nullptr;
  for (const bool removed : {true, false}) {
    ScriptGoodWorld();
    engine_.Script(volume_, Json(anew));
    engine_.Replace(remove, removed ? FakeAnswer{204, ""} : Refusal(500));
    engine_.Forget();
    EXPECT_THAT(host_->Create(Spec()),
                StatusIs(removed ? Code::kFailedPrecondition : Code::kUnknown, HasSubstr("does not carry our labels")));
    EXPECT_THAT(engine_.Writes(), ElementsAre(create_, remove));
    EXPECT_EQ(FolderIsThere(), !removed);
  }
  // Not to have seen it is no reason to take anything back.
  ScriptGoodWorld();
  engine_.Script(volume_, Refusal(500));
  engine_.Forget();
  EXPECT_THAT(host_->Create(Spec()), StatusIs(Code::kUnknown, HasSubstr("could not be looked at again")));
  EXPECT_THAT(engine_.Writes(), ElementsAre(create_));
  EXPECT_TRUE(FolderIsThere());
}

}  // namespace
}  // namespace st::host
