// st-apply: carries a reviewed plan out.
#include <cstdlib>
#include <string>

#include "lib/cli/cli.h"
#include "lib/execute/crash_point.h"
#include "lib/execute/execute.h"
#include "lib/execute/summary.h"
#include "lib/plan/plan.h"
#include "lib/topology/topology.h"
#include "lib/world/world.h"
#include "schemas/st/v1/plan.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace {

constexpr st::cli::ToolInfo kTool = {
    .name = "st-apply",
    .sentence = "Carries out exactly the reviewed plan, if the project and the world are still what was reviewed.",
    .usage = "--plan FILE < TOPOLOGY",
    .reads = "st.v1.Topology (from st-compile), and the plan file",
    .writes = "st.v1.ApplyReport",
    .exit_codes =
        "0 done, or nothing to do\n1 refused (stale, blocked), or blocked half-way\n2 wrong use\n"
        "3 something outside could not be reached, or a file or stream not read or written (the summary says how far "
        "it is)\n"
        "4 the outcome is not known: st-resume",
    .example = "st-compile shop/ | st-apply --plan plan.textproto",
};

}  // namespace

int main(int argc, char** argv) {
  st::cli::Flags flags(kTool);
  std::string plan_path;
  flags.Text("plan", &plan_path, "FILE", "the reviewed plan");
  if (flags.Parse(argc, argv) != st::cli::Flags::Parsed::kRun) return flags.exit_code();
  if (!flags.positional().empty()) return flags.UsageError("no arguments are taken", "the topology comes by the pipe");
  if (plan_path.empty()) return flags.UsageError("--plan is missing", "st-plan --out FILE writes one");
  const char* crash_at = std::getenv("ST_CRASH_AT");
  auto boundary = st::execute::CrashPoint(crash_at == nullptr ? "" : crash_at);
  if (!boundary.ok()) return flags.UsageError(boundary.status().message());

  st::diag::Diagnostics diagnostics;
  st::v1::Topology topology;
  st::v1::Plan plan;
  // All that is wrong with either document is said in one run.
  bool read = st::cli::ReadStdin(&topology, &diagnostics) && st::topology::Verify(topology, &diagnostics);
  read = st::cli::ReadDocument(plan_path, &plan, &diagnostics) && st::plan::Verify(plan, &diagnostics) && read;
  if (int code = st::cli::Report(flags, diagnostics); !read || code != st::cli::kOk) return code;

  // Before anything is opened: a refusal leaves no trace.
  if (auto refused = st::execute::RefuseOnPaper(plan, topology)) return st::execute::Answer(flags, kTool, *refused);
  auto opened = st::world::Open(topology, st::state::Access::kReadWrite, "st-apply", st::kafka::ProcessLookup());
  if (!opened.ok()) return st::cli::Fail(flags, kTool, opened.status());
  st::execute::World world = st::world::ForExecute(*opened, flags, *std::move(boundary));
  absl::StatusOr<st::v1::ApplyReport> report = st::execute::Apply(plan, topology, world);
  if (!report.ok()) return st::cli::Fail(flags, kTool, report.status());
  return st::execute::Answer(flags, kTool, *report);
}
