#include "io/run_statistics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "io/json_numbers.h"
#include "io/problem_file/read_distribution.h"
#include "io/problem_file/toml_document.h"

namespace chaosgrad::internal {
namespace {

Json estimate(const Estimate& found) {
  return {{"value", number(found.value)}, {"error", number(found.error)}};
}

Json per_parameter(const std::vector<std::string>& parameters,
                   const std::vector<Estimate>& estimates) {
  Json object = Json::object();
  for (std::size_t k = 0; k < estimates.size(); ++k) object[parameters[k]] = estimate(estimates[k]);
  return object;
}

Json output_json(const OutputStatistics& output, const Statistics& statistics,
                 const std::vector<std::string>& parameters) {
  Json quantiles = Json::array(), pairwise = Json::array();
  for (std::size_t l = 0; l < output.quantiles.size(); ++l) {
    Json entry = estimate(output.quantiles[l]);
    entry["level"] = statistics.levels[l];
    quantiles.push_back(std::move(entry));
  }
  for (std::size_t p = 0; p < output.pairwise.size(); ++p) {
    const auto& [k, l] = statistics.pairs[p];
    Json entry = estimate(output.pairwise[p]);
    entry["parameters"] = {parameters[static_cast<std::size_t>(k)],
                           parameters[static_cast<std::size_t>(l)]};
    pairwise.push_back(std::move(entry));
  }
  return {{"mean", estimate(output.mean)},
          {"sd", estimate(output.sd)},
          {"skewness", estimate(output.skewness)},
          {"excess_kurtosis", estimate(output.excess_kurtosis)},
          {"quantiles", std::move(quantiles)},
          {"density",
           {{"edges", numbers(output.histogram.edges)},
            {"value", numbers(output.histogram.density)},
            {"error", numbers(output.histogram.error)}}},
          {"correlation", per_parameter(parameters, output.correlation)},
          {"sensitivity", per_parameter(parameters, output.slope)},
          {"sobol",
           {{"main", per_parameter(parameters, output.main)},
            {"total", per_parameter(parameters, output.total)},
            {"pairwise", std::move(pairwise)}}}};
}

}  // namespace

StatisticsOptions statistics_options(const Solution& solution) {
  StatisticsOptions options;
  options.seed = solution.options.seed;
  options.threads = solution.options.threads;
  return options;
}

Measure reweighted_measure(const Record& record, const std::vector<std::string>& assignments) {
  ProblemSource source{.name = "--reweight",
                       .directory = {},
                       .text = fmt::format("{}\n", fmt::join(assignments, "\n")),
                       .overrides = {},
                       .files = {}};
  TomlDocument document(source);
  const std::vector<std::string>& names = record.labels.parameters;
  document.require_keys(document.root(), "the parameters of the run", names);
  DataFiles files(source);
  ConstantScope constants;
  const Measure& measure = record.solution.expansion.measure();
  std::vector<Distribution> marginals = measure.marginals();
  for (const TomlDocument::Entry& entry : document.entries(document.root())) {
    const auto k = std::find(names.begin(), names.end(), entry.key) - names.begin();
    marginals[static_cast<std::size_t>(k)] = read_distribution(
        document, document.table(*entry.value, entry.key), entry.key, {}, constants, files);
  }
  return measure.is_dependent() ? Measure(std::move(marginals), *measure.correlation())
                                : Measure(std::move(marginals));
}

std::string statistics_json(const Record& record, const Statistics& statistics,
                            const std::vector<std::string>& names, double confidence) {
  const std::vector<std::string>& variables = record.labels.variables;
  const std::vector<std::string>& parameters = record.labels.parameters;
  Json json = {{"confidence", confidence},
               {"parameters", parameters},
               {"sobol_refers_to",
                record.solution.expansion.measure().is_dependent() ? "germs" : "parameters"},
               {"reweighting", nullptr},
               {"variables", Json::object()},
               {"quantities", Json::object()}};
  if (statistics.reweighting) {
    json["reweighting"] = {{"error_factor", number(statistics.reweighting->error_factor)},
                           {"effective_share", number(statistics.reweighting->effective_share)}};
  }
  std::vector<std::string> all = variables;
  all.insert(all.end(), names.begin(), names.end());
  for (std::size_t j = 0; j < all.size(); ++j) {
    json[j < variables.size() ? "variables" : "quantities"][all[j]] =
        output_json(statistics.outputs[j], statistics, parameters);
  }
  json["covariance"] = {{"names", all},
                        {"value", rows(statistics.covariance)},
                        {"error", rows(statistics.covariance_error)}};
  return json.dump(2);
}

}  // namespace chaosgrad::internal
