#include "lib/execute/sim/matrix.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "lib/execute/sim/expectation.h"
#include "lib/execute/sim/pairs.h"
#include "lib/execute/sim/test_place.h"

namespace st::sim {
namespace {

// How to run it by hand: docs/faults.md.
struct Options {
  uint64_t seed = 1;
  std::string cell;
  bool pairs = false;  // all of them, not a sample
  int sample = 40;     // pairs of each scenario
  int part = 0;
  int parts = 1;
} options;

std::string ReplayCommand(const CellId& id) {
  return absl::StrCat("bazel run ", TestTarget(), " -- --seed=", options.seed, " --cell=", CellName(id));
}

// Counts cells, and says of those that failed how to see them again.
class Tally {
 public:
  explicit Tally(std::string what) : what_(std::move(what)) {}

  void Add(const CellResult& result, int64_t stands_for = 1) {
    ++cells_;
    stood_for_ += stands_for;
    if (result.violations.empty()) {
      ++passed_;
      return;
    }
    constexpr int kShown = 10;
    if (cells_ - passed_ > kShown) return;
    ADD_FAILURE() << CellName(result.id) << ": " << result.violations[0] << "\n  " << ReplayCommand(result.id);
  }

  void Print() const {
    std::cout << what_ << ": " << cells_ << " cells, " << passed_ << " passed, standing for " << stood_for_ << ", "
              << absl::ToInt64Milliseconds(absl::Now() - begun_) << " ms" << std::endl;
  }
  int cells() const { return cells_; }
  int passed() const { return passed_; }

 private:
  std::string what_;
  absl::Time begun_ = absl::Now();
  int cells_ = 0;
  int passed_ = 0;
  int64_t stood_for_ = 0;
};

class Faults : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    place_ = NewTestPlace();
    ASSERT_NE(place_, nullptr);
    auto matrix = Matrix::Make(GetParam(), options.seed, place_.get());
    ASSERT_TRUE(matrix.ok()) << matrix.status();
    matrix_ = *std::move(matrix);
  }

  // Of a run from the start without faults.
  std::vector<Boundary> Recorded() {
    auto point = matrix_->Strike(matrix_->Start(), {});
    return point.ok() ? point->runs[0].trace : std::vector<Boundary>();
  }

  std::unique_ptr<StorePlace> place_;
  std::unique_ptr<Matrix> matrix_;
};

// What a run crosses, by kind, in the order of Boundary::Kind. Reads are as many as the driver likes to make; what it
// changes is counted.
struct Crossings {
  int writes;
  int store_writes;
};
const std::map<std::string, Crossings> kCrossings = {
    {"create", {5, 10}},          {"update", {2, 4}},         {"stop", {1, 5}},
    {"stop_ended", {0, 5}},       {"start", {1, 5}},          {"restart", {1, 5}},
    {"replace", {4, 8}},          {"replace_killed", {3, 8}}, {"replace_stopped", {2, 7}},
    {"change", {6, 10}},          {"restore", {2, 7}},        {"restore_chosen", {2, 7}},
    {"restore_replace", {4, 10}},
};

TEST_P(Faults, NoneIsDoneAtOnce) {
  auto point = matrix_->Strike(matrix_->Start(), {});
  ASSERT_TRUE(point.ok()) << point.status();
  EXPECT_EQ(EndOf(point->runs[0]), "DONE") << point->runs[0].reason;
  std::map<Boundary::Kind, int> met;
  for (const Boundary& boundary : point->runs[0].trace) ++met[boundary.kind];
  EXPECT_EQ(met[Boundary::Kind::kWrite], kCrossings.at(GetParam()).writes);
  EXPECT_EQ(met[Boundary::Kind::kStoreWrite], kCrossings.at(GetParam()).store_writes);
  EXPECT_EQ(met[Boundary::Kind::kAcquire], 1);
  EXPECT_EQ(met[Boundary::Kind::kStoreRead], 1);
  // Before each change outside and each write to the store, and now and then while it waits.
  EXPECT_GE(met[Boundary::Kind::kLeaseCheck], met[Boundary::Kind::kWrite] + met[Boundary::Kind::kStoreWrite]);
  EXPECT_GT(met[Boundary::Kind::kRead], 3 * met[Boundary::Kind::kWrite]);
}

