// From single measurements to figures: slopes, spreads and ratios. Pure; any thread.
#ifndef ST_E2E_BENCH_FIGURES_H_
#define ST_E2E_BENCH_FIGURES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace st::e2e::bench {

// One run over so many records.
struct Measured {
  int64_t records = 0;
  double seconds = 0;     // wall time
  double client_cpu = 0;  // seconds of all threads of the contender
  double broker_cpu = 0;  // of the broker meanwhile
  double peak_mb = 0;     // resident, of the contender
};

// What one more record costs: between two lengths, so that neither start nor warm-up nor end counts.
struct Slope {
  double records_a_second = 0;
  double client_cpu_a_million = 0;  // seconds
  double broker_cpu_a_million = 0;
};
Slope SlopeBetween(const Measured& shorter, const Measured& longer);

struct Spread {
  double median = 0;
  double least = 0;
  double most = 0;
};
// Of at least one value.
Spread SpreadOf(std::vector<double> values);
// The value below which `share` (0 to 1) of them are; of at least one.
double QuantileOf(std::vector<double> values, double share);

// One contender on one input: a slope and a peak for each block.
struct Standing {
  std::string name = {};
  std::vector<Slope> slopes = {};
  std::vector<double> peaks_mb = {};

  Spread Of(double Slope::*figure) const;
};

// `a`'s figure by `b`'s, block by block.
Spread RatioOf(const Standing& a, const Standing& b, double Slope::*figure);

// "1.83 (1.79 to 1.90)", with so many digits after the point.
std::string TextOf(const Spread& spread, int digits);

}  // namespace st::e2e::bench

#endif  // ST_E2E_BENCH_FIGURES_H_
