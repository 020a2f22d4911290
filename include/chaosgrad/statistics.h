#pragma once
// Statistics of x*(θ) and of quantities of x* and θ, each with an error bar:
// docs/mathematics.md, 8.
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "chaosgrad/solution.h"

namespace chaosgrad {

// The truth lies in value ± error with the confidence of the run. The error is infinite where
// nothing is known about it. The value is NaN where it would say nothing: see is_useless.
struct Estimate {
  double value = 0;
  double error = infinity;
};

// Skewness and excess kurtosis have no unit, and their scale is 1 (a uniform distribution has the
// kurtosis −1.2, a lognormal one with σ = 1/2 the skewness 1.75): a bar above max(1, |value|) leaves
// neither their size nor their sign, and statistics() gives {NaN, infinity} then.
[[nodiscard]] bool is_useless(const Estimate& shape);

// What is known about the error of the coefficients: independent estimates of them, whose scatter
// is the noise (none: no noise, or it is part of ε), and a bound ε of the rest in the π-norm.
struct Accuracy {
  double total = infinity;                    // ε
  Vector components = {};                     // ε_i of component i, at most ε
  std::vector<Coefficients> replicates = {};  // see Solution
  double confidence = 0.95;
};
[[nodiscard]] Accuracy accuracy(const ErrorEstimate& error, std::vector<Coefficients> replicates,
                                Index dimension);
[[nodiscard]] Accuracy accuracy(const Solution& solution);

// Functions of (x, θ, v) whose mean over the noise v is wanted: evaluate(x, theta, noise, values)
// fills values (B × count). Thread-safe.
struct Quantities {
  Index count = 0;
  Index noise_dimension = 0;
  std::function<void(Block, Block, Block, BlockOut)> evaluate = {};
  // noiseless(x, theta, means) adds what does not depend on v to the means (B × count); empty: nothing.
  std::function<void(Block, Block, BlockOut)> noiseless = {};
  // One per noise number, empty: all uniform. Where all of them choose among finitely many cases,
  // E_v is their sum.
  std::vector<NoiseAxis> noise_axes = {};
  double operations = 1000;  // of one evaluation, roughly: the costlier, the fewer samples
};
// Their means over the rows of `noise` (draws × noise_dimension, uniform numbers), B × count; with
// `weights` that sum to 1, or empty for equal ones.
[[nodiscard]] Matrix quantity_means(const Quantities& quantities, Block x, Block theta,
                                    const Matrix& noise, const Vector& weights = {});

struct StatisticsOptions {
  std::vector<double> levels = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};  // of the quantiles
  Index bins = 32;                                                         // of the histogram
  Index samples = 131072;  // at most; fewer where the expansion is costly
  double work = 4e9;       // multiplications in all, roughly: what limits the samples
  bool indices = true;     // Sobol' indices of what has no exact ones (they cost the most)
  // Components of x whose distribution is sampled; not given: all. The others have what is exact,
  // and empty quantiles and histogram. There is no covariance then. Not used with `measure`.
  std::optional<std::vector<Index>> components = {};
  std::optional<Measure> measure = {};  // another distribution of θ than that of the run
  std::uint64_t seed = 1;               // of the sampling
  int threads = 0;                      // 0: all cores
};

// Mean density between neighbouring edges, from the 0.1 % to the 99.9 % quantile. Empty where all
// values are the same.
struct Histogram {
  Vector edges, density, error;
};

// Of one component of x, or of one quantity.
struct OutputStatistics {
  Estimate mean, sd, skewness, excess_kurtosis;
  std::vector<Estimate> quantiles;  // at the levels asked for
  Histogram histogram;
  std::vector<Estimate> correlation;  // with each parameter
  // The sensitivity to each parameter: Cov(output, θ_k)/Var θ_k, which for independent parameters
  // is a weighted mean of ∂output/∂θ_k (docs/mathematics.md, 8).
  std::vector<Estimate> slope;
  // Sobol' indices: the share of the variance that depends on germ k alone (main), that involves it
  // at all (total), that depends on two together beyond their main parts (pairwise). Without
  // dependence the germ is the parameter. Empty where they were not asked for.
  std::vector<Estimate> main, total, pairwise;
};

// How the error grows under another distribution of θ: ‖e‖_π' ≤ error_factor ‖e‖_π.
struct Reweighting {
  double error_factor = 1;  // √(sup dπ'/dπ), over the central 1 − 10⁻⁶ of π'
  double effective_share = 1;  // 1/E_π[(dπ'/dπ)²]: the share of samples from π that count under π'
};
// Throws InputError("reweight", …) unless π' has its mass where π has.
[[nodiscard]] Reweighting reweighting(const Measure& measure, const Measure& other);

// Samples of θ at which no x satisfies the constraints: statistics are those of the other θ.
struct InfeasibleSamples {
  double share = 0;
  Vector theta = {};  // one of them; empty: there is none
};

struct Statistics {
  std::vector<double> levels;
  std::vector<std::pair<Index, Index>> pairs;  // of pairwise
  std::vector<OutputStatistics> outputs;       // the components of x, then the quantities
  Matrix covariance, covariance_error;         // of the outputs; empty if only some were sampled
  std::optional<Reweighting> reweighting;
  InfeasibleSamples infeasible = {};
};

// Exact from the coefficients where that is possible: mean, sd, covariance, correlation and Sobol'
// indices of the components. Their skewness and kurtosis by an exact rule in few dimensions, or by
// sampling where that has the smaller bar. The rest by sampling the expansion.
[[nodiscard]] Statistics statistics(const Expansion& expansion, const Accuracy& accuracy,
                                    const Quantities& quantities = {},
                                    const StatisticsOptions& options = {});
[[nodiscard]] Statistics statistics(const Solution& solution, const Quantities& quantities = {},
                                    const StatisticsOptions& options = {});

// How a constraint, a bound or a kink of the objective binds (constraints.h), by component: active
// means that it is met with equality (kinks: c = 0).
struct ConstraintStatistics {
  Constraint constraint;
  std::vector<Estimate> active;  // its probability; a kink that is a norm is one component
  Estimate any;                  // that of one component at least
  // Share of θ where it may be active or not within the error of x, and its multiplier be 0 within
  // its own.
  std::vector<double> weakly_active;
  std::vector<Estimate> mean, sd;    // of the multipliers λ; none for kinks
  std::vector<Matrix> by_parameter;  // P(active | θ_k between two deciles), d×10 per component
};

struct ConstraintReport {
  std::vector<ConstraintStatistics>
      constraints;       // as in Constraints::list(); empty: there are none
  double violation = 0;  // the largest seen, relative to 1 + |bound|
  InfeasibleSamples infeasible = {};
};
// By sampling. The bar of a probability is that of the sampling and the share of θ at which the
// errors of x or of the multipliers (Solution::multiplier_errors; empty: as the metric turns the
// error of x into one) can change the answer: docs/mathematics.md, 8.
[[nodiscard]] ConstraintReport constraint_statistics(const Expansion& expansion,
                                                     const Accuracy& accuracy,
                                                     const Vector& multiplier_errors = {},
                                                     const StatisticsOptions& options = {});
[[nodiscard]] ConstraintReport constraint_statistics(const Solution& solution,
                                                     const StatisticsOptions& options = {});

}  // namespace chaosgrad
