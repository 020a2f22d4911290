#include "io/run_statistics.h"
#include "report/expansion_data.h"

namespace chaosgrad::internal {
namespace {

Json with_error(const Estimate& estimate) { return {estimate.value, number(estimate.error)}; }

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

Json distribution_data(const Record& record) {
  const NamedQuantities quantities = named_quantities(record);
  StatisticsOptions options = statistics_options(record.solution);
  options.bins = 60;
  options.indices = false;
  const Statistics found = statistics(record.solution, quantities.functions, options);
  std::vector<std::string> names = record.labels.variables;
  const std::size_t components = names.size();
  names.insert(names.end(), quantities.names.begin(), quantities.names.end());
  Json outputs = Json::array(), main_errors = Json::array(), total_errors = Json::array();
  for (std::size_t i = 0; i < found.outputs.size(); ++i) {
    const OutputStatistics& output = found.outputs[i];
    Json quantiles = Json::array();
    for (const Estimate& quantile : output.quantiles) quantiles.push_back(with_error(quantile));
    outputs.push_back({{"name", names[i]},
                       {"mean", with_error(output.mean)},
                       {"sd", with_error(output.sd)},
                       {"quantiles", std::move(quantiles)},
                       {"histogram", histogram_data(output.histogram)}});
    if (i >= components) continue;
    main_errors.push_back(errors_of(output.main));
    total_errors.push_back(errors_of(output.total));
  }
  return {{"levels", found.levels},
          {"confidence", record.solution.error.confidence},
          {"outputs", std::move(outputs)},
          {"sobol_errors", {{"main", std::move(main_errors)}, {"total", std::move(total_errors)}}}};
}

}  // namespace chaosgrad::internal
