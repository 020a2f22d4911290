#pragma once
// What an adaptive run is asked for, and how its outcome is put into words.
#include <optional>
#include <string>

#include "chaosgrad/problem.h"
#include "curvature/curvature.h"
#include "solve/common/run.h"

namespace chaosgrad::internal {

inline constexpr double default_relative_tolerance = 1e-3;

// The tolerance as an absolute number, for an expansion of norm ‖x‖_π.
[[nodiscard]] double absolute_tolerance(const Options& options, double norm);

// Upper confidence limit of a mean, from its terms: Student's limit after Hall's transformation
// (Hall 1992), which takes out the skewness that squared errors have.
[[nodiscard]] double upper_mean(const Vector& terms, double confidence);

// A sampled lower or upper extreme of the curvature, and where it was seen ("at theta = (…)").
struct CurvatureSeen {
  double lowest = infinity, highest = 0;
  std::string lowest_place = {}, highest_place = {};
  void see_lowest(double value, std::string place);
  void see_highest(double value, std::string place);
};

// Fills run.constants from what was given and seen.
void set_constants(const ProblemFacts& facts, const CurvatureSeen& seen, Run& run);

// Failures that curvature shows. All set status and stop_reason and return true if there is one.
[[nodiscard]] bool fails_as_gradient(const Curvature& curvature, double tolerance, Run& run);
[[nodiscard]] bool fails_convexity(const CurvatureSeen& seen, Run& run);
[[nodiscard]] bool contradicts_facts(const ProblemFacts& facts, const CurvatureSeen& seen,
                                     double slack, Run& run);

// Sets run.error, its bound ‖∇f(x_u)‖_π/μ from `gradient_upper` where μ is given and nothing that
// was seen contradicts the facts.
void set_error(ErrorEstimate error, const ProblemFacts& facts, const CurvatureSeen& seen,
               double slack, std::optional<double> gradient_upper, Run& run);

// "price = 1.2, rate = 3"
[[nodiscard]] std::string named_values(const std::vector<std::string>& names, const Vector& values);
[[nodiscard]] std::string place(const ProblemFacts& facts, const Vector& theta);
[[nodiscard]] std::string variables_at(const ProblemFacts& facts, const Vector& x);

// "no x satisfies the constraints at price = 1.2: 'budget', 'w.lower' contradict each other"
[[nodiscard]] std::string infeasible_at(const ProblemFacts& facts, const Vector& theta);

}  // namespace chaosgrad::internal
