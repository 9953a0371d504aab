// st-observe: asks the world what there is.
#include <string>

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
        "3 something outside could not be reached, or a stream not read or written",
    .example = "st-compile shop/ | st-observe | st-plan",
};

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
  if (int code = st::cli::Report(flags, diagnostics); !read || code != st::cli::kOk) return code;

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
  st::cli::Say(flags, st::observe::Summary(observed.observation()));
  return st::cli::kOk;
}
