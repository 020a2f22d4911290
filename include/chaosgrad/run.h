#pragma once
// The outcome of a solver: coefficients on a basis, and how they came about.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chaosgrad/basis.h"
#include "chaosgrad/constants.h"
#include "chaosgrad/options.h"
#include "chaosgrad/problem.h"
#include "chaosgrad/solver_state.h"

namespace chaosgrad {

// status              meaning                                         coefficients
// completed           all the asked iterations done                   of the last iterate
// converged           the same, and the estimate is below tolerance   of the last iterate
// out_of_gradients    max_gradients would be exceeded                 of the last iterate
// out_of_time         max_seconds passed                              of the last iterate
// interrupted         the caller asked to stop                        of the last iterate
// diverged            iterates grow without bound                     of the best iterate (smallest
// ‖D'‖) bad_gradient        ∇F is not finite at a sample                    of the last finite
// iterate not_strongly_convex a sampled Hessian has an eigenvalue ≤ 0         zero
enum class Status {
  completed,
  converged,
  out_of_gradients,
  out_of_time,
  interrupted,
  diverged,
  bad_gradient,
  not_strongly_convex
};
[[nodiscard]] std::string_view to_string(Status status);
[[nodiscard]] std::string_view to_string(Method method);
[[nodiscard]] bool is_failure(Status status);  // diverged, bad_gradient, not_strongly_convex

struct IterationRecord {
  Index k = 0;
  Index basis_size = 0;
  Index samples = 0;
  double step = 0;
  std::int64_t gradients = 0;                // so far
  double seconds = 0;                        // so far
  double gradient_norm = 0;                  // ‖D'‖
  std::optional<double> error_squared = {};  // ‖u_k − P_m u*‖²
  std::optional<double> true_error = {};     // ‖x_k − x*‖_π
  std::optional<double> bound = {};          // of E[error_squared]: see theory.h, run_bounds
};

// The two fits of the nested method, with their distance to the reference where it is known.
struct NestedFits {
  Coefficients least_squares, projection;
  std::optional<double> least_squares_error, projection_error;
};

struct Run {
  Basis basis;
  Coefficients u;  // m × q, m ≤ basis.size()
  Status status = Status::completed;
  std::string stop_reason = {};
  std::vector<IterationRecord> history = {};
  ProblemConstants constants = {};
  std::int64_t gradients = 0;
  double seconds = 0;
  std::vector<std::string> notes = {};  // what the user should know: limits reached, steps cut
  std::optional<NestedFits> fits = {};
  // Independent estimates of the coefficients whose mean is u: their scatter is the noise in u.
  // Empty where u has none, or where the method does not tell.
  std::vector<Coefficients> replicates = {};
  SolverState state = {};  // for Options::resume
};

// Throws InputError or FormulaError for bad options; numerical trouble is a status.
[[nodiscard]] Run run(const Oracle& oracle, const Options& options);

}  // namespace chaosgrad
