// The process host under test, with a fake runner, in a folder of its own.
#ifndef ST_LIB_HOST_PROCESS_BENCH_H_
#define ST_LIB_HOST_PROCESS_BENCH_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/host/conformance.h"
#include "lib/host/host.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::host {

class ProcessBench final : public HostBench {
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
  absl::StatusOr<std::map<std::string, std::string>> ClientFiles(const v1::GenerationFacts& generation) override;

  const std::string& root() const { return root_; }
  static std::string FakeRunner();

 private:
  std::string root_;
};

// A file's content; "" and a test failure when it cannot be read.
std::string Content(const std::string& path);
void Overwrite(const std::string& path, std::string_view bytes);

// A bench's plan, and another.
v1::RecordPlan PlanInto(const std::string& output);
// Changes one byte of a plan document.
absl::Status EditPlanAt(const std::string& path);
// What stands behind the lines of a client.properties that name a path below `seen_at`, by property: read from
// `folder`, which the runner sees as `seen_at`. An error when anyone but the owner may look.
absl::StatusOr<std::map<std::string, std::string>> FilesOfProperties(const std::string& folder,
                                                                     const std::string& seen_at);

}  // namespace st::host

#endif  // ST_LIB_HOST_PROCESS_BENCH_H_
