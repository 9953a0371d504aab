#include "lib/transition/ending.h"

#include "absl/strings/str_cat.h"

namespace st::transition {

std::string HowItEnded(const v1::GenerationFacts& generation) {
  if (generation.state() == v1::GenerationFacts::CREATED) return "never started";
  if (!generation.has_status()) return "it wrote no status";
  const v1::RunnerStatus& status = generation.status();
  if (status.state() == v1::RunnerStatus::RUNNING) return "killed while it ran";
  std::string text = v1::RunnerStatus::State_Name(status.state());
  if (status.reason() != v1::RunnerStatus::REASON_UNSPECIFIED) {
    absl::StrAppend(&text, " ", v1::RunnerStatus::Reason_Name(status.reason()));
  }
  if (!status.detail().empty()) absl::StrAppend(&text, ": ", status.detail());
  return text;
}

}  // namespace st::transition
