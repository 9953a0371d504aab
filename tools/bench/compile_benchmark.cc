// How long st-compile takes, of which in the processor, and how much memory, for 10,000 and for 40,000 models:
//   bazel run //tools/bench:compile_benchmark
// Runs the real binary on generated projects, output thrown away, and prints the best of several runs and their ratio.
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/bench/tool_run.h"

namespace {

constexpr int kRuns = 5;
constexpr int kModelsPerSource = 100;

std::string Source(int i) {
  return absl::StrFormat(
      "  - name: orders_%d\n    topic: orders.raw.v%d\n    owner: checkout-team\n    columns:\n"
      "      - {name: id, type: STRING, required: true}\n      - {name: amount, type: BIGINT}\n"
      "      - {name: paid, type: BOOLEAN, required: true}\n",
      i, i);
}

// About 350 bytes, as people write them.
std::string Model(int i) {
  return absl::StrFormat(
      "  - name: large_orders_%d\n    description: Paid orders of at least %d units, for the risk team\n"
      "    owner: risk-team\n    ownership: {mode: managed}\n    executor: runner\n    sql: |\n"
      "      SELECT id AS order_id, amount\n      FROM {{ source(\"orders_%d\") }}\n"
      "      WHERE amount >= %d AND paid = TRUE\n"
      "    topic: {partitions: 3, replication_factor: 1, config: {retention.ms: 604800000}}\n",
      i, i, i / kModelsPerSource, i);
}

// Its size in bytes; 0 when it could not be written.
size_t WriteProject(const std::string& folder, int models) {
  std::string text =
      "project: {name: shop, version: \"1\"}\nruntime:\n  kafka: {bootstrap_servers: \"localhost:9092\"}\n"
      "  runner: {host: process, initial_offset: earliest}\nsources:\n";
  for (int i = 0; i * kModelsPerSource < models; ++i) text += Source(i);
  text += "models:\n";
  for (int i = 0; i < models; ++i) text += Model(i);
  std::ofstream file(folder + "/stream_project.yml", std::ios::binary);
  file << text;
  file.close();
  return file.fail() ? 0 : text.size();
}

std::optional<st::bench::Cost> Measure(const std::string& folder, int models) {
  const size_t bytes = WriteProject(folder, models);
  if (bytes == 0) return std::nullopt;
  const std::optional<st::bench::Cost> cost =
      st::bench::BestOf(kRuns, {"tools/st-compile/st-compile", "--quiet", folder}, "");
  if (!cost) return cost;
  absl::PrintF("%6d models, %5.1f MB of YAML: %7.0f ms (%7.0f ms of CPU), peak %5.0f MB\n", models,
               static_cast<double>(bytes) / 1e6, cost->milliseconds, cost->cpu_milliseconds, cost->peak_megabytes);
  return cost;
}

}  // namespace

int main() {
  std::string folder = (std::filesystem::temp_directory_path() / "compile_benchmark.XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  absl::PrintF("best of %d runs\n", kRuns);
  const std::optional<st::bench::Cost> small = Measure(folder, 10'000);
  const std::optional<st::bench::Cost> large = small ? Measure(folder, 40'000) : std::nullopt;
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (!large) return 1;
  absl::PrintF("four times the models: %.2f times the time, %.2f times the CPU, %.2f times the memory\n",
               large->milliseconds / small->milliseconds, large->cpu_milliseconds / small->cpu_milliseconds,
               large->peak_megabytes / small->peak_megabytes);
  return 0;
}
