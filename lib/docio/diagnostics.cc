#include "lib/docio/diagnostics.h"

#include "lib/docio/docio.h"
#include "schemas/st/v1/diagnostic.pb.h"

namespace st::docio {

std::string WriteDiagnostics(const diag::Diagnostics& diagnostics) {
  v1::Diagnostics document;
  for (const diag::Diagnostic& from : diagnostics.Sorted()) {
    v1::Diagnostic& to = *document.add_diagnostics();
    to.set_severity(from.severity == diag::Severity::kError ? v1::Diagnostic::ERROR : v1::Diagnostic::WARNING);
    to.set_file(diag::Visible(from.position.file));
    to.set_line(from.position.line);
    to.set_column(from.position.column);
    to.set_code(from.code);
    to.set_text(diag::Visible(from.text));
    to.set_hint(diag::Visible(from.hint));
  }
  return Write(document);
}

}  // namespace st::docio
