#include "lib/diag/diag.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace st::diag {
namespace {

std::string_view Name(Severity severity) { return severity == Severity::kError ? "error" : "warning"; }

auto Key(const Diagnostic& d) {
  return std::tie(d.position.file, d.position.line, d.position.column, d.code, d.text, d.severity, d.hint);
}

void AppendText(const Diagnostic& d, std::string* out) {
  const Position& at = d.position;
  if (!at.file.empty()) absl::StrAppend(out, Visible(at.file), ":");
  if (at.line > 0) absl::StrAppend(out, at.line, ":");
  if (at.line > 0 && at.column > 0) absl::StrAppend(out, at.column, ":");
  if (!at.file.empty() || at.line > 0) out->push_back(' ');
  absl::StrAppend(out, Name(d.severity), ": ", Visible(d.text), " [", d.code, "]\n");
  if (!d.hint.empty()) absl::StrAppend(out, "  hint: ", Visible(d.hint), "\n");
}

// The escapes of GitHub's actions toolkit (core/src/command.ts: escapeData, escapeProperty). Line ends were made
// visible before, but for the one between text and hint.
std::string GithubData(std::string_view text) {
  return absl::StrReplaceAll(text, {{"%", "%25"}, {"\r", "%0D"}, {"\n", "%0A"}});
}

std::string GithubProperty(std::string_view text) {
  return absl::StrReplaceAll(text, {{"%", "%25"}, {"\r", "%0D"}, {"\n", "%0A"}, {":", "%3A"}, {",", "%2C"}});
}

void AppendGithub(const Diagnostic& d, std::string* out) {
  const Position& at = d.position;
  absl::StrAppend(out, "::", Name(d.severity), " ");
  // Standard input is no file that an annotation could be put on.
  if (!at.file.empty() && at.file != "-") {
    absl::StrAppend(out, "file=", GithubProperty(Visible(at.file)), ",");
    if (at.line > 0) absl::StrAppend(out, "line=", at.line, ",");
    if (at.line > 0 && at.column > 0) absl::StrAppend(out, "col=", at.column, ",");
  }
  std::string text = Visible(d.text);
  if (at.file == "-" && at.line > 0) text = absl::StrCat("standard input, ", at.line, ":", at.column, ": ", text);
  if (!d.hint.empty()) absl::StrAppend(&text, "\nhint: ", Visible(d.hint));
  absl::StrAppend(out, "title=", GithubProperty(d.code), "::", GithubData(text), "\n");
}

}  // namespace

void Diagnostics::Error(Position position, std::string_view code, std::string text, std::string hint) {
  Add({Severity::kError, std::move(position), std::string(code), std::move(text), std::move(hint)});
}

void Diagnostics::Warning(Position position, std::string_view code, std::string text, std::string hint) {
  Add({Severity::kWarning, std::move(position), std::string(code), std::move(text), std::move(hint)});
}

void Diagnostics::Add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::kError) ++errors_;
  all_.push_back(std::move(diagnostic));
}

std::vector<Diagnostic> Diagnostics::Sorted() const {
  std::vector<Diagnostic> sorted = all_;
  std::sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) { return Key(a) < Key(b); });
  const auto same = [](const Diagnostic& a, const Diagnostic& b) { return Key(a) == Key(b); };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), same), sorted.end());
  return sorted;
}

std::string Render(const Diagnostics& diagnostics, Format format) {
  std::string out;
  for (const Diagnostic& d : diagnostics.Sorted()) {
    if (format == Format::kGithub) {
      AppendGithub(d, &out);
    } else {
      AppendText(d, &out);
    }
  }
  return out;
}

}  // namespace st::diag
