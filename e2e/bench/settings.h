// What the figures depend on: machine, versions, and every setting that we choose. Printed, and kept in the journal.
#ifndef ST_E2E_BENCH_SETTINGS_H_
#define ST_E2E_BENCH_SETTINGS_H_

#include "e2e/bench/bed.h"
#include "e2e/bench/journal.h"
#include "e2e/bench/options.h"

namespace st::e2e::bench {

void PrintSettings(Bed* bed, const Options& options, Journal* journal);

}  // namespace st::e2e::bench

#endif  // ST_E2E_BENCH_SETTINGS_H_
