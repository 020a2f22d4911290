#include "paper/theory.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace chaosgrad::internal {

TheoryConstants theory_constants(const ProblemConstants& constants) {
  return {constants.mu.value, constants.L.value, constants.V.value, constants.VG.value};
}

double integral_error_bound(const TheoryConstants& constants, const SampledLevel& level,
                            double gradient_squared) {
  return level.Q / level.M * (constants.VG * gradient_squared + constants.V);
}

double noise_floor(const TheoryConstants& constants, const SampledLevel& level,
                   double optimum_gradient_squared) {
  return level.Q / level.M * (2 * constants.VG * optimum_gradient_squared + constants.V);
}

double noise_growth(const TheoryConstants& constants, const SampledLevel& level) {
  return 1 + 2 * constants.VG * level.Q / level.M;
}

double accelerated_noise_growth(const TheoryConstants& constants, const SampledLevel& level) {
  return 2 * constants.VG * constants.L * constants.L * level.Q / level.M;
}

RemainderFactors remainder_factors(double kappa) {
  return {kappa, (kappa - 1) * (kappa - 1) / (4 * kappa)};
}

LargestSteps largest_steps(const TheoryConstants& constants, const SampledLevel& level) {
  const double mu = constants.mu, L = constants.L, cube = mu * mu * mu;
  const double growth = accelerated_noise_growth(constants, level);
  const auto at_most = [&](double factor) {
    return factor > 0 ? std::min(1 / L, cube / (factor * factor)) : 1 / L;
  };
  return {2 / ((mu + L) * noise_growth(constants, level)), 1 / L, at_most(60 * (1 + growth)),
          at_most(3 * growth)};
}

double gd_contraction(const TheoryConstants& constants, double gamma) {
  return 1 - 2 * gamma * constants.mu * constants.L / (constants.mu + constants.L);
}

double fixed_level_bound(const TheoryConstants& constants, double gamma, double C, double initial,
                         double k) {
  const double phi = (constants.mu + constants.L) * gamma * C / (2 * constants.mu * constants.L);
  return std::pow(gd_contraction(constants, gamma), k) * (initial - phi) + phi;
}

double growing_level_neighbourhood(const TheoryConstants& constants, double gamma,
                                   double truncation, double noise) {
  const double root = std::sqrt(gd_contraction(constants, gamma));
  return ((1 + root) * truncation + noise) / (1 - root);
}

double lyapunov(const TheoryConstants& constants, double alpha, const Coefficients& error,
                const Coefficients& previous_error, double h, double growth) {
  const double s = std::sqrt(alpha * constants.mu), beta = (1 - s) / (1 + s);
  const double kinetic =
      ((error - previous_error) / std::sqrt(alpha) + std::sqrt(constants.mu) * previous_error)
          .squaredNorm();
  const double ahead = ((1 + beta) * error - beta * previous_error).squaredNorm();
  return 0.5 * kinetic + h + 2 * alpha * growth * ahead;
}

AcceleratedContraction accelerated_contraction(const TheoryConstants& constants,
                                               const SampledLevel& level, double alpha, double C) {
  const double s = std::sqrt(alpha * constants.mu), noise = alpha * (1 + alpha * constants.L) / 2;
  // ‖y − u*_m‖² ≤ (2/μ)(1 + s²)/(1 + s)² Λ.
  const double ahead = 2 / constants.mu * (1 + s * s) / ((1 + s) * (1 + s));
  return {1 - s + noise * accelerated_noise_growth(constants, level) * ahead, noise * C};
}

std::optional<double> accelerated_bound(const TheoryConstants& constants, const SampledLevel& level,
                                        double alpha, double C, double initial, double k) {
  const auto [rate, source] = accelerated_contraction(constants, level, alpha, C);
  if (!(rate < 1) || alpha > (1 + 1e-12) / constants.L) return std::nullopt;
  const double floor = source / (1 - rate), start = (constants.mu + constants.L) / 2 * initial;
  return 2 / constants.mu * (std::pow(rate, k) * (start - floor) + floor);
}

std::optional<Index> RemainderCurve::condition(double epsilon) const {
  const auto first = std::find_if(squared.begin(), squared.end(),
                                  [&](double value) { return value < epsilon * epsilon; });
  if (first == squared.end()) return std::nullopt;
  return static_cast<Index>(first - squared.begin());
}

RemainderCurve solution_remainders(const Expansion& expansion, const Vector& start) {
  const Coefficients& u = expansion.coefficients();
  RemainderCurve curve{.squared = std::vector<double>(static_cast<std::size_t>(u.rows()) + 1, 0.0),
                       .start_squared = 0,
                       .exact = false};
  for (Index i = u.rows() - 1; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    curve.squared[at] = curve.squared[at + 1] + u.row(i).squaredNorm();
  }
  curve.start_squared = (u.row(0) - start.transpose()).squaredNorm() + curve.squared[1];
  return curve;
}

std::optional<CostPrediction> predict_cost(Method method, const TheoryConstants& constants,
                                           const RemainderCurve& remainders,
                                           const std::function<double(Index)>& Q,
                                           double tolerance) {
  if (method != Method::gd && method != Method::agd) return std::nullopt;
  const double mu = constants.mu, L = constants.L, kappa = constants.kappa();
  const double truncation = 1 + remainder_factors(kappa).sharp;  // ‖u* − u*_m‖² ≤ this · ‖R_m‖²
  const std::optional<Index> level = remainders.condition(tolerance / 2 / std::sqrt(truncation));
  if (!level) return std::nullopt;
  const Index m = std::max<Index>(1, *level);
  const double remainder = remainders.squared[static_cast<std::size_t>(m)];
  const double noise = Q(m) * (2 * constants.VG * L * L * remainder + constants.V);  // M C
  // ‖u_0 − u*_m‖² ≤ (‖u_0 − u*‖ + ‖u* − u*_m‖)².
  const double start =
      std::pow(std::sqrt(remainders.start_squared) + std::sqrt(truncation * remainder), 2);
  const double allowed = tolerance * tolerance / 8;
  double M = 1, rate = 0, factor = 1;
  if (method == Method::gd) {
    // φ = C/(μ L C_G) at the largest step.
    M = std::max(
        {1.0, 2 * constants.VG * Q(m), noise / (mu * L * allowed) - 2 * constants.VG * Q(m)});
    M = std::ceil(M);
    rate = gd_contraction(constants, largest_steps(constants, {Q(m), M}).gd);
  } else {
    const double s = std::sqrt(1 / kappa);
    rate = 1 - s / 2;
    // (2/μ) source/(1 − rate) = (2/μ)(C/L)/(s/2) ≤ allowed.
    M = std::ceil(
        std::max({1.0, 8 * constants.VG * kappa / s * Q(m), 4 * noise / (mu * L * s * allowed)}));
    factor = (mu + L) / mu;
  }
  const double needed = factor * start / allowed;
  const double steps = needed <= 1 ? 0
                       : rate <= 0 ? 1
                                   : std::ceil(std::log(needed) / -std::log(rate));
  return CostPrediction{m, M, steps, steps * M};
}

}  // namespace chaosgrad::internal
