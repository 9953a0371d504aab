// The process host under test, with a fake runner, in a folder of its own.
#ifndef ST_LIB_HOST_PROCESS_BENCH_H_
#define ST_LIB_HOST_PROCESS_BENCH_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "lib/host/conformance.h"
#include "lib/host/host.h"
#include "schemas/st/v1/observation.pb.h"

namespace st::host {

class ProcessBench : public HostBench {
 public:
  ProcessBench();
  ~ProcessBench() override;

  std::unique_ptr<RunnerHost> Open() override;
  void Fill(GenerationSpec* spec) override;
  absl::Status Kill(const v1::GenerationFacts& generation) override;
  absl::Status ReplacePlan(const v1::GenerationFacts& generation) override;
  absl::Status EditPlan(const v1::GenerationFacts& generation) override;
  absl::Status EditBinary(const v1::GenerationFacts& generation) override;
  absl::Status Rename(const v1::GenerationFacts& generation) override;

  const std::string& root() const { return root_; }
  static std::string FakeRunner();

 private:
  std::string root_;
};

// A file's content; "" and a test failure when it cannot be read.
std::string Content(const std::string& path);
void Overwrite(const std::string& path, std::string_view bytes);

}  // namespace st::host

#endif  // ST_LIB_HOST_PROCESS_BENCH_H_
