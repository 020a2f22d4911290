#include "io/summary.h"

#include <cmath>
#include <nlohmann/json.hpp>

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

Json quantities(const ProblemFile& file, const Solution& solution) {
  Json object = Json::object();
  const std::vector<std::string>& names = file.problem.quantity_names();
  if (names.empty() || is_failure(solution.run.status)) return object;
  const auto evaluate = [&](Block x, Block theta, Block noise, BlockOut values) {
    file.problem.quantities(x, theta, noise, values);
  };
  const std::vector<QuantityStatistics> statistics =
      quantity_statistics(solution.expansion, evaluate, static_cast<Index>(names.size()),
                          file.problem.noise_dimension(), file.options.seed);
  for (std::size_t j = 0; j < names.size(); ++j) {
    object[names[j]] = {{"mean", number(statistics[j].mean)},
                        {"sd", number(statistics[j].sd)},
                        {"error", number(statistics[j].error)}};
  }
  return object;
}

std::string summary(const ProblemFile& file, const Solution& solution, const Json& quantities) {
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
      {"mean_error", number(solution.error.estimate)},
      {"sd_error", number(solution.error.estimate)},
      {"quantities", quantities},
      {"sobol", {{"main", rows(indices.main)}, {"total", rows(indices.total)}}},
  };
  if (run.fits) {
    json["fits"] = {{"least_squares", {{"true_error", number(run.fits->least_squares_error)}}},
                    {"projection", {{"true_error", number(run.fits->projection_error)}}}};
  }
  json["diagnostic_gradients"] = solution.diagnostic_gradients;
  json["notes"] = run.notes;
  json["title"] = file.title;
  json["seed"] = file.options.seed;
  json["version"] = version();
  return json.dump(2);
}

}  // namespace

std::string summary_json(const ProblemFile& file, const Solution& solution) {
  return summary(file, solution, quantities(file, solution));
}

std::string brief_summary(const ProblemFile& file, const Solution& solution) {
  return summary(file, solution, Json::object());
}

}  // namespace chaosgrad
