// What a container looks like in each state, and what may be done to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include "absl/status/status_matchers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/docio/docio.h"
#include "lib/host/docker_scene.h"
#include "lib/host/process_bench.h"
#include "lib/host/tar_sample.h"

namespace st::host {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using v1::GenerationFacts;
using v1::RunnerStatus;
using Code = absl::StatusCode;

int64_t Ms(const std::string& rfc3339) {
  absl::Time time;
  std::string error;
  EXPECT_TRUE(absl::ParseTime(absl::RFC3339_full, rfc3339, &time, &error)) << error;
  return absl::ToUnixMillis(time);
}

class DockerLifeTest : public DockerScene {
 protected:
  void SetUp() override {
    DockerScene::SetUp();
    Create();
    engine_.Replace(archive_, Refusal(404, "Could not find the file"));
  }
  // Looks at an inspection that was changed.
  GenerationFacts LookAt(const json& inspection) {
    Show(inspection);
    return Look();
  }
};

TEST_F(DockerLifeTest, WhatTheEngineShowsOfEachState) {
  const struct {
    const char* state;
    GenerationFacts::State expected;
    const char* detail;
  } cases[] = {
      {"created", GenerationFacts::CREATED, ""},
      {"running", GenerationFacts::RUNNING, ""},
      {"paused", GenerationFacts::RUNNING, "its container is paused"},
      {"restarting", GenerationFacts::RUNNING, "its container is restarting"},
      {"exited", GenerationFacts::EXITED, ""},
      {"dead", GenerationFacts::EXITED, "its container is dead"},
      {"removing", GenerationFacts::EXITED, "its container is removing"},
      {"invented", GenerationFacts::STATE_UNSPECIFIED, "its container is invented"},
  };
  for (const auto& one : cases) {
    const GenerationFacts facts = LookAt(Inspection(one.state));
    EXPECT_EQ(facts.state(), one.expected) << one.state;
    EXPECT_EQ(facts.detail(), one.detail);
    EXPECT_EQ(facts.generation_id(), kGeneration);
    EXPECT_EQ(facts.action_index(), 4);
    EXPECT_EQ(facts.initialized_partitions(), 3);
    EXPECT_EQ(facts.plan_sha256(), Spec().plan_sha256);
    EXPECT_EQ(facts.binary_sha256(), Image());
    EXPECT_EQ(facts.network_id(), Id('b'));
    EXPECT_EQ(facts.volume_instance(), kInstance);
    EXPECT_EQ(facts.location(), Container());
    EXPECT_EQ(facts.exit_code_known(), one.expected == GenerationFacts::EXITED);
    EXPECT_FALSE(facts.has_status());
  }
}

TEST_F(DockerLifeTest, HowItEnded) {
  json inspection = Inspection("exited");
  inspection["State"]["ExitCode"] = 137;
  EXPECT_EQ(LookAt(inspection).exit_code(), 137);
  EXPECT_EQ(LookAt(inspection).detail(), "") << "137 does not prove that memory ran out";
  // A killed child under a living parent.
  inspection["State"]["ExitCode"] = 0;
  inspection["State"]["OOMKilled"] = true;
  EXPECT_EQ(LookAt(inspection).exit_code(), 0);
  EXPECT_THAT(LookAt(inspection).detail(), HasSubstr("OOMKilled"));
  inspection["State"]["Error"] = "containerd\x1b";
  EXPECT_THAT(LookAt(inspection).detail(), HasSubstr("the engine says: containerd\\u{1B}"));
}

TEST_F(DockerLifeTest, AStartThatFailedLeavesItCreated) {
  json inspection = Inspection("created");
  inspection["State"]["ExitCode"] = 127;
  inspection["State"]["Error"] = "exec: no such file";
  const GenerationFacts facts = LookAt(inspection);
  EXPECT_EQ(facts.state(), GenerationFacts::CREATED);
  EXPECT_EQ(facts.detail(), "a start failed (exit code 127): exec: no such file");
  EXPECT_FALSE(facts.exit_code_known());
}

TEST_F(DockerLifeTest, AStatusIsShownWhenItIsOfThisGenerationAndRun) {
  json again = Inspection("running");
  again["State"]["FinishedAt"] = "2026-11-29T09:00:00.5Z";
  const int64_t ended_before = Ms("2026-11-29T09:00:00.5Z");
  const struct {
    json inspection;
    int64_t updated_at_ms;
    bool shown;
    const char* detail;
  } cases[] = {
      {Inspection("running"), 1, true, ""},
      {again, ended_before, false, ""},
      {again, ended_before + 1, true, ""},
      {Inspection("exited"), Ms("2026-11-29T10:00:00.5Z"), true, ""},
      {Inspection("exited"), Ms("2026-11-29T10:00:00.5Z") - 1, true, "its status is older than its last start"},
  };
  for (const auto& one : cases) {
    ShowStatus(Status(RunnerStatus::RUNNING, one.updated_at_ms));
    const GenerationFacts facts = LookAt(one.inspection);
    EXPECT_EQ(facts.has_status(), one.shown) << one.updated_at_ms;
    EXPECT_EQ(facts.detail(), one.detail);
  }
  RunnerStatus other = Status(RunnerStatus::CLOSED, Ms("2026-11-29T10:30:00Z"));
  other.set_generation_id("g-0");
  ShowStatus(other);
  EXPECT_FALSE(LookAt(Inspection("exited")).has_status());
  // One that was never started has none: the volume is not even looked at.
  engine_.Forget();
  EXPECT_FALSE(LookAt(Inspection("created")).has_status());
  EXPECT_THAT(engine_.Requests(), ElementsAre(list_, inspect_));
}

TEST_F(DockerLifeTest, AStatusThatIsReplacedWhileItIsReadIsReadAgain) {
  const std::string whole = TarMember("status.textproto", docio::Write(Status(RunnerStatus::RUNNING, 1))) + TarEnd();
  engine_.Replace(archive_, {200, whole, FakeAnswer::Manner::kCut});
  engine_.Script(archive_, {200, whole.substr(0, 600)});
  engine_.Script(archive_, {200, whole});
  EXPECT_TRUE(LookAt(Inspection("running")).has_status());
  EXPECT_THAT(engine_.Requests(), ElementsAre(list_, inspect_, archive_, archive_, archive_));
  engine_.Replace(archive_, {200, whole.substr(0, 600)});
  EXPECT_THAT(Look().detail(), HasSubstr("its status cannot be read"));
  engine_.Replace(archive_, {200, TarMember("status.textproto", "state: RUNNING") + TarEnd()});
  EXPECT_THAT(Look().detail(), HasSubstr("its status cannot be read"));
  engine_.Replace(archive_, Refusal(500));
  EXPECT_THAT(host_->Inventory({kApplication}, Depth::kDeep), StatusIs(Code::kUnavailable));
}

TEST_F(DockerLifeTest, WhatWeDidNotMakeIsListedWithoutAnId) {
  const struct {
    const char* what;
    std::function<void(json*)> change;
  } cases[] = {
      {"no evidence", [](json* c) { (*c)["Config"]["Labels"].erase("st.evidence"); }},
      {"other evidence", [](json* c) { (*c)["Config"]["Labels"]["st.evidence"] = Id('0'); }},
      {"no label", [](json* c) { (*c)["Config"]["Labels"].erase("st.cluster"); }},
      {"bad number", [](json* c) { (*c)["Config"]["Labels"]["st.action"] = "first"; }},
      {"other label", [](json* c) { (*c)["Config"]["Labels"]["st.operation"] = "op-2"; }},
      {"image", [](json* c) { (*c)["Config"]["Image"] = "st-runner:latest"; }},
      {"entry point", [](json* c) { (*c)["Config"]["Entrypoint"] = {"/bin/sh"}; }},
      {"arguments", [](json* c) { (*c)["Config"]["Cmd"].push_back("--x"); }},
      {"variable", [](json* c) { (*c)["Config"]["Env"].push_back("ST_GENERATION_ID=g-2"); }},
      {"user", [](json* c) { (*c)["Config"]["User"] = "1:1"; }},
      {"signal", [](json* c) { (*c)["Config"]["StopSignal"] = "SIGKILL"; }},
      {"privileged", [](json* c) { (*c)["HostConfig"]["Privileged"] = true; }},
      {"capability", [](json* c) { (*c)["HostConfig"]["CapAdd"] = {"NET_ADMIN"}; }},
      {"kept capabilities", [](json* c) { (*c)["HostConfig"]["CapDrop"] = nullptr; }},
      {"security", [](json* c) { (*c)["HostConfig"]["SecurityOpt"].push_back("seccomp=unconfined"); }},
      {"writable root", [](json* c) { (*c)["HostConfig"]["ReadonlyRootfs"] = false; }},
      {"restart", [](json* c) { (*c)["HostConfig"]["RestartPolicy"]["Name"] = "always"; }},
      {"docker update", [](json* c) { (*c)["HostConfig"]["Memory"] = 1 << 30; }},
      {"no pids limit", [](json* c) { (*c)["HostConfig"]["PidsLimit"] = nullptr; }},
      {"network", [](json* c) { (*c)["HostConfig"]["NetworkMode"] = "host"; }},
      {"no init", [](json* c) { (*c)["HostConfig"]["Init"] = false; }},
      {"core files", [](json* c) { (*c)["HostConfig"]["Ulimits"][0]["Soft"] = -1; }},
      {"log", [](json* c) { (*c)["HostConfig"]["LogConfig"]["Config"].erase("max-size"); }},
      {"bind", [](json* c) { (*c)["HostConfig"]["Binds"] = {"/:/host"}; }},
      {"mount", [](json* c) { (*c)["HostConfig"]["Mounts"].erase(1); }},
      {"source", [](json* c) { (*c)["HostConfig"]["Mounts"][1]["Source"] = "/tmp/plan.textproto"; }},
      {"writable mount", [](json* c) { (*c)["HostConfig"]["Mounts"][1]["ReadOnly"] = false; }},
      {"unreadable", [](json* c) { (*c)["HostConfig"].erase("Memory"); }},
      {"unreadable times", [](json* c) { (*c)["State"]["StartedAt"] = "yesterday"; }},
  };
  const std::string remove = "DELETE /containers/" + Container() + "?force=false&v=false";
  for (const auto& one : cases) {
    for (const char* state : {"created", "running", "exited"}) {
      json inspection = Inspection(state);
      one.change(&inspection);
      const GenerationFacts facts = LookAt(inspection);
      EXPECT_EQ(facts.generation_id(), "") << one.what;
      EXPECT_EQ(facts.state(), GenerationFacts::STATE_UNSPECIFIED) << one.what;
      EXPECT_EQ(facts.application_id(), kApplication);
      EXPECT_EQ(facts.location(), Container());
      EXPECT_THAT(facts.detail(), HasSubstr("is no generation of ours")) << one.what;
    }
    EXPECT_FALSE(host_->Start(kApplication, kGeneration).ok()) << one.what;
    EXPECT_FALSE(host_->Stop(kApplication, kGeneration).ok()) << one.what;
    EXPECT_FALSE(host_->Remove(kApplication, kGeneration).ok()) << one.what;
  }
  EXPECT_THAT(engine_.Writes(), IsEmpty());
}

TEST_F(DockerLifeTest, OneThatWentAwayMeanwhileIsNotThere) {
  engine_.Replace(inspect_, Refusal(404));
  EXPECT_THAT(host_->Inventory({kApplication}, Depth::kDeep), IsOkAndHolds(IsEmpty()));
  engine_.Replace(list_, Json({{{"Id", Container()}, {"Labels", nullptr}}}));
  EXPECT_THAT(host_->Inventory({kApplication}, Depth::kDeep), StatusIs(Code::kDataLoss, HasSubstr("containers[0].")));
}

TEST_F(DockerLifeTest, APlanThatWasEditedShows) {
  Overwrite(Folder() + "/plan.textproto", docio::Write(PlanInto("another")));
  EXPECT_NE(Look().plan_sha256(), "");
  EXPECT_NE(Look().plan_sha256(), Spec().plan_sha256);
  std::filesystem::remove(Folder() + "/plan.textproto");
  EXPECT_EQ(Look().plan_sha256(), "");
  EXPECT_THAT(Look().detail(), HasSubstr("its plan cannot be used"));
  EXPECT_THAT(host_->Start(kApplication, kGeneration), StatusIs(Code::kFailedPrecondition));
  EXPECT_THAT(engine_.Writes(), IsEmpty());
}

TEST_F(DockerLifeTest, AHundredApplicationsCostOneListOfEach) {
  json containers = json::array();
  json volumes = json::array();
  std::vector<std::string> ids;
  for (int i = 0; i < 100; ++i) {
    const std::string id = absl::StrCat("st.shop.dev.m", 100 + i);
    ids.push_back(id);
    json one = Listed(Inspection("running"));
    one["Labels"]["st.application"] = id;
    containers.push_back(one);
    volumes.push_back({{"Name", "st." + id}, {"Labels", {{"st.application", id}, {"st.instance", "x"}}}});
  }
  json elsewhere = containers[0];
  elsewhere["Labels"]["st.application"] = "st.shop.dev.elsewhere";
  containers.push_back(elsewhere);
  engine_.Replace(ListOf("\"st.application\""), Json(containers));
  engine_.Replace("GET /volumes", Json({{"Volumes", volumes}}));
  const uint64_t before = host_->Requests();
  absl::StatusOr<std::vector<GenerationFacts>> all = host_->Inventory(ids, Depth::kShallow);
  ASSERT_THAT(all, IsOkAndHolds(SizeIs(100)));
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ((*all)[i].application_id(), ids[i]);
    EXPECT_EQ((*all)[i].state(), GenerationFacts::RUNNING);
    EXPECT_EQ((*all)[i].plan_sha256(), Spec().plan_sha256);
    EXPECT_EQ((*all)[i].detail(), "");
  }
  EXPECT_THAT(host_->Volumes(ids), IsOkAndHolds(SizeIs(100)));
  EXPECT_EQ(host_->Requests() - before, 2);
  EXPECT_THAT(engine_.Requests(), ElementsAre(ListOf("\"st.application\""), "GET /volumes"));
}

