#include "solve/collocation/judge.h"

#include <algorithm>
#include <cmath>

#include "estimate/mean_limit.h"
#include "solve/common/goal.h"

namespace chaosgrad::internal::collocation {

StageError measure_error(const Fit& fit, double optimisation, const StageError& before,
                         double confidence) {
  const double rest = std::pow(optimisation, 2);
  const double limit = std::sqrt(upper_mean(fit.limit_squares, confidence) + rest);
  return {.squares = fit.squares,
          .squared = fit.squares.mean() + rest,
          .limit = limit,
          .upper = fit.must_agree ? std::max(limit, before.limit) : limit,
          .basis = fit.basis_error,
          .sampling = fit.sampling_error,
          .optimisation = optimisation,
          .components = fit.component_errors};
}

Verdict judge(const StageError& error, double target, const Budget& budget) {
  if (!(error.upper <= target)) return Verdict::go_on;
  return budget.test <= budget.left ? Verdict::confirm : Verdict::stop;
}

TestResult judge_test(const Vector& squares, double rest, double target, double confidence) {
  const double lacking = rest * rest;
  TestResult result{.squared = squares.mean() + lacking,
                    .upper = std::sqrt(mean_limit(squares, confidence) + lacking)};
  if (!(std::sqrt(result.squared) <= target)) {
    result.outcome = TestResult::Outcome::failed;
  } else if (result.upper <= target) {
    result.outcome = TestResult::Outcome::passed;
  }
  return result;
}

}  // namespace chaosgrad::internal::collocation
