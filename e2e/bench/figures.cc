#include "e2e/bench/figures.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"

namespace st::e2e::bench {

Slope SlopeBetween(const Measured& shorter, const Measured& longer) {
  constexpr double kMillion = 1e6;
  const auto records = static_cast<double>(longer.records - shorter.records);
  return {.records_a_second = records / (longer.seconds - shorter.seconds),
          .client_cpu_a_million = (longer.client_cpu - shorter.client_cpu) / records * kMillion,
          .broker_cpu_a_million = (longer.broker_cpu - shorter.broker_cpu) / records * kMillion};
}

Spread SpreadOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {.median = median, .least = values.front(), .most = values.back()};
}

double QuantileOf(std::vector<double> values, double share) {
  const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(values.size())));
  const size_t place = std::clamp<size_t>(rank, 1, values.size()) - 1;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(place), values.end());
  return values[place];
}

Spread Standing::Of(double Slope::*figure) const {
  std::vector<double> values;
  for (const Slope& slope : slopes) values.push_back(slope.*figure);
  return SpreadOf(values);
}

Spread RatioOf(const Standing& a, const Standing& b, double Slope::*figure) {
  std::vector<double> values;
  for (size_t i = 0; i < a.slopes.size(); ++i) values.push_back(a.slopes[i].*figure / b.slopes[i].*figure);
  return SpreadOf(values);
}

std::string TextOf(const Spread& spread, int digits) {
  return absl::StrFormat("%.*f (%.*f to %.*f)", digits, spread.median, digits, spread.least, digits, spread.most);
}

}  // namespace st::e2e::bench
