#include "solve/common/goal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "constraint/infeasible.h"
#include "numeric/quantiles.h"

namespace chaosgrad::internal {

double absolute_tolerance(const Options& options, double norm) {
  std::optional<double> target = options.tolerance;
  if (options.relative_tolerance || !target) {
    const double relative = options.relative_tolerance.value_or(default_relative_tolerance) * norm;
    target = std::min(target.value_or(relative), relative);
  }
  return *target;
}

double upper_mean(const Vector& terms, double confidence) {
  const auto n = static_cast<double>(terms.size());
  const double mean = terms.mean();
  const Vector centred = terms.array() - mean;
  const double variance = centred.squaredNorm() / std::max(1.0, n - 1);
  if (!(variance > 0)) return mean;
  // Unbiased skewness, over √n.
  const double skewness = n * n / ((n - 1) * std::max(1.0, n - 2)) * centred.array().cube().mean() /
                          std::pow(variance, 1.5) / std::sqrt(n);
  const double t = student_quantile(std::max(1.0, n - 1), confidence);
  const double error = std::sqrt(variance / n);
  if (std::abs(skewness) < 1e-8) return mean + t * error;
  const double transformed = std::cbrt(1 - skewness * (t + skewness / 6)) - 1;
  return mean - error * 3 / skewness * transformed;
}

void CurvatureSeen::see_lowest(double value, std::string where) {
  if (!(value < lowest)) return;
  lowest = value;
  lowest_place = std::move(where);
}

void CurvatureSeen::see_highest(double value, std::string where) {
  if (!(value > highest)) return;
  highest = value;
  highest_place = std::move(where);
}

void set_constants(const ProblemFacts& facts, const CurvatureSeen& seen, Run& run) {
  run.constants.mu = {facts.strong_convexity.value_or(seen.lowest),
                      facts.strong_convexity.has_value(), seen.lowest, seen.lowest};
  run.constants.L = {facts.smoothness.value_or(seen.highest), facts.smoothness.has_value(),
                     seen.highest, seen.highest};
}

bool fails_as_gradient(const Curvature& curvature, double tolerance, Run& run) {
  if (!(curvature.asymmetry > tolerance)) return false;
  run.status = Status::bad_gradient;
  run.stop_reason = fmt::format(
      "the gradient is not the gradient of any function: its derivatives differ from their "
      "transpose by {:.2g} of their size, most in components {} and {}; is a sign or a term wrong?",
      curvature.asymmetry, curvature.asymmetric_row, curvature.asymmetric_column);
  return true;
}

bool fails_convexity(const CurvatureSeen& seen, Run& run) {
  if (seen.lowest > 0) return false;
  run.status = Status::not_strongly_convex;
  run.stop_reason = fmt::format(
      "the objective is not strongly convex in x for every theta: its curvature is {:.3g} {} (or a "
      "component of the gradient has the wrong sign)",
      seen.lowest, seen.lowest_place);
  return true;
}

bool contradicts_facts(const ProblemFacts& facts, const CurvatureSeen& seen, double slack,
                       Run& run) {
  std::string found;
  if (facts.strong_convexity && seen.lowest < *facts.strong_convexity * (1 - slack)) {
    found =
        fmt::format("the given strong_convexity = {:.6g} is too large: the curvature is {:.6g} {}",
                    *facts.strong_convexity, seen.lowest, seen.lowest_place);
  } else if (facts.smoothness && seen.highest > *facts.smoothness * (1 + slack)) {
    found = fmt::format("the given smoothness = {:.6g} is too small: the curvature is {:.6g} {}",
                        *facts.smoothness, seen.highest, seen.highest_place);
  }
  if (found.empty()) return false;
  run.status = Status::inconsistent;
  run.stop_reason = found + "; no bound can be given";
  return true;
}

void set_error(ErrorEstimate error, const ProblemFacts& facts, const CurvatureSeen& seen,
               double slack, std::optional<double> gradient_upper, Run& run) {
  if (!contradicts_facts(facts, seen, slack, run) && facts.strong_convexity && gradient_upper)
    error.bound = std::max(*gradient_upper / *facts.strong_convexity, *error.estimate);
  run.error = std::move(error);
}

std::string named_values(const std::vector<std::string>& names, const Vector& values) {
  constexpr Index most = 6;  // of many the first must do
  std::string text;
  for (Index k = 0; k < std::min(values.size(), most); ++k) {
    text += fmt::format("{}{} = {:.4g}", k == 0 ? "" : ", ", names[static_cast<std::size_t>(k)],
                        values(k));
  }
  return values.size() > most ? text + ", …" : text;
}

std::string place(const ProblemFacts& facts, const Vector& theta) {
  return named_values(facts.parameter_names, theta);
}

std::string variables_at(const ProblemFacts& facts, const Vector& x) {
  return named_values(facts.variable_names, x);
}

std::string infeasible_at(const ProblemFacts& facts, const Vector& theta) {
  const std::string why = contradiction(*facts.constraints, theta);
  return fmt::format("no x satisfies the constraints at {}: {}", place(facts, theta),
                     why.empty() ? "the nearest point that does was not found" : why);
}

}  // namespace chaosgrad::internal
