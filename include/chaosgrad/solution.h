#pragma once
// x*(θ) = Σ u_i ψ_i(η(θ)) as a function, how it came about, and what is known about its error.
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chaosgrad/basis.h"
#include "chaosgrad/lift.h"
#include "chaosgrad/options.h"
#include "chaosgrad/problem.h"

namespace chaosgrad {

// A constant that is either given or estimated; `lowest` and `highest` tell how it varied over the
// sampled θ (and x).
struct Constant {
  double value = 0;
  bool given = false;
  double lowest = 0, highest = 0;
};

// Where nothing was measured a curvature is 0, or infinite.
[[nodiscard]] inline bool is_known(const Constant& curvature) {
  return curvature.given || (curvature.value != 0 && std::isfinite(curvature.value));
}

struct ProblemConstants {
  Constant mu, L, V, VG;
  // NaN where μ is not positive, but for rounding.
  [[nodiscard]] double kappa() const {
    constexpr double rounding = 1e-15;
    const bool positive = std::isfinite(mu.value) && mu.value > rounding * std::abs(L.value);
    return positive ? L.value / mu.value : std::numeric_limits<double>::quiet_NaN();
  }
  std::int64_t gradients = 0;  // spent on the estimate
};

// What a solver needs to go on from where it stopped, beyond the rest of the Solution: named
// arrays, kept to the bit. A solver fills one for each checkpoint and at its end, and reads it back
// on resumption; who stores it need not know what it means. Random numbers are pure functions of
// (seed, stream, sample), so their whole state is the seed and the counters put here.
struct SolverState {
  std::map<std::string, Coefficients> arrays;
  std::map<std::string, std::vector<std::int64_t>> integers;
  std::map<std::string, std::string> texts;

  [[nodiscard]] bool empty() const { return arrays.empty() && integers.empty() && texts.empty(); }

  void set_number(const std::string& name, double value);  // a 1×1 array
  void set_integer(const std::string& name, std::int64_t value);

  // All throw InputError("resume", …) if there is no such entry.
  [[nodiscard]] const Coefficients& array(const std::string& name) const;
  [[nodiscard]] double number(const std::string& name) const;
  [[nodiscard]] const std::vector<std::int64_t>& integer_list(const std::string& name) const;
  [[nodiscard]] std::int64_t integer(const std::string& name) const;
  [[nodiscard]] const std::string& text(const std::string& name) const;
};

// How a solve ended, and what the result then holds.
//
//   status               expansion             error               resume
//   completed            as asked              measured            with more iterations
//   converged            within the tolerance  measured            with a smaller tolerance
//   out_of_gradients     the best so far       that so far, or -   yes
//   out_of_time          the best so far       that so far, or -   yes
//   interrupted          the best so far       that so far, or -   yes
//   stalled              the best so far       measured            with a larger tolerance
//   diverged             the best iterate      -                   no
//   bad_gradient         not to be used        -                   no
//   not_strongly_convex  not to be used        -                   no
//   inconsistent         the best so far       without a bound     no
//   outside_domain       the best so far       -                   no
//   several_minima       the best so far       -                   no
//   infeasible           not to be used        -                   no
//
// gradients, seconds, constants, history and notes hold what there is in every case; message says
// why it ended. The last seven are failures.
enum class Status {
  completed,            // all the asked iterations done
  converged,            // the error estimate is below the tolerance
  out_of_gradients,     // max_gradients would be exceeded
  out_of_time,          // max_seconds passed
  interrupted,          // the callback asked to stop
  stalled,              // nothing left to try brings the error down
  diverged,             // iterates grow without bound
  bad_gradient,         // ∇F is not finite somewhere, or not the gradient of any function
  not_strongly_convex,  // a Hessian has an eigenvalue ≤ 0
  inconsistent,         // the given μ or L contradicts the curvature that was seen
  outside_domain,       // F is not a number at the expansion for some θ
  several_minima,       // F has several local minima in x for some θ
  infeasible            // no x satisfies the constraints for some θ
};
[[nodiscard]] std::string_view to_string(Status status);
[[nodiscard]] std::string_view to_string(Method method);
[[nodiscard]] bool is_failure(Status status);   // the last seven
[[nodiscard]] bool is_adaptive(Method method);  // automatic, collocation, sieve

// Norms ‖·‖_π. Empty members could not be computed (the run failed, or μ is not given).
//   estimate      ‖H⁻¹ ∇f(x_u)‖_π on fresh samples, H the Hessian (at each sample, or its mean)
//   its parts     outside the span of the basis (basis), and inside it: what the noise of the
//                 gradient leaves (sampling) and what more iterations would remove (optimisation).
//                 With noise the part outside is measured on as many further functions only.
//   bound         (upper confidence limit of ‖∇f(x_u)‖_π)/μ ≥ ‖x_u − x*‖_π when μ is valid; only
//                 for a given μ
struct ErrorEstimate {
  std::optional<double> estimate = {}, basis = {}, sampling = {}, optimisation = {}, bound = {};
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
  std::optional<double> bound = {};          // of E[error_squared], by the paper's theory
  // Adaptive methods: the error estimate and its parts.
  std::optional<double> estimate = {}, basis = {}, sampling = {}, optimisation = {};
};

// The two fits of the nested method, with their distance to the reference where it is known.
struct NestedFits {
  Coefficients least_squares, projection;
  std::optional<double> least_squares_error, projection_error;
};

// The expansion as a function of θ. Where x is constrained it is one of y(θ), and x = P(y): see
// lift.h. Everything but coefficients() and lifted() speaks of x.
class Expansion {
 public:
  Expansion(Measure measure, Basis basis, Coefficients u, std::shared_ptr<const Lift> lift = {});

