#include "lib/cli/cli.h"

#include <google/protobuf/message.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/cli/complain.h"
#include "lib/docio/diagnostics.h"
#include "lib/fs/file.h"

namespace st::cli {
namespace {

// Nobody is left to tell when standard error is gone.
void ToStderr(std::string_view bytes) { (void)fs::WriteAll(STDERR_FILENO, bytes); }

std::string InForm(DiagnosticsForm form, const diag::Diagnostics& diagnostics) {
  if (form == DiagnosticsForm::kTextproto) return docio::WriteDiagnostics(diagnostics);
  return diag::Render(diagnostics, form == DiagnosticsForm::kGithub ? diag::Format::kGithub : diag::Format::kText);
}

// A file that cannot be read is the user's input too. Our own messages name the path; the position does as well.
void AddUnreadable(const std::string& path, const absl::Status& status, diag::Diagnostics* diagnostics) {
  std::string_view text = status.message();
  if (text.substr(0, path.size()) == path && text.substr(path.size(), 2) == ": ") text.remove_prefix(path.size() + 2);
  std::string_view code = "UNREADABLE";
  if (absl::IsNotFound(status)) code = "NO_SUCH_FILE";
  if (absl::IsResourceExhausted(status)) code = "TOO_LARGE";
  if (absl::IsUnavailable(status)) code = diag::kReadFailed;
  diagnostics->Error({path == "standard input" ? "-" : path}, code, std::string(text));
}

}  // namespace

bool ReadStdin(google::protobuf::Message* message, diag::Diagnostics* diagnostics, docio::Trailer trailer) {
  if (isatty(STDIN_FILENO) != 0) {
    diagnostics->Error({"-"}, "NO_INPUT", "standard input is a terminal: the document comes by a pipe or a file",
                       "for example: st-compile DIR | st-observe | st-plan");
    return false;
  }
  const absl::StatusOr<std::string> text = fs::ReadAll(STDIN_FILENO, docio::kMaxDocumentBytes);
  if (!text.ok()) {
    AddUnreadable("standard input", text.status(), diagnostics);
    return false;
  }
  return docio::Read(*text, "-", trailer, message, diagnostics);
}

bool ReadDocument(const std::string& path, google::protobuf::Message* message, diag::Diagnostics* diagnostics,
                  docio::Trailer trailer) {
  const absl::StatusOr<std::string> text = fs::ReadFile(path, docio::kMaxDocumentBytes);
  if (!text.ok()) {
    AddUnreadable(path, text.status(), diagnostics);
    return false;
  }
  return docio::Read(*text, path, trailer, message, diagnostics);
}

absl::Status WriteStdout(const google::protobuf::Message& message) { return WriteStdout(docio::Write(message)); }

absl::Status WriteStdout(std::string_view bytes) { return fs::WriteAll(STDOUT_FILENO, bytes); }

int Report(const Flags& flags, const diag::Diagnostics& diagnostics) {
  if (!diagnostics.empty()) ToStderr(InForm(flags.form(), diagnostics));
  return ExitCodeOf(diagnostics);
}

void Complain(DiagnosticsForm form, std::string_view tool, std::string_view code, std::string_view text,
              std::string_view hint) {
  if (form == DiagnosticsForm::kText) {
    std::string out = absl::StrCat(tool, ": error: ", diag::Visible(text), "\n");
    if (!hint.empty()) absl::StrAppend(&out, "  hint: ", diag::Visible(hint), "\n");
    ToStderr(out);
    return;
  }
  diag::Diagnostics one;
  one.Error({}, code, absl::StrCat(tool, ": ", text), std::string(hint));
  ToStderr(InForm(form, one));
}

int ExitCodeOf(const diag::Diagnostics& diagnostics) {
  if (!diagnostics.HasErrors()) return kOk;
  const std::vector<diag::Diagnostic> all = diagnostics.Sorted();
  // What was not read may hold the cause of all the others.
  const bool unread =
      std::any_of(all.begin(), all.end(), [](const auto& each) { return each.code == diag::kReadFailed; });
  return unread ? kUnreachable : kNo;
}

int ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kOk;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return kUnreachable;
    case absl::StatusCode::kUnknown:
      return kUnknown;
    default:
      return kNo;
  }
}

int Fail(const Flags& flags, const ToolInfo& info, const absl::Status& status) {
  Complain(flags.form(), info.name, absl::StatusCodeToString(status.code()), status.message(), {});
  return ExitCodeOf(status);
}

void Say(const Flags& flags, std::string_view summary) {
  if (flags.quiet() || flags.form() == DiagnosticsForm::kTextproto) return;
  std::string text;
  for (std::string_view line : absl::StrSplit(summary, '\n')) absl::StrAppend(&text, diag::Visible(line), "\n");
  ToStderr(text);
}

}  // namespace st::cli
