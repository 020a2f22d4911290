#include "report/expansion_data.h"

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
  return {{"levels", found.levels},
          {"confidence", record.solution.error.confidence},
          {"components", digest.sampled},
          {"outputs", std::move(outputs)},
          {"sobol_errors", {{"main", std::move(main_errors)}, {"total", std::move(total_errors)}}}};
}

}  // namespace chaosgrad::internal
