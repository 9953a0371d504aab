#include "lib/topology/cycles.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/topology/graph.h"
#include "schemas/st/v1/project.pb.h"

namespace st::topology {
namespace {

constexpr size_t kStepsShownAtEachEnd = 8;

using Edges = std::vector<std::pair<int, int>>;

}  // namespace

std::string FormatWay(Catalog* catalog, const std::vector<int>& way) {
  std::string text;
  for (size_t i = 0; i < way.size(); ++i) {
    const size_t behind = way.size() - i;
    if (i == kStepsShownAtEachEnd && behind > kStepsShownAtEachEnd + 1) {
      absl::StrAppend(&text, " -> (", behind - kStepsShownAtEachEnd, " more)");
      i += behind - kStepsShownAtEachEnd - 1;
      continue;
    }
    absl::StrAppend(&text, i == 0 ? "" : " -> ", diag::Visible(catalog->at(way[i]).name, 100));
  }
  return text;
}

std::vector<int> CheckCycles(Catalog* catalog, Report* report) {
  Edges reads;
  for (int i = 0; i < catalog->size(); ++i) {
    if (catalog->at(i).input != kNone) reads.emplace_back(catalog->at(i).input, i);
  }
  Edges all = reads;
  for (int i = 0; i < catalog->size(); ++i) {
    for (const int consumed : catalog->at(i).consumes) all.emplace_back(consumed, i);
    for (const int produced : catalog->at(i).produces) all.emplace_back(i, produced);
  }
  const Graph models(catalog->size(), std::move(reads));
  for (const std::vector<int>& group : models.Cycles()) {
    const Declaration& first = catalog->at(group[0]);
    report->InSql(
        *first.model, first.statement->table().offset, false, "CYCLE",
        absl::StrCat("models read each other in a circle: ", FormatWay(catalog, models.WayBack(group[0], group))),
        "one of them must read something else");
  }
  const Graph whole(catalog->size(), std::move(all));
  for (const std::vector<int>& group : whole.Cycles()) {
    const auto exposure =
        std::find_if(group.begin(), group.end(), [&](int node) { return catalog->at(node).exposure != nullptr; });
    if (exposure == group.end()) continue;  // said above
    report->Error(*catalog->at(*exposure).exposure, "produces", "FEEDBACK",
                  absl::StrCat("records come back to where they came from by way of an exposure: ",
                               FormatWay(catalog, whole.WayBack(*exposure, group))),
                  "let the exposure produce into a topic that nothing before it reads");
  }
  std::vector<int> order = models.Order();
  order.erase(std::remove_if(order.begin(), order.end(), [&](int node) { return catalog->at(node).model == nullptr; }),
              order.end());
  return order;
}

}  // namespace st::topology
