#include "lib/host/docker_scene.h"

#include <gmock/gmock.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "absl/status/status_matchers.h"
#include "lib/base/digest.h"
#include "lib/docio/docio.h"
#include "lib/host/process_bench.h"
#include "lib/host/tar_sample.h"

namespace st::host {

using nlohmann::json;

void DockerScene::SetUp() {
  std::string folder = testing::TempDir() + "/docker-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  root_ = std::filesystem::canonical(folder).string();
  DockerOptions options;
  options.socket = engine_.socket();
  options.root = root_;
  options.image = Image();
  options.network = "net";
  // A sandbox has no other user to give files to.
  options.user = {geteuid(), getegid()};
  host_ = OpenDockerHost(options);
}

void DockerScene::TearDown() { std::filesystem::remove_all(root_); }

GenerationSpec DockerScene::Spec() const {
  const v1::RecordPlan plan = PlanInto("late");
  GenerationSpec spec;
  spec.generation_id = kGeneration;
  spec.application_id = kApplication;
  spec.operation_id = "op-1";
  spec.action_index = 4;
  spec.plan_document = docio::Write(plan);
  spec.plan_sha256 = base::Checksum(plan);
  spec.client_properties = "bootstrap.servers=broker:9092\nsasl.password=canary-secret";
  spec.client_files = {{"ssl.ca.location", "ca.pem", "canary-pem"}};
  spec.cluster_id = "cluster";
  spec.input_topic_id = "in";
  spec.output_topic_id = "out";
  spec.initialized_partitions = 3;
  spec.commit_interval_ms = 100;
  spec.volume_instance = kInstance;
  spec.runner_sha256 = Image();
  spec.network_id = Id('b');
  spec.memory_mib = 256;
  spec.pids_limit = 64;
  return spec;
}

void DockerScene::ScriptGoodWorld() {
  engine_.Replace(ListOf("\"st.generation=g-1\""), {200, "[]"});
  engine_.Replace("GET /containers/st.g-1/json", Refusal(404));
  engine_.Replace(list_, {200, "[]"});
  engine_.Replace(volume_, Json(our_volume_));
  engine_.Replace("GET /images/" + Image() + "/json",
                  Json({{"Id", Image()},
                        {"Config",
                         {{"Entrypoint", {"/st-runner"}},
                          {"Labels", {{"st.runner.version", "0.1.0"}, {"st.record_plan.version", "1"}}}}}}));
  engine_.Replace("GET /networks/" + Id('b'), Json({{"Id", Id('b')}, {"Name", "net"}, {"Driver", "bridge"}}));
  engine_.Replace("GET /info", Json({{"ID", "daemon"},
                                     {"MemoryLimit", true},
                                     {"PidsLimit", true},
                                     {"SecurityOptions", {"name=seccomp,profile=default"}}}));
  engine_.Replace(create_, Json({{"Id", Container()}, {"Warnings", json::array()}}, 201));
}

void DockerScene::Create() {
  ScriptGoodWorld();
  ASSERT_THAT(host_->Create(Spec()), absl_testing::IsOk());
  asked_ = json::parse(engine_.Body(create_));
  Show(Inspection("created"));
  engine_.Forget();
}

// As an engine does it: what was asked for, the image's own, and defaults.
json DockerScene::Inspection(const std::string& state) const {
  json config = asked_;
  config.erase("HostConfig");
  config["Hostname"] = "cccccccccccc";
  config["Env"].push_back("PATH=/");
  config["Labels"]["st.runner.version"] = "0.1.0";
  json host = asked_["HostConfig"];
  host["RestartPolicy"]["MaximumRetryCount"] = 0;
  host["MemorySwap"] = -1;
  host["CapAdd"] = nullptr;
  host["Binds"] = nullptr;
  host["Ulimits"].push_back({{"Name", "memlock"}, {"Soft", -1}, {"Hard", -1}});
  host["Runtime"] = "runc";
  const bool started = state != "created";
  const bool ended = state == "exited" || state == "dead";
  const json status = {{"Status", state},
                       {"Running", state == "running"},
                       {"OOMKilled", false},
                       {"ExitCode", 0},
                       {"Error", ""},
                       {"StartedAt", started ? "2026-11-29T10:00:00.5Z" : "0001-01-01T00:00:00Z"},
                       {"FinishedAt", ended ? "2026-11-29T11:00:00.5Z" : "0001-01-01T00:00:00Z"}};
  return {{"Id", Container()}, {"Image", Image()},   {"State", status},
          {"Config", config},  {"HostConfig", host}, {"NetworkSettings", {{"Networks", json::object()}}}};
}

json DockerScene::Listed(const json& inspection) const {
  json mounts = json::array();
  for (const json& mount : inspection["HostConfig"].value("Mounts", json::array())) {
    mounts.push_back({{"Type", mount["Type"]},
                      {"Source", mount["Source"]},
                      {"Destination", mount["Target"]},
                      {"RW", !mount.value("ReadOnly", false)}});
  }
  return {{"Id", inspection["Id"]},
          {"Names", {"/st.g-1"}},
          {"ImageID", inspection["Image"]},
          {"State", inspection["State"]["Status"]},
          {"Labels", inspection["Config"]["Labels"]},
          {"Mounts", mounts},
          {"HostConfig", {{"NetworkMode", inspection["HostConfig"]["NetworkMode"]}}}};
}

void DockerScene::Show(const json& inspection) {
  engine_.Replace(inspect_, Json(inspection));
  const FakeAnswer list = Json(json::array({Listed(inspection)}));
  engine_.Replace(find_, list);
  engine_.Replace(list_, list);
}

void DockerScene::ShowStatus(const v1::RunnerStatus& status) {
  engine_.Replace(archive_, {200, TarMember("status.textproto", docio::Write(status)) + TarEnd()});
}

v1::RunnerStatus DockerScene::Status(v1::RunnerStatus::State state, int64_t updated_at_ms) const {
  v1::RunnerStatus status;
  status.set_state(state);
  status.set_generation_id(kGeneration);
  status.set_updated_at_ms(updated_at_ms);
  return status;
}

v1::GenerationFacts DockerScene::Look() {
  absl::StatusOr<std::vector<v1::GenerationFacts>> all = host_->Inventory({kApplication}, Depth::kDeep);
  EXPECT_THAT(all, absl_testing::IsOkAndHolds(testing::SizeIs(1)));
  return all.ok() && all->size() == 1 ? all->front() : v1::GenerationFacts();
}

bool DockerScene::FolderIsThere() const { return std::filesystem::exists(Folder()); }

}  // namespace st::host
