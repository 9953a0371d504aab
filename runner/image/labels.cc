// Prints the labels of the runner's image, a name=value a line, as the libraries inside of the runner know them: its
// version, and the one version of record plans that it executes.
#include <cstdint>
#include <cstdio>
#include <string>

#include "lib/base/id.h"
#include "lib/record/record.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace {

constexpr uint32_t kMostVersions = 1000;

// 0 when there is none.
uint32_t ExecutedVersion() {
  st::v1::RecordPlan plan;
  plan.set_input_topic("in");
  plan.set_output_topic("out");
  plan.set_extra_members(st::v1::ignore);
  st::v1::InputColumn* column = plan.add_columns();
  column->set_name("a");
  column->set_member("a");
  column->set_type(st::v1::ANY);
  st::v1::Projection* projection = plan.add_projections();
  projection->set_column("a");
  projection->set_name("a");
  for (uint32_t version = 1; version <= kMostVersions; ++version) {
    plan.set_version(version);
    if (st::record::Program::Compile(plan).ok()) return version;
  }
  return 0;
}

}  // namespace

int main() {
  const uint32_t version = ExecutedVersion();
  if (version == 0) {
    std::fprintf(stderr, "labels: error: the smallest record plan is executed in no version up to %u\n", kMostVersions);
    return 1;
  }
  const std::string runner_version(st::base::Version());
  std::printf("st.record_plan.version=%u\nst.runner.version=%s\n", version, runner_version.c_str());
  return std::fflush(stdout) == 0 ? 0 : 1;
}
