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

enum class Status {
  completed,            // all the asked iterations done
  converged,            // the error estimate is below the tolerance
  out_of_gradients,     // max_gradients would be exceeded
  out_of_time,          // max_seconds passed
  interrupted,          // the caller asked to stop
  stalled,              // nothing left to try brings the error down
  diverged,             // iterates grow without bound; the result is the best iterate
  bad_gradient,         // ∇F is not finite somewhere, or not the gradient of any function
  not_strongly_convex,  // a Hessian has an eigenvalue ≤ 0
  inconsistent          // the given μ or L contradicts the curvature that was seen
};
[[nodiscard]] std::string_view to_string(Status status);
[[nodiscard]] std::string_view to_string(Method method);
[[nodiscard]] bool is_failure(Status status);   // the last four
[[nodiscard]] bool is_adaptive(Method method);  // automatic, collocation, sieve

// Norms ‖·‖_π. Empty members could not be computed (the run failed, or μ is not given).
//   estimate      ‖H⁻¹ ∇f(x_u)‖_π on fresh samples, H the Hessian (at each sample, or its mean);
//   its parts: outside the span of the
//                 basis (basis), and inside it, what the noise of the gradient leaves (sampling)
//                 and what more iterations would remove (optimisation). With noise the part outside
//                 is measured on as many further functions only.
//   bound         (upper confidence limit of ‖∇f(x_u)‖_π)/μ ≥ ‖x_u − x*‖_π when μ is valid; only
//   for a given μ
struct ErrorEstimate {
  std::optional<double> estimate, basis, sampling, optimisation, bound;
  Vector components = {};  // the estimate for each component of x; empty: not known
  double confidence = 0.95;
};

// An iteration of the paper's methods, or a stage of the adaptive ones. Two members mean what the
// method makes of them:
//                 step                             gradient_norm
//   gd … uqsa     α_k                              ‖D'‖
//   nested        α, the same at every point       √(mean of |∇f|² over the points that moved)
//   collocation   1: Newton steps, taken whole     √(mean of |∇f|² over the points)
//   sieve         the damping of Newton's step     ‖Δ‖, that step averaged over the samples
struct IterationRecord {
  Index k = 0;
  Index basis_size = 0;
  Index samples = 0;
  double step = 0;
  std::int64_t gradients = 0;  // so far
  double seconds = 0;          // so far
  double gradient_norm = 0;
  std::optional<double> error_squared = {};  // ‖u_k − P_m u*‖²
  std::optional<double> true_error = {};     // ‖x_k − x*‖_π
  std::optional<double> bound = {};          // of E[error_squared]: see theory.h, run_bounds
  // Adaptive methods: the error estimate and its parts.
  std::optional<double> estimate = {}, basis = {}, sampling = {}, optimisation = {};
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
  // Of the adaptive methods, which measure their error as they go.
  std::optional<ErrorEstimate> error = {};
  SolverState state = {};  // for Options::resume
};

// Throws InputError or FormulaError for bad options; numerical trouble is a status.
[[nodiscard]] Run run(const Oracle& oracle, const Options& options);

}  // namespace chaosgrad
