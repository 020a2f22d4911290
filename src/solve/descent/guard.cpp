#include "solve/descent/guard.h"

#include <algorithm>
#include <cmath>

#include "solve/descent/tuning.h"

namespace chaosgrad::internal {
namespace {

bool is_stable(double alpha, double beta, double s, double mu, double L) {
  const double slowest = second_moment_rate(alpha, beta, mu, 0);
  const double allowed = 1 - kept_contraction * std::max(0.0, 1 - slowest);
  if (slowest >= 1) return false;
  for (const double lambda : {L, 0.75 * L, 0.5 * L, 0.25 * L, std::sqrt(mu * L), mu}) {
    if (lambda >= mu && second_moment_rate(alpha, beta, lambda, s) > allowed) return false;
  }
  return true;
}

}  // namespace

double largest_gradient_step(const Level& level, const ProblemConstants& constants) {
  const double second_moment_factor =  // C_G
      1 + 2 * constants.VG.value * level.Q / static_cast<double>(level.M);
  return 2 / ((constants.mu.value + constants.L.value) * second_moment_factor);
}

double second_moment_rate(double alpha, double beta, double lambda, double s) {
  // y = (1 + β) e_k − β e_{k−1};  e_{k+1} = (1 − αλ) y + noise,  E noise² = s (αλ)² E y².
  const double contraction = 1 - alpha * lambda;
  const double grown = contraction * contraction + s * alpha * alpha * lambda * lambda;
  Eigen::Matrix3d moments;
  moments << grown * (1 + beta) * (1 + beta), -2 * grown * beta * (1 + beta),
      grown * beta * beta,                               //
      contraction * (1 + beta), -contraction * beta, 0,  //
      1, 0, 0;
  // The spectral radius is lim ‖A^n‖^{1/n}, n = 2, 4, 8, …: square, and take the size out each
  // time.
  double log_size = 0;
  for (int squaring = 0; squaring < radius_squarings; ++squaring) {
    const double size = moments.norm();
    if (size == 0) return 0;
    log_size = 2 * (log_size + std::log(size));
    moments = (moments / size) * (moments / size);
  }
  return std::exp((log_size + std::log(moments.norm())) / std::ldexp(1.0, radius_squarings));
}

double stable_accelerated_step(double alpha, double beta, const Level& level,
                               const ProblemConstants& constants) {
  const double mu = constants.mu.value, L = constants.L.value;
  const double s = constants.VG.value * level.Q / static_cast<double>(level.M);
  if (is_stable(alpha, beta, s, mu, L)) return alpha;
  double low = 0, high = std::min(alpha, 1 / L);
  if (is_stable(high, paired_momentum(high, mu), s, mu, L)) return high;
  for (int halving = 0; halving < step_halvings; ++halving) {
    const double middle = 0.5 * (low + high);
    (is_stable(middle, paired_momentum(middle, mu), s, mu, L) ? low : high) = middle;
  }
  return low;
}

}  // namespace chaosgrad::internal
