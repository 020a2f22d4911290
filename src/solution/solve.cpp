#include <fmt/format.h>

#include <algorithm>

#include "chaosgrad/solution.h"
#include "estimate/reference.h"
#include "solution/certificate.h"
#include "solution/statistics/coefficients.h"
#include "solve/common/goal.h"
#include "solve/common/validation.h"
#include "solve/lifted_problem.h"
#include "solve/run.h"

namespace chaosgrad {
using namespace internal;
namespace {

// Whether the asked tolerance was met, said in the status and its reason.
void judge(const Options& options, Solution& solution) {
  if (solution.status != Status::completed || !solution.error.estimate) return;
  if (!options.tolerance && !options.relative_tolerance) return;
  const double target = absolute_tolerance(options, norm_of(solution.expansion));
  const bool met = *solution.error.estimate <= target;
  if (met) solution.status = Status::converged;
  solution.message += fmt::format("; the error estimate {:.3g} is {} the tolerance {:.3g}",
                                  *solution.error.estimate, met ? "within" : "above", target);
}

// What the certificate has found beside the error. As in collocation, the expansion may leave the
// domain of F where θ practically never is (docs/decisions.md); so may that of a run which can go on.
void tell_of_doubts(const Certificate& certificate, Solution& solution) {
  constexpr double most_outside = 1e-3;
  if (!certificate.outside.empty()) {
    const std::string text = fmt::format(
        "the objective is not a number at the expansion with probability {:.2g}, as for {}",
        certificate.outside_share, certificate.outside);
    if (certificate.outside_share > most_outside && solution.status == Status::completed) {
      solution.status = Status::outside_domain;
      solution.message = text;
      solution.error = ErrorEstimate{.confidence = solution.error.confidence};
    } else {
      solution.notes.push_back(text + (solution.error.estimate ? "" : "; the error is not known"));
    }
  }
  if (!certificate.doubt.empty())
    solution.notes.push_back("the error is not known: " + certificate.doubt +
                             "; verify solves fresh samples one by one");
}

// ‖x_u − x*‖_π for an adaptive run: by quadrature, or by sampling where a grid would be too large.
std::optional<double> reference_error(const Oracle& oracle, const Run& run,
                                      const Options& options) {
  Executor executor(options.threads, options.ranks);
  const Validation validation(oracle, options.seed, 1 << 15);
  if (run.lift) return validation.error(run.basis, run.u, executor, run.lift.get());
  const auto reference = expand_reference(oracle, run.basis, 0, executor);
  // ‖x*‖² less the squares of its coefficients says nothing below the rounding of ‖x*‖².
  if (reference && reference->true_error(run.u) > 1e-6 * run.u.norm())
    return reference->true_error(run.u);
  return validation.error(run.basis, run.u, executor);
}

// As exactly as the run knows it: from its coefficients, or from the samples of the certificate.
std::optional<double> known_error(const Solution& solution, const Certificate& certificate) {
  if (solution.fits) {
    const bool least_squares = solution.options.fit == Fit::least_squares;
    const std::optional<double>& exact =
        least_squares ? solution.fits->least_squares_error : solution.fits->projection_error;
    if (exact) return exact;
  }
  const bool in_history = !solution.history.empty() && solution.history.back().true_error;
  return in_history ? solution.history.back().true_error : certificate.sampled_error;
}

}  // namespace

Solution solve(const Oracle& oracle, const Options& options) {
  Run result = run(oracle, options);
  if (is_failure(result.status))
    return as_solution(oracle.parameters(), options, std::move(result));
  if (result.error) {  // measured on the way
    const std::optional<double> true_error = reference_error(oracle, result, options);
    Solution solution = as_solution(oracle.parameters(), options, std::move(result));
    solution.true_error = true_error;
    return solution;
  }
  const std::shared_ptr<const Lift> lift = result.lift;
  const std::optional<double> lifted_error =
      lift ? reference_error(oracle, result, options) : std::nullopt;
  Solution solution = as_solution(oracle.parameters(), options, std::move(result));
  const Expansion& x = solution.expansion;
  const Certificate certificate =
      lift ? certify(LiftedProblem(oracle, lift),
                     Expansion(x.measure(), x.basis(), x.coefficients()), solution, options)
           : certify(oracle, x, solution, options);
  solution.error = certificate.error;
  solution.diagnostic_gradients += certificate.gradients;
  solution.true_error =
      solution.expansion.lift() ? lifted_error : known_error(solution, certificate);
  tell_of_doubts(certificate, solution);
  judge(options, solution);
  return solution;
}

}  // namespace chaosgrad
