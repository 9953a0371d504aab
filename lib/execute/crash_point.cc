#include "lib/execute/crash_point.h"

#include <csignal>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace st::execute {

absl::StatusOr<std::function<void(std::string_view)>> CrashPoint(std::string_view spec) {
  if (spec.empty()) return [](std::string_view) {};
  const size_t colon = spec.rfind(':');
  int count = 0;
  const bool whole = (absl::StartsWith(spec, "before:") || absl::StartsWith(spec, "after:")) &&
                     absl::SimpleAtoi(spec.substr(colon + 1), &count) && count > 0 && colon > spec.find(':');
  if (!whole) {
    return absl::InvalidArgumentError(
        absl::StrCat("ST_CRASH_AT is \"", spec, "\", not <before|after>:<boundary>:<n-th time>"));
  }
  auto left = std::make_shared<int>(count);
  return [name = std::string(spec.substr(0, colon)), left](std::string_view boundary) {
    if (boundary == name && --*left == 0) raise(SIGKILL);
  };
}

}  // namespace st::execute
