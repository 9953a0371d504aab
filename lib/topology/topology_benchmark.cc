// Compiles 10,000 and 40,000 models from a project in memory and prints seconds, the growth and the memory:
// `bazel run //lib/topology:topology_benchmark`. Each model reads a source of ten columns; every fourth reads
// another model, and every tenth has an exposure with a contract.
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/diag/diag.h"
#include "lib/project/project.h"
#include "lib/topology/topology.h"
#include "schemas/st/v1/project.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace {

constexpr int kColumns = 10;
constexpr int kModelsBetweenReferences = 4;
constexpr int kModelsBetweenExposures = 10;

void AddSource(int n, st::v1::Project* project) {
  st::v1::Source* source = project->add_sources();
  source->set_name(absl::StrCat("source_", n));
  source->set_topic(absl::StrCat("raw.source.", n));
  source->set_owner("team");
  for (int i = 0; i < kColumns; ++i) {
    st::v1::Column* column = source->add_columns();
    column->set_name(absl::StrCat("c", i));
    column->set_type(i % 2 == 0 ? st::v1::BIGINT : st::v1::STRING);
    column->set_required(i == 0);
  }
}

void AddModel(int n, st::v1::Project* project) {
  const bool reads_model = n % kModelsBetweenReferences == kModelsBetweenReferences - 1;
  st::v1::Model* model = project->add_models();
  model->set_name(absl::StrCat("model_", n));
  model->set_owner("team");
  model->set_executor("runner");
  model->set_sql(absl::StrCat(
      "SELECT c0, c1, c2, c3, c4\nFROM ",
      reads_model ? absl::StrCat("{{ ref(\"model_", n - 1, "\") }}") : absl::StrCat("{{ source(\"source_", n, "\") }}"),
      "\nWHERE c0 >= 100 AND c1 = 'x' AND c2 IS NOT NULL"));
  model->mutable_topic()->set_partitions(3);
  st::v1::ConfigEntry* config = model->mutable_topic()->add_config();
  config->set_key("retention.ms");
  config->set_value("604800000");
  if (n % kModelsBetweenExposures != 0) return;
  st::v1::Exposure* exposure = project->add_exposures();
  exposure->set_name(absl::StrCat("app_", n));
  exposure->set_type("application");
  exposure->add_consumes()->set_ref(model->name());
  st::v1::Column* column = exposure->add_columns();
  column->set_name("c2");
  column->set_type(st::v1::BIGINT);
  column->set_required(true);
}

st::project::Loaded Generate(int models) {
  auto project = std::make_shared<st::v1::Project>();
  project->mutable_project()->set_name("bench");
  project->mutable_runtime()->mutable_kafka()->set_bootstrap_servers("localhost:9092");
  project->mutable_runtime()->mutable_runner()->set_host("process");
  project->mutable_runtime()->mutable_runner()->set_initial_offset("earliest");
  for (int n = 0; n < models; ++n) {
    AddSource(n, project.get());
    AddModel(n, project.get());
  }
  st::project::Loaded loaded;
  loaded.project = std::move(project);
  loaded.environment = "default";
  return loaded;
}

int64_t PeakKilobytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Seconds for one compilation and one verification.
double Measure(int models) {
  const st::project::Loaded loaded = Generate(models);
  const int64_t before = PeakKilobytes();
  const auto start = std::chrono::steady_clock::now();
  st::v1::Topology topology;
  st::diag::Diagnostics diagnostics;
  const bool compiled = st::topology::Compile(loaded, &topology, &diagnostics);
  const std::chrono::duration<double> compile = std::chrono::steady_clock::now() - start;
  const int64_t after = PeakKilobytes();
  const auto middle = std::chrono::steady_clock::now();
  const bool verified = compiled && st::topology::Verify(topology, &diagnostics);
  const std::chrono::duration<double> verify = std::chrono::steady_clock::now() - middle;
  std::printf("%6d models: compile %.3f s, %lld KB above the project; verify %.3f s%s\n", models, compile.count(),
              static_cast<long long>(after - before), verify.count(), verified ? "" : " FAILED");
  return compile.count();
}

}  // namespace

int main() {
  const double small = Measure(10'000);
  const double large = Measure(40'000);
  std::printf("four times the models took %.1f times as long\n", large / small);
}