TEST_F(DockerLifeTest, AtAGlanceARunningOneIsTakenByWhatTheListShows) {
  engine_.Forget();
  auto glance = [&](const json& listed) {
    engine_.Replace(list_, Json(json::array({listed})));
    absl::StatusOr<std::vector<GenerationFacts>> all = host_->Inventory({kApplication}, Depth::kShallow);
    EXPECT_THAT(all, IsOkAndHolds(SizeIs(1)));
    return all->front();
  };
  const json good = Listed(Inspection("running"));
  EXPECT_EQ(glance(good).generation_id(), kGeneration);
  EXPECT_EQ(glance(good).network_id(), Id('b'));
  json bad = good;
  bad["Labels"].erase("st.evidence");
  EXPECT_EQ(glance(bad).generation_id(), "");
  bad = good;
  bad["ImageID"] = "sha256:" + Id('9');
  EXPECT_EQ(glance(bad).generation_id(), "");
  bad = good;
  bad["Mounts"] = json::array();
  EXPECT_EQ(glance(bad).generation_id(), "");
  bad = good;
  bad["State"] = "paused";
  EXPECT_EQ(glance(bad).detail(), "its container is paused");
  for (const std::string& request : engine_.Requests()) EXPECT_EQ(request, list_);
  // One that does not run is looked at in full.
  engine_.Forget();
  ShowStatus(Status(RunnerStatus::CLOSED, Ms("2026-11-29T10:30:00Z")));
  Show(Inspection("exited"));
  EXPECT_EQ(glance(Listed(Inspection("exited"))).status().state(), RunnerStatus::CLOSED);
  EXPECT_THAT(engine_.Requests(), ElementsAre(list_, inspect_, archive_));
}

