// `metrics.prom`: the runner's figures for node_exporter's textfile collector, in Prometheus' text format (0.0.4).
// https://prometheus.io/docs/instrumenting/exposition_formats/
#ifndef ST_RUNNER_METRICS_H_
#define ST_RUNNER_METRICS_H_

#include <string>

#include "runner/commit_times.h"

namespace st::v1 {
class RunnerStatus;
}

namespace st::runner {

// What docs/runner.md lists, each series with the application id and the generation. What is not known has no series: a
// 0 would be a lie, and no sum survives a NaN. Pure.
std::string MetricsText(const v1::RunnerStatus& status, const CommitTimes& commits);

}  // namespace st::runner

#endif  // ST_RUNNER_METRICS_H_
