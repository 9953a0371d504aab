// The Docker host on a scripted engine: one generation, whatever state a test gives it. What the engine shows of it is
// made from the request that the host really sent.
#ifndef ST_LIB_HOST_DOCKER_SCENE_H_
#define ST_LIB_HOST_DOCKER_SCENE_H_

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/status.h"
#include "lib/host/docker.h"
#include "lib/host/fake_engine.h"
#include "lib/host/host.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/runner_status.pb.h"

namespace st::host {

class DockerScene : public testing::Test {
 protected:
  static constexpr char kApplication[] = "st.shop.dev.late";
  static constexpr char kGeneration[] = "g-1";
  static constexpr char kInstance[] = "instance-1";

  static std::string Id(char digit) { return std::string(64, digit); }
  static std::string Container() { return Id('c'); }
  static std::string Image() { return "sha256:" + Id('a'); }
  static FakeAnswer Json(const nlohmann::json& value, int status = 200) { return {status, value.dump()}; }
  static FakeAnswer Refusal(int status, const std::string& message = "no") {
    return {status, nlohmann::json{{"message", message}}.dump()};
  }
  static std::string ListOf(const std::string& labels) {
    return "GET /containers/json?all=1&filters={\"label\":[" + labels + "]}";
  }

  void SetUp() override;
  void TearDown() override;

  GenerationSpec Spec() const;
  // The engine as it must be for a create.
  void ScriptGoodWorld();
  // Creates it, and keeps what was asked for. Afterwards the engine shows it as created, and what was asked is
  // forgotten.
  void Create();
  // The engine shows the container like this.
  void Show(const nlohmann::json& inspection);
  // An inspection of what was created, in a state of the engine's.
  nlohmann::json Inspection(const std::string& state) const;
  nlohmann::json Listed(const nlohmann::json& inspection) const;
  void ShowStatus(const v1::RunnerStatus& status);
  v1::RunnerStatus Status(v1::RunnerStatus::State state, int64_t updated_at_ms) const;
  // The one generation, looked at in full.
  v1::GenerationFacts Look();
  bool FolderIsThere() const;
  std::string Folder() const { return root_ + "/" + kApplication + "/generations/" + kGeneration; }

  const std::string create_ = "POST /containers/create?name=st.g-1";
  const std::string start_ = "POST /containers/" + Container() + "/start";
  const std::string inspect_ = "GET /containers/" + Container() + "/json";
  const std::string archive_ = "GET /containers/" + Container() + "/archive?path=/var/lib/st/status.textproto";
  const std::string find_ = ListOf("\"st.application=st.shop.dev.late\",\"st.generation=g-1\"");
  const std::string list_ = ListOf("\"st.application=st.shop.dev.late\"");
  const std::string volume_ = "GET /volumes/st.st.shop.dev.late";

  std::string root_;
  FakeEngine engine_;
  std::unique_ptr<RunnerHost> host_;
  nlohmann::json asked_;  // the body of the create request
  nlohmann::json our_volume_ = {
      {"Name", "st.st.shop.dev.late"},
      {"Labels", {{"st.application", kApplication}, {"st.operation", "op-1"}, {"st.instance", kInstance}}}};
};

}  // namespace st::host

#endif  // ST_LIB_HOST_DOCKER_SCENE_H_
