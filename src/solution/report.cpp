#include "solution/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "solution/constrained/infeasible_note.h"
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
  Matrix total, total_bar;  // q×d
};

ComponentNumbers exact_numbers(const Solution& solution) {
  ComponentNumbers x{mean(solution), sd(solution), {}, {}, sobol(solution).total, {}};
  x.total_bar = Matrix::Zero(x.total.rows(), x.total.cols());
  const ErrorEstimate& error = solution.error;
  x.mean_bar = error.components.size() == x.mean.size()
                   ? error.components
                   : Vector::Constant(x.mean.size(), error.estimate.value_or(infinity));
  x.sd_bar = x.mean_bar;
  return x;
}

ComponentNumbers sampled_numbers(const std::vector<OutputStatistics>& found, Index q, Index d) {
  ComponentNumbers x{Vector(q), Vector(q), Vector(q), Vector(q), Matrix(q, d), Matrix(q, d)};
  for (Index i = 0; i < q; ++i) {
    const OutputStatistics& one = found[static_cast<std::size_t>(i)];
    x.mean(i) = one.mean.value;
    x.mean_bar(i) = one.mean.error;
    x.sd(i) = one.sd.value;
    x.sd_bar(i) = one.sd.error;
    for (Index k = 0; k < d; ++k) {
      x.total(i, k) = one.total[static_cast<std::size_t>(k)].value;
      x.total_bar(i, k) = one.total[static_cast<std::size_t>(k)].error;
    }
  }
  return x;
}

// Three places, or as many as the bar supports.
std::string share_text(double share, double bar) {
  constexpr double third_place = 2e-3;
  return bar > third_place ? rounded(share, bar) : fmt::format("{:.3f}", share);
}

std::string component_table(const Solution& solution, const Labels& labels,
                            const SampledReport& sampled) {
  const ComponentNumbers x =
      solution.expansion.lift()
          ? sampled_numbers(sampled.x, solution.expansion.coefficients().cols(),
                            solution.expansion.measure().dimension())
          : exact_numbers(solution);
  std::string text =
      fmt::format("\n  {:<16} {:>12} {:>12}   total Sobol' index of", "", "mean", "sd");
  for (const std::string& name : labels.parameters) text += fmt::format(" {:>8}", name);
  text += "\n";
  const Index shown = std::min(x.mean.size(), most_components);
  for (Index i = 0; i < shown; ++i) {
    text += fmt::format("  {:<16} {:>12} {:>12}   {:>21}",
                        labels.variables[static_cast<std::size_t>(i)],
                        rounded(x.mean(i), x.mean_bar(i)), rounded(x.sd(i), x.sd_bar(i)), "");
    for (Index k = 0; k < x.total.cols(); ++k)
      text += fmt::format(" {:>8}", share_text(x.total(i, k), x.total_bar(i, k)));
    text += "\n";
  }
  if (shown < x.mean.size())
    text += fmt::format("  … and {} more components\n", x.mean.size() - shown);
  return text;
}

// How often the constraints are active, and what they cost: the first few of each.
std::string constraint_table(const ConstraintReport& report) {
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

std::string brief_report(const Solution& solution, const Labels& labels) {
  const std::string title = labels.title.empty() ? "" : labels.title + "\n";
  return fmt::format("{}{}: {}\n", title, to_string(solution.status), solution.message);
}

std::string constant_text(const char* name, const Constant& constant) {
  return is_known(constant) ? fmt::format("{} = {:.4g} ({})", name, constant.value,
                                          constant.given ? "given" : "estimated")
                            : fmt::format("{} not known", name);
}

std::string constants_text(const ProblemConstants& constants) {
  const double kappa = constants.kappa();
  return fmt::format("  {}, {}{}\n", constant_text("mu", constants.mu),
                     constant_text("L", constants.L),
                     std::isfinite(kappa) ? fmt::format(", kappa = {:.4g}", kappa) : "");
}

}  // namespace

std::string report(const Solution& solution, Detail detail, const Labels& given) {
  const Labels labels = completed(given, solution.expansion);
  if (detail == Detail::brief) return brief_report(solution, labels);
  SampledReport sampled;
  sampled.notes = solution.notes;
  if (solution.ok() && solution.expansion.lift()) {
    StatisticsOptions options;
    options.samples = 16384;
    sampled.x = sampled_moments(solution.expansion, accuracy(solution), true);
    sampled.constraints = constraint_statistics(solution, options);
    std::string note =
        infeasible_note(solution.expansion, sampled.constraints.infeasible, {}, labels.parameters);
    if (!note.empty()) sampled.notes.push_back(std::move(note));
  }
  return full_report(solution, labels, sampled);
}

std::string internal::full_report(const Solution& solution, const Labels& labels,
                                  const SampledReport& sampled) {
  std::string text = brief_report(solution, labels);
  text += fmt::format("  method {}, {} iterations, m = {}, {} gradients{}{}, {:.3g} s\n",
                      to_string(solution.options.method), solution.history.size(),
                      solution.expansion.coefficients().rows(), solution.gradients,
                      solution.diagnostic_gradients > 0
                          ? fmt::format(" and {} for tests", solution.diagnostic_gradients)
                          : "",
                      solution.hessians > 0 ? fmt::format(", {} Hessians", solution.hessians) : "",
                      solution.seconds);
  text += constants_text(solution.constants);
  if (solution.ok()) text += error_text(solution) + component_table(solution, labels, sampled);
  if (solution.ok() && solution.expansion.lift()) text += constraint_table(sampled.constraints);
  for (const std::string& note : sampled.notes) text += fmt::format("  note: {}\n", note);
  return text;
}

}  // namespace chaosgrad
