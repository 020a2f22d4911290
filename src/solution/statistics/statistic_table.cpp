#include "solution/statistics/statistic_table.h"

#include <algorithm>

namespace chaosgrad::internal {

const std::vector<StatisticEntry>& statistic_table() {
  using enum StatisticShape;
  using Output = OutputStatistics;
  static const std::vector<StatisticEntry> table = {
      {"mean",
       "",
       "mean",
       number,
       &Output::mean,
       "mean",
       {[](const OutputSample& s) { return s.shape.mean; },
        [](const OutputError& e) { return e.propagated.mean; }}},
      {"sd",
       "",
       "sd",
       number,
       &Output::sd,
       "standard deviation",
       {[](const OutputSample& s) { return s.shape.sd; },
        [](const OutputError& e) { return e.propagated.sd; },
        [](double mean) { return std::max(mean, 0.0); }}},
      {"skewness",
       "",
       "skewness",
       number,
       &Output::skewness,
       "E z³ of z = (x − mean)/sd",
       {[](const OutputSample& s) { return s.shape.third; },
        [](const OutputError& e) { return e.propagated.skewness; }}},
      {"excess_kurtosis",
       "",
       "excess kurtosis",
       number,
       &Output::excess_kurtosis,
       "E z⁴ − 3",
       {[](const OutputSample& s) { return s.shape.fourth; },
        [](const OutputError& e) { return e.propagated.kurtosis; },
        [](double mean) { return mean - 3; }}},
      {"quantiles", "", "quantiles", per_level, &Output::quantiles, "quantiles at seven levels"},
      {"density", "", "density", histogram, &Output::histogram,
       "histogram from the 0.1 % to the 99.9 % quantile"},
      {"correlation", "", "correlation", per_parameter, &Output::correlation,
       "correlation with each parameter"},
      {"sensitivity", "", "mean slope by", per_parameter, &Output::slope,
       "Cov(x, θ_k)/Var θ_k, a mean of ∂x/∂θ_k"},
      {"main", "sobol", "Sobol' main", per_parameter, &Output::main,
       "share of the variance that depends on parameter k alone"},
      {"total", "sobol", "Sobol' total", per_parameter, &Output::total,
       "share of the variance that involves parameter k"},
      {"pairwise", "sobol", "Sobol' pairs", per_pair, &Output::pairwise,
       "share of the variance that depends on two together, beyond their main shares"}};
  return table;
}

const std::vector<NumberEntry>& number_statistics() {
  static const std::vector<NumberEntry> numbers = [] {
    std::vector<NumberEntry> result;
    for (const StatisticEntry& entry : statistic_table()) {
      if (const auto* member = std::get_if<Estimate OutputStatistics::*>(&entry.member))
        result.push_back({*member, entry.sampled});
    }
    return result;
  }();
  return numbers;
}

Index number_column(Estimate OutputStatistics::*member) {
  const auto& numbers = number_statistics();
  return std::ranges::find(numbers, member, &NumberEntry::member) - numbers.begin();
}

}  // namespace chaosgrad::internal
