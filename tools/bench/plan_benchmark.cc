// How long st-plan takes, of which in the processor, and how much memory, for 25,000 and for 100,000 observed topics,
// of which 100 changed:
//   bazel run //tools/bench:plan_benchmark
// Runs the real binary on a made-up document, output thrown away, and prints the best of several runs and their ratio.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"
#include "lib/docio/docio.h"
#include "schemas/st/v1/observation.pb.h"
#include "tools/bench/tool_run.h"

namespace {

constexpr int kRuns = 3;
constexpr int kChanged = 100;

// Managed topics without SQL, deployed as declared but for the first `kChanged`, whose retention is declared anew.
std::string Observed(int topics) {
  st::v1::ObservedTopology observed;
  st::v1::Topology& topology = *observed.mutable_topology();
  topology.set_version(1);
  topology.set_project("bench");
  topology.set_environment("default");
  topology.mutable_state()->set_backend(st::v1::StateSettings::SQLITE);
  st::v1::Observation& observation = *observed.mutable_observation();
  observation.mutable_cluster()->set_cluster_id("cluster");
  observation.mutable_state()->mutable_reference()->set_address("bench/default");
  for (int i = 0; i < topics; ++i) {
    const std::string name = absl::StrCat("topic", 1'000'000 + i);
    st::v1::CompiledTopic& declared = *topology.add_topics();
    declared.set_name(name);
    declared.set_resource(absl::StrCat("st://bench/default/topic/", name));
    declared.set_mode(st::v1::MANAGED);
    declared.set_partitions(3);
    st::v1::TopicConfig& config = *declared.add_configs();
    config.set_name("retention.ms");
    config.set_value(i < kChanged ? "1000" : "604800000");
    st::v1::CompiledModel& model = *topology.add_models();
    model.set_name(name);
    model.set_resource(absl::StrCat("st://bench/default/model/", name));
    model.set_topic(name);
    st::v1::TopicFacts& facts = *observation.add_topics();
    facts.set_name(name);
    facts.set_presence(st::v1::PRESENT);
    facts.set_topic_id(absl::StrCat("id", i));
    for (int p = 0; p < 3; ++p) {
      st::v1::TopicFacts::Partition& partition = *facts.add_partitions();
      partition.set_partition(p);
      partition.set_end_offset(1000);
      partition.set_replicas(3);
    }
    st::v1::TopicConfig& reported = *facts.add_configs();
    reported.set_name("retention.ms");
    reported.set_value("604800000");
    st::v1::OwnedResource& owned = *observation.mutable_state()->add_resources();
    owned.set_resource(declared.resource());
    owned.mutable_topic()->set_name(name);
    owned.mutable_topic()->set_topic_id(facts.topic_id());
    owned.mutable_topic()->set_cluster_id("cluster");
    owned.mutable_topic()->set_partitions(3);
    st::v1::OwnedConfig& set = *owned.mutable_topic()->add_configs();
    set.set_name("retention.ms");
    set.set_declared("604800000");
    set.set_reported("604800000");
  }
  topology.set_checksum(st::base::Checksum(topology));
  observed.set_checksum(st::base::Checksum(observed));
  return st::docio::Write(observed);
}

// Another process makes the file, so that this one stays small. False when it could not.
bool WriteInput(const std::string& file, int topics) {
  const pid_t pid = fork();
  if (pid == 0) {
    std::ofstream out(file, std::ios::binary);
    out << Observed(topics);
    out.close();
    _exit(out.fail() ? 1 : 0);
  }
  int status = 0;
  return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::optional<st::bench::Cost> Measure(const std::string& folder, int topics) {
  const std::string file = folder + "/observed.textproto";
  if (!WriteInput(file, topics)) return std::nullopt;
  const std::optional<st::bench::Cost> cost = st::bench::BestOf(kRuns, {"tools/st-plan/st-plan", "--quiet"}, file);
  if (!cost) return cost;
  std::printf("%6d topics, %5.1f MB of text: %7.0f ms (%7.0f ms of CPU), peak %5.0f MB\n", topics,
              static_cast<double>(std::filesystem::file_size(file)) / 1e6, cost->milliseconds, cost->cpu_milliseconds,
              cost->peak_megabytes);
  return cost;
}

}  // namespace

int main() {
  std::string folder = (std::filesystem::temp_directory_path() / "plan_benchmark.XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  std::printf("%d topics changed, best of %d runs\n", kChanged, kRuns);
  std::fflush(stdout);
  const std::optional<st::bench::Cost> small = Measure(folder, 25'000);
  const std::optional<st::bench::Cost> large = small ? Measure(folder, 100'000) : std::nullopt;
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (!large) return 1;
  std::printf("four times the topics: %.2f times the time, %.2f times the CPU, %.2f times the memory\n",
              large->milliseconds / small->milliseconds, large->cpu_milliseconds / small->cpu_milliseconds,
              large->peak_megabytes / small->peak_megabytes);
  return 0;
}
