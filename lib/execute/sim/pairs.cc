#include "lib/execute/sim/pairs.h"

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace st::sim {
namespace {

struct Met {
  Point point;
  int64_t times = 0;
};

// The states after one fault, in the order in which they are met.
absl::StatusOr<std::vector<Met>> AfterOneFault(Matrix* matrix) {
  const Point start = matrix->Start();
  auto strikes = matrix->Strikes(start);
  if (!strikes.ok()) return strikes.status();
  std::vector<Met> met;
  std::map<std::string, size_t> known;
  for (const Injection& injection : *strikes) {
    absl::StatusOr<Point> point = matrix->Strike(start, injection);
    if (!point.ok()) return point.status();
    const auto [it, fresh] = known.emplace(point->fingerprint, met.size());
    if (fresh) met.push_back({*std::move(point), 0});
    ++met[it->second].times;
  }
  return met;
}

}  // namespace

absl::Status RunAllPairs(Matrix* matrix, int part, int parts,
                         const std::function<void(const CellResult&, int64_t stands_for)>& report) {
  auto met = AfterOneFault(matrix);
  if (!met.ok()) return met.status();
  std::map<std::string, std::vector<std::string>> ends;  // violations of what follows a state
  for (size_t i = static_cast<size_t>(part); i < met->size(); i += static_cast<size_t>(parts)) {
    const Met& first = (*met)[i];
    auto strikes = matrix->Strikes(first.point);
    if (!strikes.ok()) return strikes.status();
    for (const Injection& injection : *strikes) {
      absl::StatusOr<Point> second = matrix->Strike(first.point, injection);
      if (!second.ok()) return second.status();
      auto it = ends.find(second->fingerprint);
      if (it == ends.end()) {
        absl::StatusOr<CellResult> end = matrix->Finish(*second);
        if (!end.ok()) return end.status();
        it = ends.emplace(second->fingerprint, std::move(end->violations)).first;
      }
      CellResult result{{matrix->scenario().name, {first.point.runs[0].injection, injection}}, {}, second->violations};
      result.violations.insert(result.violations.end(), it->second.begin(), it->second.end());
      report(result, first.times);
    }
  }
  return absl::OkStatus();
}

absl::Status RunSomePairs(Matrix* matrix, int count, uint64_t seed,
                          const std::function<void(const CellResult&)>& report) {
  // The standard fixes its sequence; of the distributions it does not.
  std::mt19937_64 draw(seed);
  auto firsts = matrix->Strikes(matrix->Start());
  if (!firsts.ok()) return firsts.status();
  for (int i = 0; i < count; ++i) {
    absl::StatusOr<Point> point = matrix->Strike(matrix->Start(), (*firsts)[draw() % firsts->size()]);
    if (!point.ok()) return point.status();
    auto seconds = matrix->Strikes(*point);
    if (!seconds.ok()) return seconds.status();
    absl::StatusOr<Point> second = matrix->Strike(*point, (*seconds)[draw() % seconds->size()]);
    if (!second.ok()) return second.status();
    absl::StatusOr<CellResult> result = matrix->Finish(*second);
    if (!result.ok()) return result.status();
    report(*result);
  }
  return absl::OkStatus();
}

}  // namespace st::sim