TEST_F(DockerLifeTest, AStartIsOneRequestAfterAllWasLookedAt) {
  engine_.Script(start_, {204, ""});
  EXPECT_THAT(host_->Start(kApplication, kGeneration), IsOk());
  EXPECT_THAT(engine_.Requests(), ElementsAre(find_, inspect_, volume_, start_));
}

TEST_F(DockerLifeTest, WhatBecameOfAStart) {
  const std::string network = "network " + Id('b') + " not found";
  const struct {
    FakeAnswer answer;
    FakeAnswer look;  // at the container, afterwards
    Code code;
    std::string words;
  } cases[] = {
      {{304, ""}, Json(Inspection("running")), Code::kFailedPrecondition, "already running"},
      {Refusal(404, network), Json(Inspection("created")), Code::kFailedPrecondition, network},
      {Refusal(404, "No such container"), Refusal(404, "No such container"), Code::kNotFound, "No such container"},
      // As for a mount whose source vanished.
      {Refusal(400, "bind source path does not exist"), Json(Inspection("created")), Code::kFailedPrecondition, "bind"},
      {Refusal(409, "paused"), Json(Inspection("paused")), Code::kFailedPrecondition, "paused"},
      {Refusal(500, "unknown user"), Json(Inspection("created")), Code::kFailedPrecondition, "unknown user"},
      {Refusal(500, "late trouble"), Json(Inspection("running")), Code::kUnknown, "late trouble"},
      {Refusal(500, "late trouble"), Refusal(500), Code::kUnknown, "late trouble"},
      {{204, "", FakeAnswer::Manner::kNothing}, Json(Inspection("running")), Code::kUnknown, "not known whether"},
  };
  for (const auto& one : cases) {
    engine_.Forget();
    engine_.Replace(inspect_, Json(Inspection("created")));
    engine_.Script(inspect_, one.look);
    engine_.Replace(start_, one.answer);
    EXPECT_THAT(host_->Start(kApplication, kGeneration), StatusIs(one.code, HasSubstr(one.words)));
    EXPECT_THAT(engine_.Writes(), ElementsAre(start_));
  }
}

