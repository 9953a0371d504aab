#include "lib/sql/finding_sink.h"

#include <utility>

#include "absl/strings/substitute.h"
#include "lib/diag/diag.h"
#include "lib/sql/refusals.h"

namespace st::sql {
namespace {

constexpr size_t kMaxDetailBytes = 120;

}  // namespace

void FindingSink::Refuse(const Refusal& refusal, size_t offset, std::string_view detail0, std::string_view detail1) {
  if (full()) return;
  Add(false, refusal, offset, detail0, detail1);
  ++errors_;
  if (full()) Add(false, refusal::kMoreErrors, offset, {}, {});
}

void FindingSink::Warn(const Refusal& refusal, size_t offset, std::string_view detail0, std::string_view detail1) {
  Add(true, refusal, offset, detail0, detail1);
}

void FindingSink::Add(bool warning, const Refusal& refusal, size_t offset, std::string_view detail0,
                      std::string_view detail1) {
  const std::string visible0 = diag::Visible(detail0, kMaxDetailBytes);
  const std::string visible1 = diag::Visible(detail1, kMaxDetailBytes);
  Finding finding;
  finding.warning = warning;
  finding.offset = offset;
  finding.code = refusal.code;
  finding.text = absl::Substitute(refusal.text, visible0, visible1);
  finding.hint = absl::Substitute(refusal.hint, visible0, visible1);
  findings_->push_back(std::move(finding));
}

}  // namespace st::sql
