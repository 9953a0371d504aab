// Bars with their spread, as an SVG picture without script: readable on light and dark pages, and as text.
#ifndef ST_E2E_BENCH_CHART_H_
#define ST_E2E_BENCH_CHART_H_

#include <string>
#include <vector>

#include "e2e/bench/figures.h"

namespace st::e2e::bench {

struct Bar {
  std::string label = {};
  Spread value = {};
  std::string text = {};  // beside the bar
  bool is_ours = false;
};

struct Panel {
  std::string title = {};
  std::vector<Bar> bars = {};
};

// Panels below each other.
std::string DrawChart(const std::string& title, const std::vector<Panel>& panels);

}  // namespace st::e2e::bench

#endif  // ST_E2E_BENCH_CHART_H_
