// A real Docker engine for tests, with the fake runner as its image, and the Docker host on it.
#ifndef ST_LIB_HOST_DOCKER_BENCH_H_
#define ST_LIB_HOST_DOCKER_BENCH_H_

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/host/conformance.h"
#include "lib/host/docker.h"
#include "lib/host/host.h"

namespace st::host {

// One for a test program: started by its first use, gone with it, with an image and a network of its own.
class TestEngine {
 public:
  static TestEngine& Get();

  const std::string& folder() const { return folder_; }  // with the engine's own, `engine`
  const std::string& socket() const { return socket_; }
  const std::string& image() const { return image_; }
  const std::string& network() const { return network_; }  // its name
  const std::string& network_id() const { return network_id_; }

  // From outside of the code under test. The answer's body as JSON; null when it has none. An error for 4xx and 5xx.
  absl::StatusOr<nlohmann::json> Ask(const std::string& method, const std::string& target,
                                     const std::string& body = "") const;
  // A request of any content, e.g. an archive.
  absl::StatusOr<std::string> Send(const std::string& method, const std::string& target, const std::string& body,
                                   const std::string& content_type) const;

 private:
  friend class EngineEnvironment;
  absl::Status Start();
  void End();
  absl::Status Load();
  absl::Status MakeNetwork();

  std::string folder_;
  std::string unique_;
  std::string socket_;
  std::string image_;
  std::string network_;
  std::string network_id_;
};

class DockerBench : public HostBench {
 public:
  DockerBench();
  ~DockerBench() override;

  std::unique_ptr<RunnerHost> Open() override;
  void Fill(GenerationSpec* spec) override;
  absl::Status Kill(const v1::GenerationFacts& generation) override;
  absl::Status ReplacePlan(const v1::GenerationFacts& generation) override;
  absl::Status EditPlan(const v1::GenerationFacts& generation) override;
  absl::Status EditBinary(const v1::GenerationFacts& generation) override;
  absl::Status Rename(const v1::GenerationFacts& generation) override;
  absl::StatusOr<std::map<std::string, std::string>> ClientFiles(const v1::GenerationFacts& generation) override;

  DockerOptions Options() const;
  // What the containers of this generation mount.
  std::string FolderOf(const v1::GenerationFacts& generation) const;

 private:
  std::string root_;
};

}  // namespace st::host

#endif  // ST_LIB_HOST_DOCKER_BENCH_H_
