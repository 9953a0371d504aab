#include "lib/host/docker_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "lib/base/digest.h"
#include "lib/base/id.h"
#include "lib/docio/docio.h"
#include "lib/fs/file.h"
#include "lib/host/engine_socket.h"
#include "lib/host/process_bench.h"
#include "lib/host/tar_sample.h"

namespace st::host {
namespace {

using nlohmann::json;

constexpr int64_t kTimeoutMs = 120'000;
constexpr char kApi[] = "/v1.41";

// Standard output of a shell command that must succeed.
absl::StatusOr<std::string> Run(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return absl::InternalError("popen");
  std::string output;
  char buffer[4096];
  for (size_t got; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.append(buffer, got);
  if (pclose(pipe) != 0) return absl::InternalError(absl::StrCat(command, " failed: ", output));
  return output;
}

// The program and the libraries that the loader names for it, at their places.
absl::StatusOr<std::string> Layer(const std::string& program) {
  absl::StatusOr<std::string> libraries = Run(absl::StrCat("ldd ", program));
  if (!libraries.ok()) return libraries.status();
  std::string tar = TarMember("fake_runner", Content(program), 0755);
  absl::StrAppend(&tar, TarMember("var/", "", 0755, '5'), TarMember("var/lib/", "", 0755, '5'),
                  TarMember("var/lib/st/", "", 01777, '5'));
  for (std::string_view line : absl::StrSplit(*libraries, '\n')) {
    const size_t slash = line.find('/');
    const size_t end = line.find(" (");
    if (slash == std::string_view::npos || end == std::string_view::npos) continue;
    const std::string path(line.substr(slash, end - slash));
    absl::StrAppend(&tar, TarMember(path.substr(1), Content(path), 0755));
  }
  return absl::StrCat(tar, TarEnd());
}

std::string Architecture() {
  struct utsname name {};
  (void)uname(&name);
  return std::string_view(name.machine) == "aarch64" ? "arm64" : "amd64";
}

}  // namespace

// Googletest ends it after the last test, also when one failed.
class EngineEnvironment : public testing::Environment {
 public:
  void TearDown() override { TestEngine::Get().End(); }
};

TestEngine& TestEngine::Get() {
  static TestEngine* const engine = [] {
    auto* made = new TestEngine;
    testing::AddGlobalTestEnvironment(new EngineEnvironment);
    const absl::Status started = made->Start();
    if (!started.ok()) {
      ADD_FAILURE() << started;
      made->End();
      exit(1);
    }
    return made;
  }();
  return *engine;
}

absl::Status TestEngine::Start() {
  // The path of a Unix socket is short.
  std::string folder = "/tmp/st-engine-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return absl::InternalError("mkdtemp");
  folder_ = folder;
  // Ordinary users of some tests pass through it.
  if (chmod(folder.c_str(), 0711) != 0) return absl::InternalError("chmod");
  unique_ = base::NewUuid().substr(0, 8);
  absl::StatusOr<std::string> host =
      Run(absl::StrCat("tools/dev/docker start ", folder_, "/engine --while ", getpid()));
  if (!host.ok()) return host.status();
  std::string_view address = absl::StripAsciiWhitespace(*host);
  if (!absl::ConsumePrefix(&address, "unix://")) return absl::InternalError(absl::StrCat("no address: ", *host));
  socket_ = address;
  if (absl::Status loaded = Load(); !loaded.ok()) return loaded;
  return MakeNetwork();
}

void TestEngine::End() {
  if (!image_.empty()) {
    EXPECT_TRUE(Ask("DELETE", absl::StrCat("/images/", image_)).ok());
  }
  if (!network_id_.empty()) {
    EXPECT_TRUE(Ask("DELETE", absl::StrCat("/networks/", network_id_)).ok());
  }
  const absl::StatusOr<std::string> stopped = Run(absl::StrCat("tools/dev/docker stop ", folder_, "/engine"));
  EXPECT_TRUE(stopped.ok()) << stopped.status();
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

absl::Status TestEngine::Load() {
  absl::StatusOr<std::string> layer = Layer(ProcessBench::FakeRunner());
  if (!layer.ok()) return layer.status();
  const json config = {
      {"architecture", Architecture()},
      {"os", "linux"},
      // A variable of an image stands in each container's environment; the label makes the image this program's own.
      {"config",
       {{"Entrypoint", {"/fake_runner"}},
        {"Env", {"PATH=/"}},
        {"Labels", {{"st.runner.version", "0.0.1"}, {"st.record_plan.version", "1"}, {"st.test", unique_}}}}},
      {"rootfs", {{"type", "layers"}, {"diff_ids", {absl::StrCat("sha256:", base::Sha256Hex(*layer))}}}}};
  const json manifest = {{{"Config", "config.json"}, {"Layers", {"layer.tar"}}, {"RepoTags", nullptr}}};
  const std::string archive =
      absl::StrCat(TarMember("manifest.json", manifest.dump()), TarMember("config.json", config.dump()),
                   TarMember("layer.tar", *layer), TarEnd());
  absl::StatusOr<std::string> loaded = Send("POST", "/images/load?quiet=1", archive, "application/x-tar");
  if (!loaded.ok()) return loaded.status();
  // What went wrong comes with 200.
  if (absl::StrContains(*loaded, "errorDetail")) return absl::InternalError(*loaded);
  image_ = absl::StrCat("sha256:", base::Sha256Hex(config.dump()));
  return absl::OkStatus();
}

absl::Status TestEngine::MakeNetwork() {
  network_ = absl::StrCat("st-test-", unique_);
  const json request = {{"Name", network_}, {"Driver", "bridge"}, {"CheckDuplicate", true}};
  absl::StatusOr<json> made = Ask("POST", "/networks/create", request.dump());
  if (!made.ok()) return made.status();
  network_id_ = (*made)["Id"];
  return absl::OkStatus();
}

absl::StatusOr<std::string> TestEngine::Send(const std::string& method, const std::string& target,
                                             const std::string& body, const std::string& content_type) const {
  EngineSocket socket(socket_, kTimeoutMs);
  EngineRequest request;
  request.method = method;
  request.target = kApi + target;
  request.body = body;
  request.content_type = content_type;
  absl::StatusOr<EngineAnswer> answer = socket.Send(request);
  if (!answer.ok()) return answer.status();
  if (answer->status >= 400) return absl::InternalError(absl::StrCat(method, " ", target, ": ", answer->body));
  return std::move(answer->body);
}

absl::StatusOr<json> TestEngine::Ask(const std::string& method, const std::string& target,
                                     const std::string& body) const {
  absl::StatusOr<std::string> text = Send(method, target, body, body.empty() ? "" : "application/json");
  if (!text.ok()) return text.status();
  if (text->empty()) return json();
  json value = json::parse(*text, nullptr, false);
  if (value.is_discarded()) return absl::InternalError(*text);
  return value;
}

DockerBench::DockerBench() {
  std::string name = "/tmp/st-host-XXXXXX";
  EXPECT_NE(mkdtemp(name.data()), nullptr);
  root_ = name;
}

DockerBench::~DockerBench() {
  TestEngine& engine = TestEngine::Get();
  absl::StatusOr<json> containers = engine.Ask("GET", "/containers/json?all=1");
  EXPECT_TRUE(containers.ok()) << containers.status();
  for (const json& container : containers.value_or(json::array())) {
    if (!absl::StrContains(container["Labels"].value("st.application", ""), unique())) continue;
    const std::string id = container["Id"];
    EXPECT_TRUE(engine.Ask("DELETE", absl::StrCat("/containers/", id, "?force=1")).ok());
  }
  absl::StatusOr<json> volumes = engine.Ask("GET", "/volumes");
  EXPECT_TRUE(volumes.ok()) << volumes.status();
  if (volumes.ok()) {
    for (const json& volume : (*volumes)["Volumes"]) {
      const std::string name = volume["Name"];
      if (!absl::StrContains(name, unique())) continue;
      EXPECT_TRUE(engine.Ask("DELETE", absl::StrCat("/volumes/", name)).ok());
    }
  }
  std::error_code error;
  std::filesystem::remove_all(root_, error);
}

DockerOptions DockerBench::Options() const {
  DockerOptions options;
  options.socket = TestEngine::Get().socket();
  options.root = fs::JoinPath(root_, "docker");
  options.image = TestEngine::Get().image();
  options.network = TestEngine::Get().network();
  return options;
}

std::unique_ptr<RunnerHost> DockerBench::Open() { return OpenDockerHost(Options()); }

void DockerBench::Fill(GenerationSpec* spec) {
  const v1::RecordPlan plan = PlanInto("late");
  spec->plan_document = docio::Write(plan);
  spec->plan_sha256 = base::Checksum(plan);
  spec->client_properties = "bootstrap.servers=127.0.0.1:1\nsasl.password=canary-secret\n";
  spec->runner_sha256 = TestEngine::Get().image();
  spec->network_id = TestEngine::Get().network_id();
  spec->memory_mib = 64;
  spec->pids_limit = 32;
}

absl::Status DockerBench::Kill(const v1::GenerationFacts& generation) {
  const std::string container = absl::StrCat("/containers/", generation.location());
  absl::Status killed = TestEngine::Get().Ask("POST", absl::StrCat(container, "/kill?signal=SIGKILL")).status();
  if (!killed.ok()) return killed;
  return TestEngine::Get().Ask("POST", absl::StrCat(container, "/wait")).status();
}

std::string DockerBench::FolderOf(const v1::GenerationFacts& generation) const {
  return absl::StrCat(Options().root, "/", generation.application_id(), "/generations/", generation.generation_id());
}

absl::Status DockerBench::ReplacePlan(const v1::GenerationFacts& generation) {
  Overwrite(FolderOf(generation) + "/plan.textproto", docio::Write(PlanInto("another")));
  return absl::OkStatus();
}

absl::Status DockerBench::EditPlan(const v1::GenerationFacts& generation) {
  return EditPlanAt(FolderOf(generation) + "/plan.textproto");
}

absl::Status DockerBench::EditBinary(const v1::GenerationFacts&) {
  return absl::UnimplementedError("an image cannot be edited");
}

absl::Status DockerBench::Rename(const v1::GenerationFacts& generation) {
  return TestEngine::Get()
      .Ask("POST", absl::StrCat("/containers/", generation.location(), "/rename?name=renamed-", unique()))
      .status();
}

absl::StatusOr<std::map<std::string, std::string>> DockerBench::ClientFiles(const v1::GenerationFacts& generation) {
  return FilesOfProperties(FolderOf(generation), "/run/st");
}

}  // namespace st::host