  [[nodiscard]] const Measure& measure() const { return measure_; }
  [[nodiscard]] const Basis& basis() const { return basis_; }
  [[nodiscard]] const Coefficients& coefficients() const { return u_; }  // m × q, of y if lifted
  [[nodiscard]] const Lift* lift() const { return lift_.get(); }         // null: x = y
  [[nodiscard]] const std::shared_ptr<const Lift>& shared_lift() const { return lift_; }

  [[nodiscard]] Vector operator()(const Vector& theta) const;
  [[nodiscard]] Matrix evaluate(const Matrix& thetas) const;    // N×d → N×q
  [[nodiscard]] Matrix evaluate_germ(Block eta) const;          // B×d → B×q, B ≤ block_size
  [[nodiscard]] Matrix sensitivity(const Vector& theta) const;  // ∂x_i/∂θ_k, q×d
  // The same for θ_k growing and falling. They differ where a constraint begins or ceases to be
  // active at θ, and sensitivity() is the former there. NaN where there is no x on that side.
  struct Sides {
    Matrix growing, falling;                   // q×d
    Vector rounding;                           // d: how far apart they are by it
    [[nodiscard]] bool differ(Index k) const;  // beyond rounding, or one side is not there
    [[nodiscard]] Matrix sensitivity() const;
  };
  [[nodiscard]] Sides sensitivity_sides(const Vector& theta) const;
  // Where lift(): x with its multipliers, N×d → N×…
  [[nodiscard]] LiftedBlock evaluate_lifted(const Matrix& thetas) const;

 private:
  [[nodiscard]] Matrix sum(Block eta) const;  // Σ u_i ψ_i(η): x, or y

  Measure measure_;
  Basis basis_;
  Coefficients u_;
  std::shared_ptr<const Lift> lift_;
};

// ‖a − b‖_π of two expansions of the same problem.
[[nodiscard]] double distance(const Expansion& a, const Expansion& b);

struct Solution {
  Expansion expansion;  // x*(θ)
  Status status = Status::completed;
  std::string message = {};  // why it ended
  ErrorEstimate error = {};
  std::optional<double> true_error = {};  // ‖x_u − x*‖_π against the reference
  std::int64_t gradients = 0;             // spent on the solution
  std::int64_t diagnostic_gradients = 0;  // spent on constants and on tests beyond it
  // Hessians that the problem offers, taken for the metric of the lift (chaosgrad/lift.h): they are
  // no gradients. Elsewhere a Hessian counts as q gradients.
  std::int64_t hessians = 0;
  // Features of x*(θ) of a smaller probability than this may have escaped the tests: 3/n for n test
  // samples, where the probability of missing one is 5 %. Empty: nothing was tested.
  std::optional<double> unseen = {};
  // θ at which the gradient failed (ProblemFacts::may_fail) and which were left out, and their share
  // of all θ that were tried: there x*(θ) is what the others say.
  std::int64_t skipped = 0;
  double skipped_share = 0;
  // They fill a region instead of being scattered: there x*(θ) is an extrapolation that nothing has
  // tested, and the run has not converged.
  bool skipped_together = false;
  double seconds = 0;
  ProblemConstants constants = {};
  std::vector<IterationRecord> history = {};
  std::vector<std::string> notes = {};  // what the user should know: limits reached, steps cut
  std::optional<NestedFits> fits = {};
  // Independent estimates of the coefficients whose mean is that of the expansion: their scatter is
  // their noise. Empty where there is none, or where the method does not tell.
  std::vector<Coefficients> replicates = {};
  // Where x is constrained: the error of each multiplier in the π-norm, of the bounds of the q
  // components and then of the p rows (lift.h). Empty: not known.
  Vector multiplier_errors = {};
  SolverState state = {};  // for Options::resume
  Options options = {};    // that it was solved with, without callback and resume

  [[nodiscard]] bool ok() const { return !is_failure(status); }
  [[nodiscard]] Vector operator()(const Vector& theta) const { return expansion(theta); }
};

// What the parts of a problem are called, for reports and files. Empty lists stand for theta, x,
// and for theta[0], x[0], … where there are several.
struct Labels {
  std::string title = {};
  std::vector<std::string> parameters = {}, variables = {};  // of every component of θ and x
  std::vector<std::string> quantities = {};
};

// Solves, and measures the error. Throws InputError or FormulaError for bad options; numerical
// trouble is a status.
[[nodiscard]] Solution solve(const Oracle& oracle, const Options& options = {});

// Statistics from the coefficients: mean = u_0, variance = Σ_{i>0} u_i², with the noise of the
// coefficients taken out where the run has replicates. With error bars: statistics.h. Where x is
// constrained these are not those of x, which is sampled.
[[nodiscard]] Vector mean(const Expansion& expansion);
[[nodiscard]] inline Vector mean(const Solution& solution) { return mean(solution.expansion); }
[[nodiscard]] Vector sd(const Expansion& expansion);
[[nodiscard]] Vector sd(const Solution& solution);

// Sobol' indices (q×d): the share of the variance of x_i that depends on germ k alone (main), and
// that involves it at all (total). Zero where the variance is zero. Without dependence the germ is
// the parameter.
struct SobolIndices {
  Matrix main, total;
};
[[nodiscard]] SobolIndices sobol(const Expansion& expansion);
[[nodiscard]] SobolIndices sobol(const Solution& solution);

// The outcome as text for people: status and message; in full also error, cost, notes, and mean, sd
// and Sobol' indices of the components. Throws InputError for labels of the wrong number.
enum class Detail { brief, full };
[[nodiscard]] std::string report(const Solution& solution, Detail detail = Detail::full,
                                 const Labels& labels = {});

}  // namespace chaosgrad
