#include "estimate/constants.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "curvature/curvature.h"
#include "estimate/average_gradient.h"
#include "samples/parameters.h"

namespace chaosgrad::internal {
namespace {

struct Extremes {
  double lowest = std::numeric_limits<double>::quiet_NaN(), highest = 0;  // eigenvalues
  Vector step;  // towards the optimum; a gradient step where no Hessian is at hand
};

Extremes dense_extremes(AverageGradient& gradient, const Vector& x, double h) {
  const Index q = x.size();
  Matrix hessian;
  for (int k = 0; k < 4 && !(k > 0 && hessian.allFinite()); ++k, h *= 1e-2) {  // beside a border
    hessian =
        hessian_by_differences(std::ref(gradient), x, Vector::Constant(q, h), Difference::central);
  }
  if (!hessian.allFinite()) return {.step = Vector::Zero(q)};
  const Curvature curvature = decompose(hessian);
  Extremes result{curvature.lowest(), curvature.highest(), Vector::Zero(q)};
  if (result.lowest > 0) {
    const Matrix& V = curvature.vectors;
    result.step = -V * (V.transpose() * gradient(x)).cwiseQuotient(curvature.eigenvalues);
  }
  return result;
}

Extremes krylov_extremes(AverageGradient& gradient, const Vector& x, double h,
                         const Stream& start) {
  const auto product = [&](const Vector& v) -> Vector {
    return (gradient(x + h * v) - gradient(x - h * v)) / (2 * h);
  };
  const KrylovSpace space = lanczos(product, x.size(), start);
  if (!space.tridiagonal.allFinite()) return {.step = Vector::Zero(x.size())};
  const Curvature curvature = decompose(space);
  return {curvature.lowest(), curvature.highest(), -gradient(x) / curvature.highest()};
}

// V + (V_G − 1) a bounds the variance s at every point (a = |∇f|², s): the slope by least squares
// where it stands clear of its standard error, V as the largest remainder.
void fit_noise(const std::vector<std::pair<double, double>>& points, ProblemConstants& constants) {
  const auto n = static_cast<double>(points.size());
  double mean_a = 0, mean_s = 0;
  for (const auto& [a, s] : points) {
    mean_a += a / n;
    mean_s += s / n;
  }
  double aa = 0, as = 0;
  for (const auto& [a, s] : points) {
    aa += (a - mean_a) * (a - mean_a);
    as += (a - mean_a) * (s - mean_s);
  }
  double slope = aa > 0 ? as / aa : 0, residual = 0;
  for (const auto& [a, s] : points) residual += std::pow(s - mean_s - slope * (a - mean_a), 2);
  const double error = aa > 0 ? std::sqrt(residual / (n - 2) / aa) : 0;
  if (slope < 2 * error) slope = 0;
  double lowest = infinity, highest = 0;
  for (const auto& [a, s] : points) {
    lowest = std::min(lowest, s - slope * a);
    highest = std::max(highest, s - slope * a);
  }
  constants.VG = {1 + slope, false, 1 + std::max(0.0, slope - 2 * error), 1 + slope + 2 * error};
  constants.V = {highest, false, std::max(0.0, lowest), highest};
}

}  // namespace

ProblemConstants measure_constants(const Oracle& oracle, std::uint64_t seed, Index points) {
  const bool dense = oracle.dimension() <= pointwise_limit, noisy = oracle.noise_dimension() > 0;
  const Index draws = dense ? 512 : 64;
  if (!dense) points = std::min<Index>(points, 8);
  const Matrix thetas = draw_parameters(oracle.parameters(),
                                        make_stream(seed, Purpose::constants_parameters), 0, points)
                            .theta;
  ProblemConstants constants;
  std::vector<double> low, high;
  std::vector<std::pair<double, double>> noise;
  for (Index i = 0; i < points; ++i) {
    const auto step = static_cast<std::uint64_t>(i);
    AverageGradient gradient(
        oracle, thetas.row(i).transpose(),
        draw_noise(oracle.noise_dimension(), make_stream(seed, Purpose::constants_noise, step), 0,
                   noisy ? draws : 1));
    Vector x = oracle.facts().start, moved = Vector::Zero(x.size());
    const auto extremes_at = [&](const Vector& place) {
      const double h = difference_step(Difference::central, noisy, place.norm());
      return dense ? dense_extremes(gradient, place, h)
                   : krylov_extremes(gradient, place, h,
                                     make_stream(seed, Purpose::constants_krylov, step));
    };
    for (int visit = 0; visit < 2; ++visit) {
      Extremes extremes = extremes_at(x);
      // A step out of the domain is shortened.
      for (int k = 0; k < 30 && visit > 0 && std::isnan(extremes.lowest); ++k) {
        moved *= 0.5;
        x -= moved;
        extremes = extremes_at(x);
      }
      low.push_back(extremes.lowest);
      high.push_back(extremes.highest);
      const double variance = gradient.variance(x);
      noise.emplace_back(
          std::max(0.0, gradient(x).squaredNorm() - variance / static_cast<double>(draws)),
          variance);
      moved = extremes.step;
      x += moved;
    }
    constants.gradients += gradient.count();
  }
  const auto [low_min, low_max] = std::minmax_element(low.begin(), low.end());
  const auto [high_min, high_max] = std::minmax_element(high.begin(), high.end());
  constants.mu = {*low_min, false, *low_min, *low_max};
  constants.L = {*high_max, false, *high_min, *high_max};
  fit_noise(noise, constants);
  return constants;
}

ProblemConstants estimate_constants(const Oracle& oracle, std::uint64_t seed, Index points) {
  const ProblemFacts& facts = oracle.facts();
  const bool all_given =
      facts.strong_convexity && facts.smoothness && facts.noise_variance && facts.noise_growth;
  ProblemConstants constants;
  if (!all_given) constants = measure_constants(oracle, seed, points);
  const auto take = [](const std::optional<double>& fact, Constant& constant) {
    if (fact) constant = {*fact, true, *fact, *fact};
  };
  take(facts.strong_convexity, constants.mu);
  take(facts.smoothness, constants.L);
  take(facts.noise_variance, constants.V);
  take(facts.noise_growth, constants.VG);
  constants.L.value = std::max(constants.L.value, constants.mu.value);
  return constants;
}

}  // namespace chaosgrad::internal
