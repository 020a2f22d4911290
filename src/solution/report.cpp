#include <fmt/format.h>

#include <algorithm>

#include "chaosgrad/statistics.h"
#include "solution/labels.h"
#include "solution/number_text.h"
#include "solution/statistics/coefficients.h"

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
  if (solution.skipped > 0) {
    text += fmt::format("  {} theta ({:.2g} %) were skipped: the gradient failed there{}\n",
                        solution.skipped, 100 * solution.skipped_share,
                        solution.skipped_together ? "; they lie together" : "");
  }
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

// Mean, sd and Sobol' indices of the components, with the bars that tell how many digits count.
struct ComponentNumbers {
  Vector mean, sd, mean_bar, sd_bar;
  Matrix total;  // q×d
};

ComponentNumbers exact_numbers(const Solution& solution) {
  ComponentNumbers x{mean(solution), sd(solution), {}, {}, sobol(solution).total};
  const ErrorEstimate& error = solution.error;
  x.mean_bar = error.components.size() == x.mean.size()
                   ? error.components
                   : Vector::Constant(x.mean.size(), error.estimate.value_or(infinity));
  x.sd_bar = x.mean_bar;
  return x;
}

ComponentNumbers sampled_numbers(const Solution& solution) {
  const std::vector<OutputStatistics> found =
      sampled_moments(solution.expansion, accuracy(solution), true);
  const auto q = static_cast<Index>(found.size());
  const Index d = solution.expansion.measure().dimension();
  ComponentNumbers x{Vector(q), Vector(q), Vector(q), Vector(q), Matrix(q, d)};
  for (Index i = 0; i < q; ++i) {
    const OutputStatistics& one = found[static_cast<std::size_t>(i)];
    x.mean(i) = one.mean.value;
    x.mean_bar(i) = one.mean.error;
    x.sd(i) = one.sd.value;
    x.sd_bar(i) = one.sd.error;
    for (Index k = 0; k < d; ++k) x.total(i, k) = one.total[static_cast<std::size_t>(k)].value;
  }
  return x;
}

std::string component_table(const Solution& solution, const Labels& labels) {
  const ComponentNumbers x =
      solution.expansion.lift() ? sampled_numbers(solution) : exact_numbers(solution);
  std::string text =
      fmt::format("\n  {:<16} {:>12} {:>12}   total Sobol' index of", "", "mean", "sd");
  for (const std::string& name : labels.parameters) text += fmt::format(" {:>8}", name);
  text += "\n";
  const Index shown = std::min(x.mean.size(), most_components);
  for (Index i = 0; i < shown; ++i) {
    text += fmt::format("  {:<16} {:>12} {:>12}   {:>21}",
                        labels.variables[static_cast<std::size_t>(i)],
                        rounded(x.mean(i), x.mean_bar(i)), rounded(x.sd(i), x.sd_bar(i)), "");
    for (const double index : x.total.row(i)) text += fmt::format(" {:>8.3f}", index);
    text += "\n";
  }
  if (shown < x.mean.size())
    text += fmt::format("  … and {} more components\n", x.mean.size() - shown);
  return text;
}

// How often the constraints are active, and what they cost: the first few of each.
std::string constraint_table(const Solution& solution) {
  StatisticsOptions options;
  options.samples = 16384;
  const ConstraintReport report = constraint_statistics(solution, options);
  std::string text = fmt::format("\n  {:<16} {:>16} {:>22}\n", "", "P(active)", "mean multiplier");
  for (const ConstraintStatistics& found : report.constraints) {
    const Constraint& one = found.constraint;
    const std::size_t shown = std::min<std::size_t>(found.active.size(), most_components);
    for (std::size_t i = 0; i < shown; ++i) {
      const std::string name =
          one.is_list && !one.norm ? fmt::format("{}[{}]", one.name, i) : one.name;
      text += fmt::format("  {:<16} {:>16} {:>22}\n", name, with_bar(found.active[i]),
                          found.mean.empty() ? "" : with_bar(found.mean[i]));
    }
    if (shown < found.active.size())
      text += fmt::format("  … and {} more of {}\n", found.active.size() - shown, one.name);
  }
  return text;
}

}  // namespace

std::string report(const Solution& solution, Detail detail, const Labels& given) {
  const Labels labels = completed(given, solution.expansion);
  std::string text = labels.title.empty() ? "" : labels.title + "\n";
  text += fmt::format("{}: {}\n", to_string(solution.status), solution.message);
  if (detail == Detail::brief) return text;
  const ProblemConstants& constants = solution.constants;
  text += fmt::format("  method {}, {} iterations, m = {}, {} gradients{}{}, {:.3g} s\n",
                      to_string(solution.options.method), solution.history.size(),
                      solution.expansion.coefficients().rows(), solution.gradients,
                      solution.diagnostic_gradients > 0
                          ? fmt::format(" and {} for tests", solution.diagnostic_gradients)
                          : "",
                      solution.hessians > 0 ? fmt::format(", {} Hessians", solution.hessians) : "",
                      solution.seconds);
  text += fmt::format("  mu = {:.4g} ({}), L = {:.4g} ({}), kappa = {:.4g}\n", constants.mu.value,
                      constants.mu.given ? "given" : "estimated", constants.L.value,
                      constants.L.given ? "given" : "estimated", constants.kappa());
  if (solution.ok()) text += error_text(solution) + component_table(solution, labels);
  if (solution.ok() && solution.expansion.lift()) text += constraint_table(solution);
  for (const std::string& note : solution.notes) text += fmt::format("  note: {}\n", note);
  return text;
}

}  // namespace chaosgrad