TEST_P(Faults, Singles) {
  Tally tally(absl::StrCat("singles of ", GetParam()));
  auto strikes = matrix_->Strikes(matrix_->Start());
  ASSERT_TRUE(strikes.ok()) << strikes.status();
  std::set<std::string> ends;
  for (const Injection& injection : *strikes) {
    auto result = matrix_->RunCell({GetParam(), {injection}});
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_TRUE(result->runs[0].fired) << CellName(result->id);
    ends.insert(EndOf(result->runs[0]));
    tally.Add(*result);
  }
  tally.Print();
  EXPECT_EQ(tally.cells(), static_cast<int>(strikes->size()));
  EXPECT_EQ(tally.passed(), tally.cells());
  const std::vector<Boundary> trace = Recorded();
  const auto writes =
      std::count_if(trace.begin(), trace.end(), [](const Boundary& b) { return b.kind == Boundary::Kind::kWrite; });
  EXPECT_EQ(strikes->size(), trace.size() * (std::size(kFaults) - 1) + static_cast<size_t>(writes));
  for (const char* end : {"killed", "UNKNOWN", "UNREACHABLE", "BLOCKED:LOCK_LOST", "DONE", "REFUSED"}) {
    EXPECT_TRUE(ends.contains(end)) << end << " never came about";
  }
}

TEST_P(Faults, Pairs) {
  Tally tally(absl::StrCat(options.pairs ? "all pairs of " : "some pairs of ", GetParam()));
  if (options.pairs) {
    const absl::Status status =
        RunAllPairs(matrix_.get(), options.part, options.parts,
                    [&](const CellResult& result, int64_t stands_for) { tally.Add(result, stands_for); });
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_GT(tally.cells(), 0);
  } else {
    const absl::Status status =
        RunSomePairs(matrix_.get(), options.sample, options.seed, [&](const CellResult& result) { tally.Add(result); });
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(tally.cells(), options.sample);
  }
  tally.Print();
  EXPECT_EQ(tally.passed(), tally.cells());
}

std::string NameOf(const testing::TestParamInfo<std::string>& tested) { return tested.param; }

INSTANTIATE_TEST_SUITE_P(Scenarios, Faults, testing::ValuesIn(ScenarioNames()), NameOf);

void PrintRun(const Run& run, const std::string& indent) {
  std::cout << indent << "run " << run.actor << ", " << (run.mode == Run::Mode::kApply ? "apply" : "resume") << ", "
            << run.trace.size() << " boundaries";
  if (run.fired) {
    std::cout << "; " << FaultName(run.injection.fault) << " at " << run.injection.at << " (" << run.struck.name << ")"
              << (run.effect ? ", with effect" : "");
  }
  std::cout << "\n" << indent << "  " << EndOf(run) << " " << run.reason << "\n";
  for (const Run& other : run.others) PrintRun(other, indent + "  ");
}

// One cell, told in full. True: it passed.
bool Replay() {
  auto id = CellOfName(options.cell);
  if (!id.ok()) {
    std::cerr << id.status().message() << "\n";
    return false;
  }
  auto place = NewTestPlace();
  if (place == nullptr) return false;
  auto matrix = Matrix::Make(id->scenario, options.seed, place.get());
  auto result = matrix.ok() ? (*matrix)->RunCell(*id) : absl::StatusOr<CellResult>(matrix.status());
  if (!result.ok()) {
    std::cerr << result.status() << "\n";
    return false;
  }
  for (const Run& run : result->runs) PrintRun(run, "");
  if (!result->runs.empty()) {
    std::cout << "boundaries of run 1:\n";
    for (size_t i = 0; i < result->runs[0].trace.size(); ++i) {
      std::cout << "  " << i + 1 << " " << result->runs[0].trace[i].name << "\n";
    }
  }
  for (const std::string& violation : result->violations) std::cout << "VIOLATION " << violation << "\n";
  return result->violations.empty();
}

bool ParsePart(std::string_view text) {
  const std::vector<std::string> halves = absl::StrSplit(text, '/');
  return halves.size() == 2 && absl::SimpleAtoi(halves[0], &options.part) &&
         absl::SimpleAtoi(halves[1], &options.parts) && options.part >= 0 && options.part < options.parts;
}

bool ParseFlag(std::string_view flag) {
  if (flag == "--pairs") return options.pairs = true;
  if (absl::ConsumePrefix(&flag, "--cell=")) {
    options.cell = flag;
    return true;
  }
  if (absl::ConsumePrefix(&flag, "--seed=")) return absl::SimpleAtoi(flag, &options.seed);
  if (absl::ConsumePrefix(&flag, "--sample=")) return absl::SimpleAtoi(flag, &options.sample);
  return absl::ConsumePrefix(&flag, "--part=") && ParsePart(flag);
}

bool ParseFlags(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (ParseFlag(argv[i])) continue;
    std::cerr << argv[i] << ": not one of --seed=N --cell=ID --pairs --part=I/N --sample=N\n";
    return false;
  }
  return true;
}

}  // namespace
}  // namespace st::sim

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!st::sim::ParseFlags(argc, argv)) return 2;
  if (!st::sim::options.cell.empty()) return st::sim::Replay() ? 0 : 1;
  return RUN_ALL_TESTS();
}