TEST_F(DockerLifeTest, NothingIsStartedThatIsNotAsItWasMade) {
  const struct {
    std::string request;
    FakeAnswer answer;
    Code code;
    const char* words;
  } cases[] = {
      {find_, {200, "[]"}, Code::kNotFound, "no container of generation g-1"},
      {find_, Json(json::array({Listed(Inspection("created")), Listed(Inspection("created"))})),
       Code::kFailedPrecondition, "more than one container"},
      {inspect_, Json(Inspection("running")), Code::kFailedPrecondition, "already running"},
      {inspect_, Json(Inspection("paused")), Code::kFailedPrecondition, "already running"},
      {volume_, Refusal(404), Code::kFailedPrecondition, "is not there"},
      {volume_, Json({{"Name", "st.st.shop.dev.late"}, {"Labels", nullptr}}), Code::kFailedPrecondition, "our labels"},
      {find_, {200, "", FakeAnswer::Manner::kNothing}, Code::kUnavailable, ""},
  };
  for (const auto& one : cases) {
    Show(Inspection("created"));
    engine_.Replace(volume_, Json(our_volume_));
    engine_.Replace(one.request, one.answer);
    EXPECT_THAT(host_->Start(kApplication, kGeneration), StatusIs(one.code, HasSubstr(one.words))) << one.words;
  }
  EXPECT_THAT(host_->Start(kApplication, "../x"), StatusIs(Code::kInvalidArgument));
  EXPECT_THAT(host_->Start("../x", kGeneration), StatusIs(Code::kInvalidArgument));
  EXPECT_THAT(engine_.Writes(), IsEmpty());
}

