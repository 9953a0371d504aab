// st-resume: carries an interrupted operation on, or says where it stands.
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/id.h"
#include "lib/cli/cli.h"
#include "lib/execute/crash_point.h"
#include "lib/execute/execute.h"
#include "lib/execute/summary.h"
#include "lib/plan/plan.h"
#include "lib/topology/topology.h"
#include "lib/world/world.h"
#include "schemas/st/v1/operation.pb.h"
#include "schemas/st/v1/plan.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace {

constexpr st::cli::ToolInfo kTool = {
    .name = "st-resume",
    .sentence = "Carries an interrupted operation on, from its last checkpoint; with --status it only looks.",
    .usage = "(--plan FILE --operation UUID | --status) < TOPOLOGY",
    .reads = "st.v1.Topology (from st-compile), and the plan file",
    .writes = "st.v1.ApplyReport, or st.v1.OperationStatus",
    .exit_codes =
        "0 done, or it was done already; with --status: no operation is open, or the next step is allowed\n"
        "1 refused, or blocked\n2 wrong use\n3 something outside not reached, or a file or stream not read or written\n"
        "4 the outcome is not known: st-resume again",
    .example = "st-compile shop/ | st-resume --plan plan.textproto --operation UUID",
};

int ShowStatus(const st::cli::Flags& flags, const st::v1::Topology& topology, const st::execute::World& world) {
  const std::string address = absl::StrCat(topology.project(), "/", topology.environment());
  absl::StatusOr<st::v1::OperationStatus> status = st::execute::Status(address, world);
  if (!status.ok()) return st::cli::Fail(flags, kTool, status.status());
  return st::execute::Answer(flags, kTool, *status);
}

}  // namespace

int main(int argc, char** argv) {
  st::cli::Flags flags(kTool);
  std::string plan_path;
  std::string operation_id;
  bool status_only = false;
  flags.Text("plan", &plan_path, "FILE", "the reviewed plan of that operation");
  flags.Text("operation", &operation_id, "UUID", "the operation to carry on");
  flags.Bool("status", &status_only, "only look, change nothing");
  if (flags.Parse(argc, argv) != st::cli::Flags::Parsed::kRun) return flags.exit_code();
  if (!flags.positional().empty()) return flags.UsageError("no arguments are taken", "the topology comes by the pipe");
  if (status_only ? !plan_path.empty() || !operation_id.empty()
                  : plan_path.empty() || !st::base::IsUuid(operation_id)) {
    return flags.UsageError("give either --status, or --plan and --operation with a UUID",
                            "--status shows the operation's UUID");
  }
  const char* crash_at = std::getenv("ST_CRASH_AT");
  auto boundary = st::execute::CrashPoint(crash_at == nullptr ? "" : crash_at);
  if (!boundary.ok()) return flags.UsageError(boundary.status().message());

  st::diag::Diagnostics diagnostics;
  st::v1::Topology topology;
  st::v1::Plan plan;
  bool read = st::cli::ReadStdin(&topology, &diagnostics) && st::topology::Verify(topology, &diagnostics);
  if (!status_only) {
    read = st::cli::ReadDocument(plan_path, &plan, &diagnostics) && st::plan::Verify(plan, &diagnostics) && read;
  }
  if (int code = st::cli::Report(flags, diagnostics); !read || code != st::cli::kOk) return code;

  const auto access = status_only ? st::state::Access::kReadOnly : st::state::Access::kReadWrite;
  auto opened = st::world::Open(topology, access, "st-resume", st::kafka::ProcessLookup());
  if (!opened.ok()) return st::cli::Fail(flags, kTool, opened.status());
  st::execute::World world = st::world::ForExecute(*opened, flags, *std::move(boundary));
  if (status_only) return ShowStatus(flags, topology, world);
  absl::StatusOr<st::v1::ApplyReport> report = st::execute::Resume(plan, topology, operation_id, world);
  if (!report.ok()) return st::cli::Fail(flags, kTool, report.status());
  return st::execute::Answer(flags, kTool, *report);
}
