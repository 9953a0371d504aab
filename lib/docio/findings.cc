#include "lib/docio/findings.h"

#include <utility>

namespace st::docio {

void Findings::Add(std::string_view where, std::string_view code, std::string text, std::string hint) {
  constexpr int kMost = 100;
  if (++count_ > kMost) return;
  const size_t offset = static_cast<size_t>(where.data() - text_.data());
  diagnostics_->Error(diag::Locate(file_, text_, offset), code, std::move(text), std::move(hint));
}

}  // namespace st::docio