TEST_F(DockerLifeTest, AStopIsOneSignalAndKillsNothing) {
  const std::string signal = "POST /containers/" + Container() + "/kill?signal=SIGTERM";
  Show(Inspection("running"));
  const struct {
    FakeAnswer answer;
    Code code;
  } cases[] = {
      {{204, ""}, Code::kOk},
      {Refusal(409, "is not running"), Code::kFailedPrecondition},
      {Refusal(404), Code::kNotFound},
      {Refusal(500), Code::kUnknown},
      {{204, "", FakeAnswer::Manner::kNothing}, Code::kUnknown},
  };
  for (const auto& one : cases) {
    engine_.Forget();
    engine_.Replace(signal, one.answer);
    EXPECT_THAT(host_->Stop(kApplication, kGeneration), StatusIs(one.code));
    EXPECT_THAT(engine_.Writes(), ElementsAre(signal));
  }
  // It ended between our look and the signal.
  engine_.Replace(signal, Refusal(409, "is not running"));
  engine_.Replace(inspect_, Json(Inspection("running")));
  engine_.Script(inspect_, Json(Inspection("exited")));
  EXPECT_THAT(host_->Stop(kApplication, kGeneration), IsOk());
  const struct {
    const char* state;
    Code code;
  } unsignalled[] = {{"created", Code::kOk},
                     {"exited", Code::kOk},
                     {"dead", Code::kOk},
                     {"paused", Code::kFailedPrecondition},
                     {"restarting", Code::kFailedPrecondition}};
  engine_.Forget();
  for (const auto& one : unsignalled) {
    Show(Inspection(one.state));
    EXPECT_THAT(host_->Stop(kApplication, kGeneration), StatusIs(one.code)) << one.state;
  }
  EXPECT_THAT(engine_.Writes(), IsEmpty());
}

