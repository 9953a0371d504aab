#include "lib/cli/progress.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "lib/fs/file.h"

namespace st::cli {
namespace {

constexpr int64_t kFirstMs = 1000;
constexpr int64_t kBetweenMs = 200;
// Wipes from the cursor to the end of the line (ECMA-48 EL), after a return to its start.
constexpr std::string_view kWipe = "\r\x1b[K";
// Cut rather than wrapped: a wrapped line is not wiped.
constexpr size_t kMaxBytes = 76;

}  // namespace

Progress::Progress(const Flags& flags, base::Clock& clock)
    : clock_(clock),
      enabled_(!flags.quiet() && flags.form() == DiagnosticsForm::kText && isatty(STDERR_FILENO) != 0),
      next_ms_(clock.MonotonicMs() + kFirstMs) {}

Progress::~Progress() {
  if (shown_) (void)fs::WriteAll(STDERR_FILENO, kWipe);
}

void Progress::Update(std::string_view text) {
  if (!enabled_) return;
  const int64_t now_ms = clock_.MonotonicMs();
  if (now_ms < next_ms_) return;
  next_ms_ = now_ms + kBetweenMs;
  shown_ = true;
  (void)fs::WriteAll(STDERR_FILENO, absl::StrCat(kWipe, diag::Visible(text, kMaxBytes)));
}

}  // namespace st::cli
