// What every RunnerHost must do. A parameterised GoogleTest suite: a host instantiates it with
// INSTANTIATE_TEST_SUITE_P(Name, HostConformance, testing::Values(HostKindUnderTest{...}), HostKindName).
#ifndef ST_LIB_HOST_CONFORMANCE_H_
#define ST_LIB_HOST_CONFORMANCE_H_

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/id.h"
#include "lib/host/host.h"
#include "schemas/st/v1/observation.pb.h"

namespace st::host {

// One host, with a runner that answers SIGTERM with status CLOSED and shows status RUNNING before. The destructor ends
// and removes what tests left.
class HostBench {
 public:
  virtual ~HostBench() = default;
  // Stands in every id that a test of this bench chooses, so that benches at work at once do not meet on one host.
  const std::string& unique() const { return unique_; }
  // Another handle on the same host.
  virtual std::unique_ptr<RunnerHost> Open() = 0;
  // Completes a spec with what this host needs: the plan, the binary's or image's digest, properties.
  virtual void Fill(GenerationSpec* spec) = 0;
  // From outside, with SIGKILL, and waits until it is gone.
  virtual absl::Status Kill(const v1::GenerationFacts& generation) = 0;
  // Puts another, valid plan where the generation has its own.
  virtual absl::Status ReplacePlan(const v1::GenerationFacts& generation) = 0;
  // Changes one byte of the plan as it stands.
  virtual absl::Status EditPlan(const v1::GenerationFacts& generation) = 0;
  // Changes one byte of the binary. Unimplemented where there is none of its own.
  virtual absl::Status EditBinary(const v1::GenerationFacts& generation) = 0;
  // Gives it another name, and leaves its labels.
  virtual absl::Status Rename(const v1::GenerationFacts& generation) = 0;
  // What its client properties name by paths, by property: read as its runner would. Each must be for its eyes only.
  virtual absl::StatusOr<std::map<std::string, std::string>> ClientFiles(const v1::GenerationFacts& generation) = 0;

 private:
  std::string unique_ = base::NewUuid().substr(0, 8);
};

struct HostKindUnderTest {
  std::string name;
  std::function<std::unique_ptr<HostBench>()> make;
};

std::string HostKindName(const testing::TestParamInfo<HostKindUnderTest>& info);

// Looks until the one generation of the application is in that state (and, when running, its status says so).
absl::StatusOr<v1::GenerationFacts> AwaitState(RunnerHost* host, const std::string& application_id,
                                               v1::GenerationFacts::State state);

class HostConformance : public testing::TestWithParam<HostKindUnderTest> {
 protected:
  void SetUp() override;

  // Of the one operation and the one application of most tests, with its volume made.
  GenerationSpec Spec(uint32_t action_index = 0);
  // Created by that spec.
  GenerationSpec Created();
  std::string GenerationId(uint32_t action_index) const;
  // The one generation that there is.
  v1::GenerationFacts Only();

  std::unique_ptr<HostBench> bench_;
  std::unique_ptr<RunnerHost> host_;
  std::string application_;
  std::string operation_;
  std::string volume_;
};

}  // namespace st::host

#endif  // ST_LIB_HOST_CONFORMANCE_H_
