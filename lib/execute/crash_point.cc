#include "lib/execute/crash_point.h"

#include <csignal>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace st::execute {

absl::StatusOr<std::function<void(std::string_view)>> CrashPoint(std::string_view spec) {
  if (spec.empty()) return [](std::string_view) {};
  std::string_view point = spec;
  const int signal = absl::ConsumeSuffix(&point, ":stop") ? SIGSTOP : SIGKILL;
  const size_t colon = point.rfind(':');
  int count = 0;
  const bool whole = (absl::StartsWith(point, "before:") || absl::StartsWith(point, "after:")) &&
                     absl::SimpleAtoi(point.substr(colon + 1), &count) && count > 0 && colon > point.find(':');
  if (!whole) {
    return absl::InvalidArgumentError(
        absl::StrCat("ST_CRASH_AT is \"", spec, "\", not <before|after>:<boundary>:<n-th time>[:stop]"));
  }
  auto left = std::make_shared<int>(count);
  return [name = std::string(point.substr(0, colon)), left, signal](std::string_view boundary) {
    if (boundary == name && --*left == 0) raise(signal);
  };
}

}  // namespace st::execute
