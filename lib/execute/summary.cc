#include "lib/execute/summary.h"

#include "absl/strings/str_cat.h"
#include "schemas/st/v1/operation.pb.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::execute {
namespace {

std::string_view Verdict(v1::ApplyReport::Outcome outcome) {
  switch (outcome) {
    case v1::ApplyReport::DONE:
      return "done";
    case v1::ApplyReport::NO_CHANGES:
      return "no changes";
    case v1::ApplyReport::REFUSED:
      return "refused, nothing was changed";
    case v1::ApplyReport::BLOCKED:
      return "blocked half-way";
    case v1::ApplyReport::UNKNOWN:
      return "the outcome of the last step is not known";
    case v1::ApplyReport::UNREACHABLE:
      return "cut off half-way: something outside could not be reached";
    case v1::ApplyReport::RUNNER_FAILED:
      return "done, and a runner has failed since";
    default:
      return "?";
  }
}

int ExitCodeOf(v1::ApplyReport::Outcome outcome) {
  switch (outcome) {
    case v1::ApplyReport::DONE:
    case v1::ApplyReport::NO_CHANGES:
      return cli::kOk;
    case v1::ApplyReport::UNREACHABLE:
      return cli::kUnreachable;
    case v1::ApplyReport::UNKNOWN:
      return cli::kUnknown;
    default:
      return cli::kNo;
  }
}

}  // namespace

int Answer(const cli::Flags& flags, const cli::ToolInfo& tool, const v1::ApplyReport& report) {
  cli::Say(flags, Summary(report));
  const int code = ExitCodeOf(report.outcome());
  absl::Status status = cli::WriteStdout(report);
  if (status.ok()) return code;
  // Also with --quiet: who only sees the exit code must not take it for a deployment that is still to be made.
  const std::string_view verdict = code == cli::kOk ? "the deployment is done, only its report could not be written: "
                                                    : "the report could not be written: ";
  const int failed = cli::Fail(flags, tool, absl::Status(status.code(), absl::StrCat(verdict, status.message())));
  return code == cli::kOk ? failed : code;
}

int Answer(const cli::Flags& flags, const cli::ToolInfo& tool, const v1::OperationStatus& status) {
  cli::Say(flags, Summary(status));
  if (absl::Status written = cli::WriteStdout(status); !written.ok()) return cli::Fail(flags, tool, written);
  if (status.not_reached()) return cli::kUnreachable;
  return status.operation_id().empty() || status.allowed() ? cli::kOk : cli::kNo;
}

std::string Summary(const v1::ApplyReport& report) {
  std::string text(Verdict(report.outcome()));
  if (!report.reason().empty()) absl::StrAppend(&text, ": ", report.reason());
  for (const v1::ApplyReport::ActionResult& action : report.actions()) {
    absl::StrAppend(&text, "\n  ",
                    action.done()             ? "done     "
                    : action.detail().empty() ? "not begun"
                                              : "begun    ",
                    " ", action.action(), " ", action.resource());
    if (!action.done() && !action.detail().empty()) absl::StrAppend(&text, " (", action.detail(), ")");
  }
  if (!report.operation_id().empty()) absl::StrAppend(&text, "\n  operation ", report.operation_id());
  if (!report.next_command().empty()) absl::StrAppend(&text, "\n  next: ", report.next_command());
  return text;
}

}  // namespace st::execute
