// st-observe: asks the world what there is.
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/clock.h"
#include "lib/base/digest.h"
#include "lib/cli/cli.h"
#include "lib/observe/observe.h"
#include "lib/topology/topology.h"
#include "lib/world/world.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace {

constexpr st::cli::ToolInfo kTool = {
    .name = "st-observe",
    .sentence = "Asks cluster, runner host and state store what there is of a topology. Changes nothing.",
    .usage = "[--offline] [--externals] < TOPOLOGY",
    .reads = "st.v1.Topology (from st-compile)",
    .writes = "st.v1.ObservedTopology",
    .exit_codes =
        "0 observed\n1 the input is invalid, a ${VAR} is unset, or the state cannot be used\n2 wrong use\n"
        "3 something outside could not be reached",
    .example = "st-compile shop/ | st-observe | st-plan",
};

std::string Summary(const st::v1::Observation& observation) {
  if (observation.offline()) return "offline: nothing was asked";
  int present = 0;
  for (const st::v1::TopicFacts& topic : observation.topics()) present += topic.presence() == st::v1::PRESENT ? 1 : 0;
  int refused = 0;
  for (const st::v1::TopicVerdict& verdict : observation.verdicts()) refused += verdict.refused() ? 1 : 0;
  return absl::StrCat("cluster ", observation.cluster().cluster_id(), ": ", present, " of ", observation.topics_size(),
                      " topics there, ", refused, " changes refused by the broker, ", observation.groups_size(),
                      " consumer groups, ", observation.host().generations_size(), " runner generations, ",
                      observation.state().resources_size(), " resources owned");
}

}  // namespace

int main(int argc, char** argv) {
  st::cli::Flags flags(kTool);
  bool offline = false;
  st::observe::Scope scope;
  flags.Bool("offline", &offline, "ask nothing; a plan made of it can be read, not applied");
  flags.Bool("externals", &scope.externals, "look at external topics that no model reads, too");
  if (flags.Parse(argc, argv) != st::cli::Flags::Parsed::kRun) return flags.exit_code();
  if (!flags.positional().empty()) return flags.UsageError("no arguments are taken", "the topology comes by the pipe");

  st::diag::Diagnostics diagnostics;
  st::v1::ObservedTopology observed;
  bool read = st::cli::ReadStdin(observed.mutable_topology(), &diagnostics) &&
              st::topology::Verify(observed.topology(), &diagnostics);
  if (int code = st::cli::Report(flags, diagnostics); !read || code != st::cli::kOk) return st::cli::kNo;

  if (offline) {
    st::observe::Offline(observed.mutable_observation());
  } else {
    absl::StatusOr<st::world::World> opened =
        st::world::Open(observed.topology(), st::state::Access::kReadOnly, "st-observe", st::kafka::ProcessLookup());
    if (!opened.ok()) return st::cli::Fail(flags, kTool, opened.status());
    const st::observe::World world = {.cluster = opened->cluster.get(),
                                      .host = opened->host.get(),
                                      .store = opened->store.get(),
                                      .clock = &st::base::RealClock()};
    absl::Status status = st::observe::Observe(observed.topology(), world, scope, observed.mutable_observation());
    if (!status.ok()) return st::cli::Fail(flags, kTool, status);
  }
  observed.set_checksum(st::base::Checksum(observed));
  if (absl::Status status = st::cli::WriteStdout(observed); !status.ok()) return st::cli::Fail(flags, kTool, status);
  st::cli::Say(flags, Summary(observed.observation()));
  return st::cli::kOk;
}
