// Who is measured, and how each is started on an input and an output topic.
#ifndef ST_E2E_BENCH_CONTENDER_H_
#define ST_E2E_BENCH_CONTENDER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "e2e/bench/filled_topic.h"
#include "e2e/bench/java_program.h"
#include "e2e/bench/ladder.h"
#include "e2e/bench/process.h"
#include "e2e/bench/workload.h"
#include "e2e/runner/cluster.h"
#include "e2e/runner/runner_process.h"

namespace st::e2e::bench {

struct Contender {
  enum class Kind { kRung, kRunner, kJavaLoop, kStreams };

  std::string name = {};
  Kind kind = Kind::kRunner;
  Meaning meaning = Meaning::kModel;
  Rung rung = Rung::kConsume;  // of a kRung
  int threads = 1;             // of Streams
  bool tuned = true;           // of Java
  // It is also measured for latency, start and idling.
  bool is_service = false;
};

// All, from the lowest rung to the peers.
const std::vector<Contender>& Contenders();

struct Place {
  Workload workload = Workload::kNarrow;
  std::string group = {};
  std::string input = {};
  std::string output = {};
};

// A contender at work.
struct Running {
  std::unique_ptr<Model> model;  // of the runner; its files go with it
  std::unique_ptr<Process> process;
};

class Launcher {
 public:
  // What it makes is in `folder`, which outlives it. `hurried`: Java starts fast and runs slowly.
  Launcher(Cluster* cluster, std::string servers, std::string folder, bool hurried);

  // The topics exist and the group has its offsets.
  Running Start(const Contender& contender, const Place& place);
  const JavaProgram& java() const { return java_; }
  Machine MachineOf(const Contender& contender) const;

 private:
  std::vector<std::string> WordsOf(const Contender& contender, const Place& place, const Model* model) const;

  Cluster* const cluster_;
  const std::string servers_;
  const std::string folder_;
  const bool hurried_;
  const JavaProgram java_;
};

inline constexpr int64_t kCommitIntervalMs = 100;

}  // namespace st::e2e::bench

#endif  // ST_E2E_BENCH_CONTENDER_H_
