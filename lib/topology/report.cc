#include "lib/topology/report.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace st::topology {
namespace {

constexpr size_t kMaxQuotedBytes = 100;

}  // namespace

std::string Name(std::string_view name) { return absl::StrCat("`", diag::Visible(name, kMaxQuotedBytes), "`"); }

void Report::Error(const google::protobuf::Message& message, std::string_view field, std::string_view code,
                   std::string text, std::string hint, int index) {
  diagnostics_.Error(At(message, field, index), code, std::move(text), std::move(hint));
}

void Report::Warning(const google::protobuf::Message& message, std::string_view field, std::string_view code,
                     std::string text, std::string hint, int index) {
  diagnostics_.Warning(At(message, field, index), code, std::move(text), std::move(hint));
}

void Report::InSql(const google::protobuf::Message& model, size_t offset, bool warning, std::string_view code,
                   std::string text, std::string hint) {
  std::string note;
  diag::Diagnostic diagnostic;
  diagnostic.severity = warning ? diag::Severity::kWarning : diag::Severity::kError;
  diagnostic.position = loaded_.positions.InSql(model, offset, &note);
  diagnostic.code = std::string(code);
  diagnostic.text = note.empty() ? std::move(text) : absl::StrCat(text, " (", note, ")");
  diagnostic.hint = std::move(hint);
  diagnostics_.Add(std::move(diagnostic));
}

diag::Position Report::At(const google::protobuf::Message& message, std::string_view field, int index) const {
  return loaded_.positions.Of(message, field, index);
}

std::string Report::Place(const google::protobuf::Message& message, std::string_view field) const {
  const diag::Position position = At(message, field);
  if (position.line == 0) return "another place";
  return absl::StrCat(diag::Visible(position.file), ":", position.line, ":", position.column);
}

std::string Report::Quote(const google::protobuf::Message& message, std::string_view field, std::string_view value,
                          int index) const {
  return loaded_.positions.FromVariable(message, field, index) ? "from a variable" : Name(value);
}

bool Report::IsWritten(const google::protobuf::Message& message, std::string_view field) const {
  return loaded_.positions.IsWritten(message, field);
}

}  // namespace st::topology
