#include "lib/plan/start_at.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::plan {
namespace {

constexpr v1::RestoreOffsets::From kPlaces[] = {v1::RestoreOffsets::EARLIEST, v1::RestoreOffsets::LATEST,
                                                v1::RestoreOffsets::LAST_STATUS};

bool HasModel(const v1::Topology& topology, std::string_view name) {
  return std::any_of(topology.models().begin(), topology.models().end(),
                     [&](const v1::CompiledModel& model) { return model.name() == name && model.has_plan(); });
}

}  // namespace

std::string_view PlaceName(v1::RestoreOffsets::From from) {
  switch (from) {
    case v1::RestoreOffsets::EARLIEST:
      return "earliest";
    case v1::RestoreOffsets::LATEST:
      return "latest";
    case v1::RestoreOffsets::LAST_STATUS:
      return "last-status";
    default:
      return "";
  }
}

bool ParseStartAt(std::string_view text, const v1::Topology& topology, StartAt* start_at,
                  diag::Diagnostics* diagnostics) {
  const auto refuse = [&](std::string sentence) {
    diagnostics->Error({}, "BAD_START_AT", std::move(sentence),
                       "--start-at MODEL=earliest|latest|last-status, several with commas between");
    return false;
  };
  if (text.empty()) return true;
  for (std::string_view one : absl::StrSplit(text, ',')) {
    const std::pair<std::string_view, std::string_view> parts = absl::StrSplit(one, absl::MaxSplits('=', 1));
    const auto* place = std::find_if(std::begin(kPlaces), std::end(kPlaces),
                                     [&](v1::RestoreOffsets::From from) { return PlaceName(from) == parts.second; });
    if (place == std::end(kPlaces)) return refuse(absl::StrCat("`", one, "` names no place"));
    if (!HasModel(topology, parts.first)) {
      return refuse(absl::StrCat("`", parts.first, "` is no model with SQL of this project"));
    }
    if (!start_at->emplace(parts.first, *place).second) {
      return refuse(absl::StrCat("model `", parts.first, "` is named twice"));
    }
  }
  return true;
}

}  // namespace st::plan
