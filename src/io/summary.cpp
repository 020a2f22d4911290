#include "io/summary.h"

#include <algorithm>
#include <cmath>

#include "chaosgrad/chaosgrad.h"
#include "chaosgrad/statistics.h"
#include "io/json_numbers.h"

namespace chaosgrad::internal {
namespace {

const char* source(const Constant& constant) { return constant.given ? "given" : "estimated"; }

// What takes samples.
struct SampledPart {
  Json mean_error, sd_error;
  Json quantities = Json::object();
};

SampledPart sampled_part(const Record& record) {
  const Solution& solution = record.solution;
  const std::vector<std::string>& names = record.labels.quantities;
  const Statistics found = statistics(solution, solution.ok() ? record.quantities : Quantities{},
                                      {.samples = 16384,
                                       .indices = false,
                                       .seed = solution.options.seed,
                                       .threads = solution.options.threads});
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

std::string summary(const Record& record, const SampledPart& part) {
  const Solution& solution = record.solution;
  const ProblemConstants& constants = solution.constants;
  const SobolIndices indices = sobol(solution);
  Json json = {
      {"status", to_string(solution.status)},
      {"stop_reason", solution.message},
      {"method", to_string(solution.options.method)},
      {"error",
       {{"estimate", number(solution.error.estimate)},
        {"basis", number(solution.error.basis)},
        {"sampling", number(solution.error.sampling)},
        {"optimisation", number(solution.error.optimisation)},
        {"bound", number(solution.error.bound)},
        {"confidence", solution.error.confidence}}},
      {"true_error", number(solution.true_error)},
      {"gradient_evaluations", solution.gradients},
      {"iterations", solution.history.size()},
      {"basis_size", solution.expansion.coefficients().rows()},
      {"samples", solution.history.empty() ? Index{0} : solution.history.back().samples},
      {"seconds", number(solution.seconds)},
      {"condition",
       {{"mu", number(constants.mu.value)},
        {"L", number(constants.L.value)},
        {"kappa", number(constants.kappa())},
        {"mu_source", source(constants.mu)},
        {"L_source", source(constants.L)},
        {"V", number(constants.V.value)},
        {"VG", number(constants.VG.value)}}},
      {"variables", record.labels.variables},
      {"parameters", record.labels.parameters},
      {"mean", numbers(mean(solution))},
      {"sd", numbers(sd(solution))},
      {"mean_error", part.mean_error},
      {"sd_error", part.sd_error},
      {"quantities", part.quantities},
      {"sobol", {{"main", rows(indices.main)}, {"total", rows(indices.total)}}},
  };
  if (solution.fits) {
    json["fits"] = {{"least_squares", {{"true_error", number(solution.fits->least_squares_error)}}},
                    {"projection", {{"true_error", number(solution.fits->projection_error)}}}};
  }
  if (solution.error.components.size() > 0)
    json["component_errors"] = numbers(solution.error.components);
  json["diagnostic_gradients"] = solution.diagnostic_gradients;
  json["unseen"] = number(solution.unseen);
  json["notes"] = solution.notes;
  json["title"] = record.labels.title;
  json["seed"] = solution.options.seed;
  json["version"] = version();
  return json.dump(2);
}

}  // namespace

std::string full_summary(const Record& record) { return summary(record, sampled_part(record)); }

std::string brief_summary(const Record& record) { return summary(record, {}); }

}  // namespace chaosgrad::internal
