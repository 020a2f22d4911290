#include "io/summary.h"

#include <algorithm>
#include <cmath>

#include "chaosgrad/statistics.h"
#include "chaosgrad/chaosgrad.h"
#include "io/json_numbers.h"

namespace chaosgrad::internal {
namespace {

const char* source(const Constant& constant) { return constant.given ? "given" : "estimated"; }

// What takes samples.
struct SampledPart {
  Json mean_error, sd_error;
  Json quantities = Json::object();
};

SampledPart sampled_part(const ProblemFile& file, const Solution& solution) {
  const std::vector<std::string>& names = file.problem.quantity_names();
  Quantities quantities;
  if (!is_failure(solution.run.status)) {
    quantities = {.count = static_cast<Index>(names.size()),
                  .noise_dimension = file.problem.noise_dimension(),
                  .evaluate = [&](Block x, Block theta, Block noise, BlockOut values) {
                    file.problem.quantities(x, theta, noise, values);
                  }};
  }
  const Statistics found = statistics(solution.expansion, accuracy(solution), quantities,
                                      {.samples = 16384,
                                       .indices = false,
                                       .seed = file.options.seed,
                                       .threads = file.options.threads});
  // The largest bar of the components holds for each of them.
  const auto q = static_cast<std::size_t>(solution.expansion.coefficients().cols());
  double mean_error = 0, sd_error = 0;
  for (std::size_t i = 0; i < q; ++i) {
    mean_error = std::max(mean_error, found.outputs[i].mean.error);
    sd_error = std::max(sd_error, found.outputs[i].sd.error);
  }
  SampledPart part{.mean_error = number(mean_error), .sd_error = number(sd_error)};
  for (std::size_t j = q; j < found.outputs.size(); ++j) {
    const OutputStatistics& output = found.outputs[j];
    part.quantities[names[j - q]] = {{"mean", number(output.mean.value)},
                                     {"sd", number(output.sd.value)},
                                     {"error", number(output.mean.error)},
                                     {"sd_error", number(output.sd.error)}};
  }
  return part;
}

std::string summary(const ProblemFile& file, const Solution& solution, const SampledPart& part) {
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
      {"mean_error", part.mean_error},
      {"sd_error", part.sd_error},
      {"quantities", part.quantities},
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
  return summary(file, solution, sampled_part(file, solution));
}

std::string brief_summary(const ProblemFile& file, const Solution& solution) {
  return summary(file, solution, {});
}

}  // namespace chaosgrad::internal
