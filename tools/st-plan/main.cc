// st-plan: says what would be done, why, and whom it touches.
#include <string>

#include "lib/cli/cli.h"
#include "lib/docio/docio.h"
#include "lib/fs/file.h"
#include "lib/plan/plan.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/plan.pb.h"

namespace {

constexpr st::cli::ToolInfo kTool = {
    .name = "st-plan",
    .sentence = "Says what would be done to reach the declared topology, why, and whom it touches. Touches nothing.",
    .usage = "[--out FILE] [--detailed-exitcode] [--start-at MODEL=PLACE] < OBSERVED",
    .reads = "st.v1.ObservedTopology (from st-observe)",
    .writes = "st.v1.Plan, to standard output or to FILE",
    .exit_codes =
        "0 planned; with --detailed-exitcode: no changes\n"
        "1 the input is invalid, the plan has blockers, or FILE exists or has no folder\n2 wrong use\n"
        "3 a stream could not be read or the plan not written\n10 with --detailed-exitcode: declarations differ from "
        "what is deployed\n"
        "11 the world drifted from what was deployed\n12 both",
    .example = "st-compile shop/ | st-observe | st-plan --out plan.textproto",
};

int ExitOf(const st::v1::Plan& plan, bool detailed) {
  if (plan.blockers_size() > 0) return st::cli::kNo;
  if (!detailed) return st::cli::kOk;
  if (plan.declarations_changed()) return plan.world_drifted() ? st::cli::kBoth : st::cli::kDeclared;
  return plan.world_drifted() ? st::cli::kDrifted : st::cli::kOk;
}

}  // namespace

int main(int argc, char** argv) {
  st::cli::Flags flags(kTool);
  std::string out;
  std::string start_at_text;
  bool detailed = false;
  flags.Text("out", &out, "FILE", "write the plan there (0600), never over an existing file");
  flags.Text("start-at", &start_at_text, "MODEL=PLACE",
             "go on there where offsets are gone: earliest, latest or last-status");
  flags.Bool("detailed-exitcode", &detailed, "say in the exit code what differs");
  if (flags.Parse(argc, argv) != st::cli::Flags::Parsed::kRun) return flags.exit_code();
  if (!flags.positional().empty()) return flags.UsageError("st-plan takes no arguments, it reads standard input");
  if (out == "-") {
    return flags.UsageError("--out names a file", "without --out the plan goes to standard output");
  }

  st::diag::Diagnostics diagnostics;
  st::v1::ObservedTopology observed;
  st::plan::StartAt start_at;
  const bool read = st::cli::ReadStdin(&observed, &diagnostics) && st::plan::Verify(observed, &diagnostics) &&
                    st::plan::ParseStartAt(start_at_text, observed.topology(), &start_at, &diagnostics);
  if (int code = st::cli::Report(flags, diagnostics); !read || code != st::cli::kOk) return code;

  st::v1::Plan plan;
  st::plan::Make(observed, start_at, &plan);
  absl::Status written =
      out.empty() ? st::cli::WriteStdout(plan)
                  : st::fs::WriteFileAtomically(out, st::docio::Write(plan), 0600, st::fs::Existing::kRefuse);
  if (!written.ok()) return st::cli::Fail(flags, kTool, written);
  st::cli::Say(flags, st::plan::Summary(plan));
  return ExitOf(plan, detailed);
}
