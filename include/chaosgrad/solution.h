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

// ‖a − b‖_π of two expansions of the same problem.
[[nodiscard]] double distance(const Expansion& a, const Expansion& b);

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
