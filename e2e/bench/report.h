// The figures as people read them: tables on standard output, entries of the journal, panels of the chart.
#ifndef ST_E2E_BENCH_REPORT_H_
#define ST_E2E_BENCH_REPORT_H_

#include <string>
#include <vector>

#include "e2e/bench/chart.h"
#include "e2e/bench/contender.h"
#include "e2e/bench/figures.h"
#include "e2e/bench/journal.h"
#include "e2e/bench/service.h"
#include "e2e/bench/workload.h"

namespace st::e2e::bench {

// `standings` by contender. Speed, CPU and memory, then st-runner's figures by those of each other one.
void ReportThroughput(Workload workload, const std::vector<Contender>& contenders,
                      const std::vector<Standing>& standings, Journal* journal);
// The same as two panels.
std::vector<Panel> PanelsOf(Workload workload, const std::vector<Contender>& contenders,
                            const std::vector<Standing>& standings);

void ReportServices(const std::vector<Service>& services, Journal* journal);

}  // namespace st::e2e::bench

#endif  // ST_E2E_BENCH_REPORT_H_
