#include "lib/execute/sim/matrix.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/execute/sim/audit.h"
#include "lib/execute/sim/expectation.h"
#include "lib/execute/sim/fingerprint.h"

namespace st::sim {

std::string CellName(const CellId& id) {
  std::string name = id.scenario;
  for (size_t i = 0; i < id.injections.size(); ++i) {
    absl::StrAppend(&name, i == 0 ? ":" : "+", id.injections[i].at, ".", FaultName(id.injections[i].fault));
  }
  return name;
}

absl::StatusOr<CellId> CellOfName(const std::string& name) {
  CellId id;
  const std::vector<std::string> halves = absl::StrSplit(name, absl::MaxSplits(':', 1));
  id.scenario = halves[0];
  if (halves.size() == 1) return id;
  for (const std::string_view text : absl::StrSplit(halves[1], '+')) {
    const std::vector<std::string> parts = absl::StrSplit(text, '.');
    Injection injection;
    if (parts.size() == 2) injection.fault = FaultOfName(parts[1]);
    if (injection.fault == Fault::kNone || !absl::SimpleAtoi(parts[0], &injection.at)) {
      return absl::InvalidArgumentError(absl::StrCat(name, " is no cell: SCENARIO:BOUNDARY.FAULT[+BOUNDARY.FAULT]"));
    }
    id.injections.push_back(injection);
  }
  return id;
}

absl::StatusOr<std::unique_ptr<Matrix>> Matrix::Make(const std::string& name, uint64_t seed, StorePlace* place) {
  absl::StatusOr<Scenario> scenario = MakeScenario(name, seed, place);
  if (!scenario.ok()) return scenario.status();
  std::unique_ptr<Matrix> matrix(new Matrix(*std::move(scenario), place));
  auto store = place->Open();
  if (!store.ok()) return store.status();
  auto history = (*store)->History(kAddress);
  if (!history.ok()) return history.status();
  matrix->entries_before_ = history->size();
  return matrix;
}

Point Matrix::Start() const { return {scenario_.state, scenario_.store, {}, {}, {}}; }

absl::StatusOr<Point> Matrix::Strike(const Point& from, Injection injection) {
  if (absl::Status status = place_->PutBack(from.store); !status.ok()) return status;
  Play play(scenario_, place_, from.state);
  play.GiveRuns(from.runs);
  absl::StatusOr<Run> run = play.Drive(injection);
  if (!run.ok()) return run.status();
  absl::StatusOr<std::string> kept = place_->Keep();
  if (!kept.ok()) return kept.status();
  CellResult audited = Audit(play, /*settled=*/false);
  std::string fingerprint = Fingerprint(play.state(), play.left());
  for (const Run& past : audited.runs) {
    if (past.effect) absl::StrAppend(&fingerprint, " ", FaultName(past.injection.fault));
  }
  return Point{play.state(), *std::move(kept), std::move(audited.runs), std::move(audited.violations),
               std::move(fingerprint)};
}

absl::StatusOr<std::vector<Injection>> Matrix::Strikes(const Point& from) {
  absl::StatusOr<Point> recorded = Strike(from, {});
  if (!recorded.ok()) return recorded.status();
  std::vector<Injection> strikes;
  const std::vector<Boundary>& trace = recorded->runs.back().trace;
  for (size_t i = 0; i < trace.size(); ++i) {
    for (const Fault fault : kFaults) {
      if (CanStrike(fault, trace[i].kind)) strikes.push_back({static_cast<int>(i) + 1, fault});
    }
  }
  return strikes;
}

CellResult Matrix::Audit(const Play& play, bool settled) const {
  CellResult result;
  result.id.scenario = scenario_.name;
  Evidence evidence{&scenario_, &play.state(), play.left().store_id, play.history(), entries_before_, {}};
  for (const Run& run : play.runs()) {
    if (run.injection.fault != Fault::kNone) result.id.injections.push_back(run.injection);
    if (run.mode == Run::Mode::kResume) evidence.resumes.push_back(run.actor);
    for (const Run& other : run.others) {
      if (other.mode == Run::Mode::kResume) evidence.resumes.push_back(other.actor);
    }
  }
  result.violations = Violations(evidence);
  for (std::string& surprise : Surprises(play.runs(), settled)) result.violations.push_back(std::move(surprise));
  result.runs = play.runs();
  return result;
}

absl::StatusOr<CellResult> Matrix::Finish(const Point& from) {
  if (absl::Status status = place_->PutBack(from.store); !status.ok()) return status;
  Play play(scenario_, place_, from.state);
  play.GiveRuns(from.runs);
  const absl::Status settled = play.Settle();
  if (!settled.ok() && !absl::IsInternal(settled)) return settled;
  CellResult result = Audit(play, /*settled=*/true);
  if (!settled.ok()) result.violations.emplace_back(settled.message());
  return result;
}

absl::StatusOr<CellResult> Matrix::RunCell(const CellId& id) {
  absl::StatusOr<Point> point(Start());
  for (const Injection& injection : id.injections) {
    if (!point.ok()) break;
    point = Strike(*point, injection);
  }
  if (!point.ok()) return point.status();
  return Finish(*point);
}

}  // namespace st::sim
