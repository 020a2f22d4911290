#pragma once
// What theory says about a problem and a run: condition numbers, largest steps, bounds of the
// expected error, predicted cost. The bounds are pure functions of constants; docs/mathematics.md,
// "What the theory promises", has the statements and their proofs.
//
// Notation: x*_m = Σ (u*_m)_i ψ_i is the optimum among the first m functions, P_m u* the first m
// coefficients of the optimum, R_m = u* − P_m u* the remainder.
#include <functional>
#include <optional>
#include <vector>

#include "chaosgrad/solution.h"

namespace chaosgrad::internal {

struct TheoryConstants {
  double mu = 1, L = 1, V = 0, VG = 1;
  [[nodiscard]] double kappa() const { return L / mu; }
};
[[nodiscard]] TheoryConstants theory_constants(const ProblemConstants& constants);

// Q and M of one gradient estimate: Q_m, or m under Christoffel sampling; 0 for an exact gradient.
struct SampledLevel {
  double Q = 0, M = 1;
};

// --- Noise of the gradient estimate, e = D' − D_m ---
// E‖e‖² ≤ (Q/M)(V_G ‖∇f(x)‖²_π + V).
[[nodiscard]] double integral_error_bound(const TheoryConstants& constants,
                                          const SampledLevel& level, double gradient_squared);
// C = (Q/M)(2 V_G ‖∇f(x*_m)‖²_π + V);  C_G = 1 + 2 V_G Q/M;  C_A = 2 V_G L² Q/M.
// E‖D'‖² ≤ C + C_G ‖∇f(x) − ∇f(x*_m)‖²_π, and E‖e‖² ≤ C + C_A ‖x − x*_m‖²_π.
[[nodiscard]] double noise_floor(const TheoryConstants& constants, const SampledLevel& level,
                                 double optimum_gradient_squared);
[[nodiscard]] double noise_growth(const TheoryConstants& constants, const SampledLevel& level);
[[nodiscard]] double accelerated_noise_growth(const TheoryConstants& constants,
                                              const SampledLevel& level);

// --- Truncation ---
// Factors c in ‖P_m u* − u*_m‖² ≤ c ‖R_m‖². `paper` is κ; `sharp` = (κ − 1)²/(4κ) is attained. With
// either, ‖u* − u*_m‖² ≤ (c + 1)‖R_m‖² and ‖∇f(x*_m)‖_π ≤ L ‖R_m‖.
struct RemainderFactors {
  double paper = 1, sharp = 0;
};
[[nodiscard]] RemainderFactors remainder_factors(double kappa);

// --- Steps ---
struct LargestSteps {
  double gd = 0;          // 2/((μ + L) C_G)
  double agd = 0;         // 1/L: what the accelerated method uses
  double agd_paper = 0;   // min(1/L, μ³/(60 (1 + C_A))²)
  double agd_proved = 0;  // min(1/L, μ³/(3 C_A)²): the contraction 1 − √(αμ)/3 is proved
};
[[nodiscard]] LargestSteps largest_steps(const TheoryConstants& constants,
                                         const SampledLevel& level);

// --- Gradient descent ---
// ρ = 1 − 2γμL/(μ + L): one step has E‖u_{k+1} − u*_m‖² ≤ ρ ‖u_k − u*_m‖² + γ²C if
// γ ≤ 2/((μ + L) C_G).
[[nodiscard]] double gd_contraction(const TheoryConstants& constants, double gamma);
// After k steps from ‖u − u*_m‖² = initial: ρ^k (initial − φ) + φ, φ = (μ + L)γC/(2μL).
[[nodiscard]] double fixed_level_bound(const TheoryConstants& constants, double gamma, double C,
                                       double initial, double k);
// Growing levels: if ‖u* − u*_m‖ ≤ truncation and γ√C ≤ noise at every level, then N steps take
// E‖u − u*‖ to at most ρ^{N/2} E‖u − u*‖ + ((1 + √ρ) truncation + noise)/(1 − √ρ).
[[nodiscard]] double growing_level_neighbourhood(const TheoryConstants& constants, double gamma,
                                                 double truncation, double noise);

// --- The accelerated method with β = (1 − √(αμ))/(1 + √(αμ)) ---
// Λ = ½‖(e_k − e_{k−1})/√α + √μ e_{k−1}‖² + h + growth·2α‖y_k − u*_m‖², e_k = u_k − u*_m,
// h = E_π[f(x_k) − f(x*_m)]. growth = 0 is the function of the proved statement, growth = 1 + C_A
// that of the paper.
[[nodiscard]] double lyapunov(const TheoryConstants& constants, double alpha,
                              const Coefficients& error, const Coefficients& previous_error,
                              double h, double growth = 0);
// E Λ_{k+1} ≤ rate Λ_k + source for α ≤ 1/L, with growth = 0:
//   rate = 1 − s + α(1 + αL)(1 + s²)/(1 + s)² C_A/μ,  source = α(1 + αL) C/2,  s = √(αμ);
// and ‖u_k − u*_m‖² ≤ (2/μ) Λ_k. The rate is at most 1 − s/3 for α ≤ agd_proved.
struct AcceleratedContraction {
  double rate = 1, source = 0;
};
[[nodiscard]] AcceleratedContraction accelerated_contraction(const TheoryConstants& constants,
                                                             const SampledLevel& level,
                                                             double alpha, double C);
// After k steps from rest (u_0 = u_{−1}) at ‖u − u*_m‖² = initial: a bound of E‖u_k − u*_m‖², as
// Λ_0 ≤ (μ + L)/2 · initial. Empty if the rate is not below 1.
[[nodiscard]] std::optional<double> accelerated_bound(const TheoryConstants& constants,
                                                      const SampledLevel& level, double alpha,
                                                      double C, double initial, double k);

// --- Condition number of the solution ---
// ‖R_m u*‖² for m = 0 … size, not increasing in m.
struct RemainderCurve {
  std::vector<double> squared;
  double start_squared = 0;  // ‖x_start − x*‖²_π
  bool exact = true;         // from the reference; otherwise from the coefficients of a solution
  // κ_ε: the smallest m with ‖R_m u*‖ < ε; empty if the curve does not reach that far.
  [[nodiscard]] std::optional<Index> condition(double epsilon) const;
};
// From a solution: what its own coefficients leave behind the first m; an underestimate by what
// lies beyond its basis.
[[nodiscard]] RemainderCurve solution_remainders(const Expansion& expansion, const Vector& start);
// From the reference of the problem, on the first `size` functions that the options order. Empty
// without a reference that can be integrated.
[[nodiscard]] std::optional<RemainderCurve> reference_remainders(const Oracle& oracle,
                                                                 const Options& options,
                                                                 Index size);

// μ_m and L_m: the extreme eigenvalues of the Hessian of the truncated problem (m q variables) at
// the start, by differences of D_m under quadrature; μ ≤ μ_m and L_m ≤ L. Empty where that is too
// expensive.
struct LevelCurvature {
  double mu = 0, L = 0;
  [[nodiscard]] double kappa() const { return L / mu; }
};
[[nodiscard]] std::optional<LevelCurvature> level_curvature(const Oracle& oracle,
                                                            const Basis& basis, Index m);

// --- Predicted cost ---
// The fixed-level bounds solved for the number of steps: the smallest level m with
// ‖u* − u*_m‖ ≤ tolerance/2 (by the sharp lemma), M so that the noise leaves at most tolerance²/8,
// k so that the start does too. Then E‖x_k − x*‖²_π ≤ tolerance².
//   gd   γ = 2/((μ + L) C_G), M ≥ 2 V_G Q: at most twice the steps of exact gradients
//   agd  α = 1/L, M ≥ 8 V_G κ^{3/2} Q: rate at most 1 − √(αμ)/2
struct CostPrediction {
  Index m = 0;
  double M = 0, iterations = 0, gradients = 0;
};
// Q(m) is asked for the chosen level. Empty if the curve ends before the level, or for a method
// without such a bound.
[[nodiscard]] std::optional<CostPrediction> predict_cost(Method method,
                                                         const TheoryConstants& constants,
                                                         const RemainderCurve& remainders,
                                                         const std::function<double(Index)>& Q,
                                                         double tolerance);

// --- A given run ---
// A bound of E‖u_k − P_{m_k}u*‖² after every iteration of the history, the expectation of the
// column error_squared: the one-step statements above with the steps, levels and samples of the
// run, and what a new level adds. Valid if the constants of the run are. Empty where no statement
// applies: without a reference; for nested; with Sobol' points, a given momentum or a radius; and
// from the first step on that is longer than its theorem allows (gd, uqsa: 2/((μ + L) C_G); agd,
// masg: 1/L and rate below 1).
[[nodiscard]] std::vector<std::optional<double>> run_bounds(
    const Oracle& oracle, const Options& options, const ProblemConstants& constants,
    const std::vector<IterationRecord>& history);

}  // namespace chaosgrad::internal
