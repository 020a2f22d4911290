#include "io/summary.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "chaosgrad/statistics.h"
#include "chaosgrad/version.h"

namespace chaosgrad {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Json numbers(const Vector& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

Json rows(const Matrix& matrix) {
  Json list = Json::array();
  for (Index i = 0; i < matrix.rows(); ++i) list.push_back(numbers(matrix.row(i).transpose()));
  return list;
}

const char* source(const Constant& constant) { return constant.given ? "given" : "estimated"; }

// Few samples: their errors are small beside that of the expansion.
Statistics summary_statistics(const ProblemFile& file, const Solution& solution) {
  const auto evaluate = [&](Block x, Block theta, Block noise, BlockOut values) {
    file.problem.quantities(x, theta, noise, values);
  };
  Quantities quantities;
  if (!is_failure(solution.run.status)) {
    quantities = {.count = static_cast<Index>(file.problem.quantity_names().size()),
                  .noise_dimension = file.problem.noise_dimension(),
                  .evaluate = evaluate};
  }
  return statistics(solution.expansion, accuracy(solution), quantities,
                    {.samples = 16384,
                     .indices = false,
                     .seed = file.options.seed,
                     .threads = file.options.threads});
}

// The largest bar of the components: it holds for each of them.
Json largest_error(const Statistics& statistics, const Solution& solution,
                   Estimate OutputStatistics::*of) {
  double largest = 0;
  for (Index i = 0; i < solution.expansion.coefficients().cols(); ++i)
    largest = std::max(largest, (statistics.outputs[static_cast<std::size_t>(i)].*of).error);
  return number(largest);
}

Json quantities(const ProblemFile& file, const Statistics& statistics, const Solution& solution) {
  Json object = Json::object();
  const std::vector<std::string>& names = file.problem.quantity_names();
  const auto dimension = static_cast<std::size_t>(solution.expansion.coefficients().cols());
  if (statistics.outputs.size() == dimension) return object;  // the run failed
  for (std::size_t j = 0; j < names.size(); ++j) {
    const OutputStatistics& output = statistics.outputs[dimension + j];
    object[names[j]] = {{"mean", number(output.mean.value)},
                        {"sd", number(output.sd.value)},
                        {"error", number(output.mean.error)},
                        {"sd_error", number(output.sd.error)}};
  }
  return object;
}

// Error bars of the statistics, and the quantities.
struct StatisticsPart {
  Json mean_error, sd_error, quantities;
};

std::string summary(const ProblemFile& file, const Solution& solution,
                    const StatisticsPart& statistics) {
  const Run& run = solution.run;
  const ProblemConstants& constants = run.constants;
  const SobolIndices indices = sobol(solution);
  Json json = {
      {"status", to_string(run.status)},
      {"stop_reason", run.stop_reason},
      {"method", to_string(file.options.method)},
      {"error",
       {{"estimate", number(solution.error.estimate)},
        {"basis", number(solution.error.basis)},
        {"sampling", number(solution.error.sampling)},
        {"optimisation", number(solution.error.optimisation)},
        {"bound", number(solution.error.bound)},
        {"confidence", solution.error.confidence}}},
      {"true_error", number(solution.true_error)},
      {"gradient_evaluations", run.gradients},
      {"iterations", run.history.size()},
      {"basis_size", run.u.rows()},
      {"samples", run.history.empty() ? Index{0} : run.history.back().samples},
      {"seconds", number(run.seconds)},
      {"condition",
       {{"mu", number(constants.mu.value)},
        {"L", number(constants.L.value)},
        {"kappa", number(constants.kappa())},
        {"mu_source", source(constants.mu)},
        {"L_source", source(constants.L)},
        {"V", number(constants.V.value)},
        {"VG", number(constants.VG.value)}}},
      {"variables", file.problem.component_names()},
      {"parameters", file.problem.parameter_names()},
      {"mean", numbers(mean(solution))},
      {"sd", numbers(sd(solution))},
      {"mean_error", statistics.mean_error},
      {"sd_error", statistics.sd_error},
      {"quantities", statistics.quantities},
      {"sobol", {{"main", rows(indices.main)}, {"total", rows(indices.total)}}},
  };
  if (run.fits) {
    json["fits"] = {{"least_squares", {{"true_error", number(run.fits->least_squares_error)}}},
                    {"projection", {{"true_error", number(run.fits->projection_error)}}}};
  }
  if (solution.error.components.size() > 0)
    json["component_errors"] = numbers(solution.error.components);
  json["diagnostic_gradients"] = solution.diagnostic_gradients;
  json["notes"] = run.notes;
  json["title"] = file.title;
  json["seed"] = file.options.seed;
  json["version"] = version();
  return json.dump(2);
}

}  // namespace

std::string summary_json(const ProblemFile& file, const Solution& solution) {
  const Statistics found = summary_statistics(file, solution);
  return summary(file, solution,
                 {.mean_error = largest_error(found, solution, &OutputStatistics::mean),
                  .sd_error = largest_error(found, solution, &OutputStatistics::sd),
                  .quantities = quantities(file, found, solution)});
}

std::string brief_summary(const ProblemFile& file, const Solution& solution) {
  const Json error = number(solution.error.estimate);
  return summary(file, solution,
                 {.mean_error = error, .sd_error = error, .quantities = Json::object()});
}

}  // namespace chaosgrad
