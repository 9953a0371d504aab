// A model with topics and a group of its own on the shared broker, its input initialised at offset 0.
#ifndef ST_E2E_RUNNER_WORLD_H_
#define ST_E2E_RUNNER_WORLD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "e2e/runner/cluster.h"
#include "e2e/runner/plans.h"
#include "e2e/runner/runner_process.h"
#include "e2e/runner/servers.h"

namespace st::e2e {

struct World {
  World(const std::string& name, const v1::RecordPlan& plan, int in_partitions, int out_partitions,
        const Configs& out_configs = {});

  std::vector<int64_t> Committed() { return cluster.Committed(application_id, input, in); }
  std::vector<Record> Output() { return cluster.ReadCommitted(output, out); }

  Cluster cluster;
  std::string application_id, input, output;
  int in, out;
  std::unique_ptr<Model> model;
};

// "(null)" for a tombstone.
std::vector<std::string> Values(const std::vector<Record>& records);

// For Await: so many records were read in committed transactions.
std::function<bool(const v1::RunnerStatus&)> In(int64_t count);

}  // namespace st::e2e

#endif  // ST_E2E_RUNNER_WORLD_H_
