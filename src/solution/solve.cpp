#include <fmt/format.h>
#include "chaosgrad/solution.h"

#include <algorithm>

#include "estimate/reference.h"
#include "solution/certificate.h"
#include "solve/common/validation.h"

namespace chaosgrad {
using namespace internal;
namespace {

// Whether the asked tolerance was met, said in the status and its reason.
void judge(const Options& options, Solution& solution) {
  if (solution.run.status != Status::completed || !solution.error.estimate) return;
  std::optional<double> target = options.tolerance;
  if (options.relative_tolerance) {
    const double relative = *options.relative_tolerance * solution.run.u.norm();
    target = std::min(target.value_or(relative), relative);
  }
  if (!target) return;
  const bool met = *solution.error.estimate <= *target;
  if (met) solution.run.status = Status::converged;
  solution.run.stop_reason +=
      fmt::format("; the error estimate {:.3g} is {} the tolerance {:.3g}",
                  *solution.error.estimate, met ? "within" : "above", *target);
}

// ‖x_u − x*‖_π for an adaptive run: by quadrature, or by sampling where a grid would be too large.
std::optional<double> reference_error(const Oracle& oracle, const Run& run,
                                      const Options& options) {
  Executor executor(options.threads);
  const auto reference = expand_reference(oracle, run.basis, 0, executor);
  // ‖x*‖² less the squares of its coefficients says nothing below the rounding of ‖x*‖².
  if (reference && reference->true_error(run.u) > 1e-6 * run.u.norm())
    return reference->true_error(run.u);
  return Validation(oracle, options.seed, 1 << 15).error(run.basis, run.u, executor);
}

}  // namespace

Solution solve(const Oracle& oracle, const Options& options) {
  Run result = run(oracle, options);
  Expansion expansion(oracle.parameters(), result.basis, result.u);
  Solution solution{
      .expansion = std::move(expansion), .run = std::move(result), .error = {}, .true_error = {}};
  solution.error.confidence = options.confidence;
  solution.diagnostic_gradients = solution.run.constants.gradients;
  if (solution.run.error) solution.error = *solution.run.error;
  if (is_failure(solution.run.status)) return solution;
  if (solution.run.error) {
    solution.true_error = reference_error(oracle, solution.run, options);
    return solution;
  }

  const Certificate certificate = certify(oracle, solution.expansion, solution.run, options);
  solution.error = certificate.error;
  solution.diagnostic_gradients += certificate.gradients;
  solution.true_error = certificate.sampled_error;
  if (!solution.run.history.empty() && solution.run.history.back().true_error) {
    solution.true_error = solution.run.history.back().true_error;
  }
  if (solution.run.fits) {
    const NestedFits& fits = *solution.run.fits;
    const std::optional<double>& exact =
        options.fit == Fit::least_squares ? fits.least_squares_error : fits.projection_error;
    if (exact) solution.true_error = exact;
  }
  judge(options, solution);
  return solution;
}

}  // namespace chaosgrad
