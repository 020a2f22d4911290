#pragma once
// x*(θ) = Σ u_i ψ_i(η(θ)) as a function, its statistics, and what is known about its error.
#include <optional>
#include <string>
#include <vector>

#include "chaosgrad/run.h"

namespace chaosgrad {

// The expansion as a function of θ.
class Expansion {
 public:
  Expansion(Measure measure, Basis basis, Coefficients u);

  [[nodiscard]] const Measure& measure() const { return measure_; }
  [[nodiscard]] const Basis& basis() const { return basis_; }
  [[nodiscard]] const Coefficients& coefficients() const { return u_; }  // m × q

  [[nodiscard]] Vector operator()(const Vector& theta) const;
  [[nodiscard]] Matrix evaluate(const Matrix& thetas) const;    // N×d → N×q
  [[nodiscard]] Matrix evaluate_germ(Block eta) const;          // B×d → B×q, B ≤ block_size
  [[nodiscard]] Matrix sensitivity(const Vector& theta) const;  // ∂x_i/∂θ_k, q×d

 private:
  Measure measure_;
  Basis basis_;
  Coefficients u_;
};

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

struct Solution {
  Expansion expansion;
  Run run;
  ErrorEstimate error;
  std::optional<double> true_error;  // against the reference
  std::int64_t diagnostic_gradients =
      0;  // spent on constants and on the error estimate, beyond run.gradients

  [[nodiscard]] Vector operator()(const Vector& theta) const { return expansion(theta); }
};

// Runs the solver and measures its error on fresh samples.
[[nodiscard]] Solution solve(const Oracle& oracle, const Options& options = {});

// Statistics from the coefficients: mean = u_0, variance = Σ_{i>0} u_i², with the noise of the
// coefficients taken out where the run has replicates. With error bars: statistics.h.
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

}  // namespace chaosgrad
