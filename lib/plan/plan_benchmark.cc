// Plans 100,000 and 200,000 observed topics, of which 100 changed, as st-plan does: text in, text out. Prints seconds
// for each part, the growth, and the memory: `bazel run -c opt //lib/plan:plan_benchmark`.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"
#include "lib/docio/docio.h"
#include "lib/plan/plan.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/plan.pb.h"

namespace {

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

double Since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Seconds from text to text; 0 after a complaint.
double PlanOnce(const std::string& text, int topics) {
  const auto start = std::chrono::steady_clock::now();
  st::v1::ObservedTopology observed;
  st::diag::Diagnostics diagnostics;
  const bool read = st::docio::Read(text, "-", st::docio::Trailer::kRequired, &observed, &diagnostics);
  const double read_seconds = Since(start);
  if (!read || !st::plan::Verify(observed, &diagnostics)) {
    std::fputs(st::diag::Render(diagnostics, st::diag::Format::kText).c_str(), stderr);
    return 0;
  }
  const double verified_seconds = Since(start);
  st::v1::Plan plan;
  st::plan::Make(observed, &plan);
  const double made_seconds = Since(start);
  const std::string written = st::docio::Write(plan);
  const double seconds = Since(start);
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "%d topics, %zu MB in, %d actions: read %.2f s, verify %.2f s, plan %.2f s, write %.2f s; %.2f s, peak %ld MB\n",
      topics, text.size() >> 20, plan.actions_size(), read_seconds, verified_seconds - read_seconds,
      made_seconds - verified_seconds, seconds - made_seconds, seconds, usage.ru_maxrss / 1024);
  if (plan.actions_size() != kChanged || plan.blockers_size() != 0) return 0;
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  // One size a process, so that the peak is that size's: the larger one only when asked for.
  const int topics = argc > 1 && std::string(argv[1]) == "--double" ? 200'000 : 100'000;
  const std::string text = Observed(topics);
  const double seconds = PlanOnce(text, topics);
  if (seconds == 0) return 1;
  std::printf("%.2f us a topic\n", seconds / topics * 1e6);
  return 0;
}
