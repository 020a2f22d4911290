#include "report/expansion_data.h"

#include <cmath>

namespace chaosgrad::internal {
namespace {

Json with_error(const Estimate& estimate) {
  return {number(estimate.value), number(estimate.error)};
}

std::string packed_vector(const Vector& values) {
  return packed(std::vector<double>(values.begin(), values.end()));
}

Json histogram_data(const Histogram& histogram) {
  if (histogram.density.size() == 0) return nullptr;
  return {{"edges", packed_vector(histogram.edges)}, {"density", packed_vector(histogram.density)}};
}

Json errors_of(const std::vector<Estimate>& estimates) {
  Json errors = Json::array();
  for (const Estimate& estimate : estimates) errors.push_back(with_error(estimate)[1]);
  return errors;
}

// Of the first outputs; null where one is constant.
Json correlations(const Matrix& covariance, Index count) {
  Json rows = Json::array();
  for (Index i = 0; i < count; ++i) {
    Json row = Json::array();
    for (Index j = 0; j < count; ++j)
      row.push_back(number(covariance(i, j) / std::sqrt(covariance(i, i) * covariance(j, j))));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Json distribution_data(const Record& record, const Digest& digest) {
  const Statistics& found = digest.statistics;
  std::vector<std::string> names = record.labels.variables;
  const std::size_t components = names.size();
  names.insert(names.end(), digest.quantities.begin(), digest.quantities.end());
  Json outputs = Json::array(), main_errors = Json::array(), total_errors = Json::array();
  for (std::size_t i = 0; i < found.outputs.size(); ++i) {
    const OutputStatistics& output = found.outputs[i];
    if (i < components) {
      main_errors.push_back(errors_of(output.main));
      total_errors.push_back(errors_of(output.total));
      if (static_cast<Index>(i) >= digest.sampled) continue;
    }
    Json quantiles = Json::array();
    for (const Estimate& quantile : output.quantiles) quantiles.push_back(with_error(quantile));
    outputs.push_back({{"name", names[i]},
                       {"mean", with_error(output.mean)},
                       {"sd", with_error(output.sd)},
                       {"quantiles", std::move(quantiles)},
                       {"histogram", histogram_data(output.histogram)}});
  }
  Json data = {
      {"levels", found.levels},
      {"confidence", record.solution.error.confidence},
      {"components", digest.sampled},
      {"outputs", std::move(outputs)},
      {"sobol_errors", {{"main", std::move(main_errors)}, {"total", std::move(total_errors)}}}};
  // Those of a constrained x do not follow from coefficients.
  if (record.solution.expansion.lift())
    data["correlations"] = correlations(found.covariance, static_cast<Index>(components));
  return data;
}

}  // namespace chaosgrad::internal
