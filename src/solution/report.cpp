#include <fmt/format.h>

#include <algorithm>

#include "chaosgrad/solution.h"
#include "solution/labels.h"
#include "solution/number_text.h"

namespace chaosgrad {
using namespace internal;
namespace {

constexpr Index most_components = 12;

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.3g}", *value) : "unknown";
}

std::string bound_text(const Solution& solution) {
  if (solution.error.bound) {
    return fmt::format("{:.3g} with confidence {}", *solution.error.bound,
                       solution.error.confidence);
  }
  return solution.constants.mu.given ? "none: the run ended before it was measured"
                                     : "none: strong_convexity is not given";
}

std::string error_text(const Solution& solution) {
  const ErrorEstimate& error = solution.error;
  std::string text = fmt::format("  error estimate {} (basis {}, sampling {}, optimisation {})\n",
                                 number(error.estimate), number(error.basis),
                                 number(error.sampling), number(error.optimisation));
  text += fmt::format("  bound {}\n", bound_text(solution));
  if (solution.unseen) {
    text += fmt::format("  a feature of probability below {:.2g} % may be unseen\n",
                        100 * *solution.unseen);
  }
  if (solution.true_error) text += fmt::format("  true error {:.3g}\n", *solution.true_error);
  if (solution.fits && solution.fits->projection_error) {
    text += fmt::format("  true error of the two fits: least squares {:.3g}, projection {:.3g}\n",
                        *solution.fits->least_squares_error, *solution.fits->projection_error);
  }
  return text;
}

std::string component_table(const Solution& solution, const Labels& labels) {
  const Vector means = mean(solution), deviations = sd(solution);
  const ErrorEstimate& error = solution.error;
  const auto bar = [&](Index i) {
    return error.components.size() == means.size() ? error.components(i)
                                                   : error.estimate.value_or(infinity);
  };
  const SobolIndices indices = sobol(solution);
  std::string text =
      fmt::format("\n  {:<16} {:>12} {:>12}   total Sobol' index of", "", "mean", "sd");
  for (const std::string& name : labels.parameters) text += fmt::format(" {:>8}", name);
  text += "\n";
  const Index shown = std::min(means.size(), most_components);
  for (Index i = 0; i < shown; ++i) {
    text += fmt::format("  {:<16} {:>12} {:>12}   {:>21}",
                        labels.variables[static_cast<std::size_t>(i)], rounded(means(i), bar(i)),
                        rounded(deviations(i), bar(i)), "");
    for (const double index : indices.total.row(i)) text += fmt::format(" {:>8.3f}", index);
    text += "\n";
  }
  if (shown < means.size())
    text += fmt::format("  … and {} more components\n", means.size() - shown);
  return text;
}

}  // namespace

std::string report(const Solution& solution, Detail detail, const Labels& given) {
  const Labels labels = completed(given, solution.expansion);
  std::string text = labels.title.empty() ? "" : labels.title + "\n";
  text += fmt::format("{}: {}\n", to_string(solution.status), solution.message);
  if (detail == Detail::brief) return text;
  const ProblemConstants& constants = solution.constants;
  text += fmt::format("  method {}, {} iterations, m = {}, {} gradients{}, {:.3g} s\n",
                      to_string(solution.options.method), solution.history.size(),
                      solution.expansion.coefficients().rows(), solution.gradients,
                      solution.diagnostic_gradients > 0
                          ? fmt::format(" and {} for tests", solution.diagnostic_gradients)
                          : "",
                      solution.seconds);
  text += fmt::format("  mu = {:.4g} ({}), L = {:.4g} ({}), kappa = {:.4g}\n", constants.mu.value,
                      constants.mu.given ? "given" : "estimated", constants.L.value,
                      constants.L.given ? "given" : "estimated", constants.kappa());
  if (solution.ok()) text += error_text(solution) + component_table(solution, labels);
  for (const std::string& note : solution.notes) text += fmt::format("  note: {}\n", note);
  return text;
}

}  // namespace chaosgrad