TEST_F(DockerLifeTest, ARemovalIsNeitherByForceNorOfVolumes) {
  const std::string remove = "DELETE /containers/" + Container() + "?force=false&v=false";
  for (const char* state : {"running", "paused", "restarting"}) {
    Show(Inspection(state));
    EXPECT_THAT(host_->Remove(kApplication, kGeneration), StatusIs(Code::kFailedPrecondition, HasSubstr("stop it")));
  }
  EXPECT_THAT(engine_.Writes(), IsEmpty());
  Show(Inspection("exited"));
  const struct {
    FakeAnswer answer;
    Code code;
  } cases[] = {
      {Refusal(409, "removal is in progress"), Code::kFailedPrecondition},
      {Refusal(404), Code::kNotFound},
      {Refusal(500), Code::kUnknown},
      {{204, "", FakeAnswer::Manner::kNothing}, Code::kUnknown},
  };
  for (const auto& one : cases) {
    engine_.Replace(remove, one.answer);
    EXPECT_THAT(host_->Remove(kApplication, kGeneration), StatusIs(one.code));
    EXPECT_TRUE(FolderIsThere());
  }
  engine_.Forget();
  engine_.Replace(remove, {204, ""});
  EXPECT_THAT(host_->Remove(kApplication, kGeneration), IsOk());
  EXPECT_THAT(engine_.Requests(), ElementsAre(find_, inspect_, remove));
  EXPECT_FALSE(FolderIsThere());
}

TEST_F(DockerLifeTest, ARemovalThatIsUnderWayIsWaitedForByWhoLooks) {
  Show(Inspection("exited"));
  engine_.Script(inspect_, Json(Inspection("removing")));
  engine_.Replace("DELETE /containers/" + Container() + "?force=false&v=false", Refusal(409, "already in progress"));
  EXPECT_THAT(host_->Remove(kApplication, kGeneration), IsOk());
  EXPECT_FALSE(FolderIsThere());
}

TEST_F(DockerLifeTest, WhatARemovalThatWasCutOffLeftIsCleared) {
  engine_.Replace(find_, {200, "[]"});
  ASSERT_TRUE(FolderIsThere());
  EXPECT_THAT(host_->Remove(kApplication, kGeneration), StatusIs(Code::kNotFound));
  EXPECT_FALSE(FolderIsThere());
  EXPECT_THAT(engine_.Writes(), IsEmpty());
}

// Its container is gone, so the next generation is made without another removal.
TEST_F(DockerLifeTest, WhatARemovalThatWasCutOffLeftGoesBeforeTheNextIsMade) {
  ASSERT_TRUE(FolderIsThere());
  GenerationSpec next = Spec();
  next.generation_id = "g-2";
  engine_.Replace(ListOf("\"st.generation=g-2\""), {200, "[]"});
  engine_.Replace("GET /containers/st.g-2/json", Refusal(404));
  engine_.Replace("POST /containers/create?name=st.g-2", Json({{"Id", Id('d')}, {"Warnings", json::array()}}, 201));
  // As long as a container mounts it, running or not, it stays.
  ASSERT_THAT(host_->Create(next), IsOk());
  EXPECT_TRUE(FolderIsThere());
  engine_.Replace(list_, {200, "[]"});
  ASSERT_THAT(host_->Create(next), IsOk());
  EXPECT_FALSE(FolderIsThere());
  EXPECT_TRUE(std::filesystem::exists(root_ + "/" + kApplication + "/generations/g-2/client.properties"));
  EXPECT_TRUE(std::filesystem::is_empty(root_ + "/" + kApplication + "/removed"));
}

}  // namespace
}  // namespace st::host
