#include "io/summary.h"

#include <algorithm>
#include <cmath>

#include "chaosgrad/chaosgrad.h"
#include "chaosgrad/statistics.h"
#include "io/constraint_json.h"
#include "io/json_numbers.h"

namespace chaosgrad::internal {
namespace {

const char* source(const Constant& constant) { return constant.given ? "given" : "estimated"; }

Json curvature(const Constant& constant) {
  return is_known(constant) ? number(constant.value) : Json(nullptr);
}

// What takes samples.
struct SampledPart {
  Json mean_error, sd_error, components;
  Json quantities = Json::object();
};

SampledPart sampled_part(const Record& record, const Digest& digest) {
  SampledPart part;
  if (digest.statistics.outputs.empty()) return part;
  // The largest bar of the components holds for each of them.
  const std::vector<OutputStatistics>& outputs = digest.statistics.outputs;
  const std::size_t q = record.labels.variables.size();
  double mean_error = 0, sd_error = 0;
  for (std::size_t i = 0; i < q; ++i) {
    mean_error = std::max(mean_error, outputs[i].mean.error);
    sd_error = std::max(sd_error, outputs[i].sd.error);
  }
  part.mean_error = number(mean_error);
  part.sd_error = number(sd_error);
  part.components = digest.sampled;
  const std::vector<std::string>& own = record.labels.quantities;
  for (std::size_t j = q; j < outputs.size(); ++j) {
    const std::string& name = digest.quantities[j - q];
    if (std::find(own.begin(), own.end(), name) == own.end()) continue;  // the objective
    const OutputStatistics& output = outputs[j];
    part.quantities[name] = {{"mean", number(output.mean.value)},
                             {"sd", number(output.sd.value)},
                             {"error", number(output.mean.error)},
                             {"sd_error", number(output.sd.error)}};
  }
  return part;
}

// How E_v was taken; runs of older programs do not tell.
Json noise_treatment(const Solution& solution) {
  const auto found = solution.state.texts.find("noise");
  return found == solution.state.texts.end() ? Json(nullptr) : Json(found->second);
}

// Of the components: exact, or where x is constrained from the samples of the digest.
struct Moments {
  Vector mean, sd;
  SobolIndices indices;
};

Moments moments(const Solution& solution, const std::vector<OutputStatistics>& sampled) {
  if (!solution.expansion.lift()) return {mean(solution), sd(solution), sobol(solution)};
  const Index q = solution.expansion.coefficients().cols(),
              d = solution.expansion.measure().dimension();
  const double unknown = std::nan("");
  Moments result{Vector::Constant(q, unknown),
                 Vector::Constant(q, unknown),
                 {Matrix::Constant(q, d, unknown), Matrix::Constant(q, d, unknown)}};
  if (sampled.empty()) return result;
  for (Index i = 0; i < q; ++i) {
    const OutputStatistics& x = sampled[static_cast<std::size_t>(i)];
    result.mean(i) = x.mean.value;
    result.sd(i) = x.sd.value;
    for (Index k = 0; k < d; ++k) {
      result.indices.main(i, k) = x.main[static_cast<std::size_t>(k)].value;
      result.indices.total(i, k) = x.total[static_cast<std::size_t>(k)].value;
    }
  }
  return result;
}

std::string summary(const ShownRecord& shown, const SampledPart& part, const Digest& digest) {
  const Record& record = shown.record();
  const Solution& solution = record.solution;
  const ProblemConstants& constants = solution.constants;
  const Moments x = moments(solution, digest.statistics.outputs);
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
      {"seconds_total", number(solution.seconds + record.seconds_around)},
      {"condition",
       {{"mu", curvature(constants.mu)},
        {"L", curvature(constants.L)},
        {"kappa", number(constants.kappa())},
        {"mu_source", source(constants.mu)},
        {"L_source", source(constants.L)},
        {"V", number(constants.V.value)},
        {"VG", number(constants.VG.value)}}},
      {"variables", record.labels.variables},
      {"parameters", record.labels.parameters},
      {"mean", numbers(x.mean)},
      {"sd", numbers(x.sd)},
      {"mean_error", part.mean_error},
      {"sd_error", part.sd_error},
      {"quantities", part.quantities},
      {"sobol", {{"main", rows(x.indices.main)}, {"total", rows(x.indices.total)}}},
  };
  if (solution.fits) {
    json["fits"] = {{"least_squares", {{"true_error", number(solution.fits->least_squares_error)}}},
                    {"projection", {{"true_error", number(solution.fits->projection_error)}}}};
  }
  if (solution.error.components.size() > 0)
    json["component_errors"] = numbers(solution.error.components);
  if (solution.expansion.lift()) add_constraints(digest.constraints, json);
  json["diagnostic_gradients"] = solution.diagnostic_gradients;
  json["hessian_evaluations"] = solution.hessians;
  json["unseen"] = number(solution.unseen);
  json["skipped"] = {{"points", solution.skipped},
                     {"share", number(solution.skipped_share)},
                     {"together", solution.skipped_together}};
  json["noise"] = noise_treatment(solution);
  json["sampled_components"] = part.components;
  // Of a large x some components are shown, those of "variables"; the store has all.
  json["components"] = shown.whole().solution.expansion.coefficients().cols();
  json["notes"] = notes_of(record, digest);
  json["title"] = record.labels.title;
  json["seed"] = solution.options.seed;
  json["version"] = version();
  return json.dump(2);
}

}  // namespace

std::string full_summary(const Record& whole, const Digest& digest) {
  const ShownRecord shown(whole, digest.components);
  return summary(shown, sampled_part(shown.record(), digest), digest);
}

std::string brief_summary(const Record& record) { return summary(ShownRecord(record), {}, {}); }

}  // namespace chaosgrad::internal
