// Cells of one scenario: every fault at every boundary of a run, and after it every fault at every boundary of the
// resume. Boundaries are those of a run that was recorded, never a list. Test-only.
#ifndef ST_LIB_EXECUTE_SIM_MATRIX_H_
#define ST_LIB_EXECUTE_SIM_MATRIX_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/execute/sim/play.h"
#include "lib/execute/sim/scenario.h"
#include "lib/execute/sim/store_place.h"

namespace st::sim {

// `<scenario>:<boundary>.<fault>`, and `+<boundary>.<fault>` for the second.
struct CellId {
  std::string scenario;
  std::vector<Injection> injections;
};
std::string CellName(const CellId& id);
absl::StatusOr<CellId> CellOfName(const std::string& name);

struct CellResult {
  CellId id;
  std::vector<Run> runs;
  std::vector<std::string> violations;  // empty: passed
};

// A world and a store after some runs.
struct Point {
  State state;
  std::string store;
  std::vector<Run> runs;
  std::vector<std::string> violations;  // so far
  // Equal for points from which everything goes on in the same way: the world and the log without operation ids and
  // times of day, and what others did so far that may stand in the way.
  std::string fingerprint;
};

class Matrix {
 public:
  // Deploys the scenario's beginning.
  static absl::StatusOr<std::unique_ptr<Matrix>> Make(const std::string& scenario, uint64_t seed, StorePlace* place);

  const Scenario& scenario() const { return scenario_; }
  // Where a cell begins.
  Point Start() const;
  // One run from `from`, with a fault in it.
  absl::StatusOr<Point> Strike(const Point& from, Injection injection);
  // All boundaries of a run from `from` without faults, each with each fault.
  absl::StatusOr<std::vector<Injection>> Strikes(const Point& from);
  // To the end without faults, and the audit of it all.
  absl::StatusOr<CellResult> Finish(const Point& from);
  // All of it, from the start.
  absl::StatusOr<CellResult> RunCell(const CellId& id);

 private:
  Matrix(Scenario scenario, StorePlace* place) : scenario_(std::move(scenario)), place_(place) {}
  CellResult Audit(const Play& play, bool settled) const;

  Scenario scenario_;
  StorePlace* place_;
  size_t entries_before_ = 0;
};

}  // namespace st::sim

#endif  // ST_LIB_EXECUTE_SIM_MATRIX_H_
