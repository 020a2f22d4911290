#include "solution/statistics/propagate.h"

#include <algorithm>
#include <cmath>

namespace chaosgrad::internal {
namespace {
constexpr Propagated unknown{infinity, infinity, infinity, infinity, infinity};
constexpr Index slope_points = 8 * block_size;
constexpr Index slope_draws = 8;  // of the noise

// Sums over the samples that bound E[w(z) Σ s_i |e_i|], for one weight w: for each component Σ w²
// s_i², and Σ w² |s|².
struct SlopeSums {
  Vector components;
  double all = 0;
  // min(Σ_i ‖w s_i‖ ε_i, ‖w |s|‖ ε)
  [[nodiscard]] double bound(const Accuracy& accuracy, double count) const {
    const double separate = (components / count).cwiseSqrt().dot(accuracy.components);
    return std::min(separate, std::sqrt(all / count) * accuracy.total);
  }
};

// Slopes of every quantity at a block of samples: (n·q) × count, component by component.
std::vector<Matrix> slopes(const Quantities& quantities, const Matrix& x, const Matrix& theta,
                           const Matrix& noise, const Vector& steps) {
  const Matrix middle = quantity_means(quantities, x, theta, noise);
  std::vector<Matrix> result;
  Matrix moved = x;
  for (Index i = 0; i < x.cols(); ++i) {
    moved.col(i) = x.col(i).array() + steps(i);
    const Matrix above = quantity_means(quantities, moved, theta, noise);
    moved.col(i) = x.col(i).array() - steps(i);
    const Matrix below = quantity_means(quantities, moved, theta, noise);
    moved.col(i) = x.col(i);
    result.push_back((above - middle).cwiseAbs().cwiseMax((below - middle).cwiseAbs()) / steps(i));
  }
  return result;
}

}  // namespace

Propagated propagate_component(double epsilon, const ShapeMoments& shape) {
  if (!std::isfinite(epsilon)) return unknown;
  // First order: δγ = (3/σ) E[(z² − 1 − γz) e], δK = (4/σ) E[(z³ − γ − Kz) e]; σ* ≥ σ − ε.
  const double gamma = shape.third, K = shape.fourth;
  const double skewness_weight = std::sqrt(std::max(0.0, K - 1 - gamma * gamma));
  const double kurtosis_weight = std::sqrt(std::max(0.0, shape.sixth - gamma * gamma - K * K));
  const double relative = epsilon < shape.sd ? epsilon / (shape.sd - epsilon) : infinity;
  const bool defined = epsilon < shape.sd;
  return {.mean = epsilon,
          .sd = epsilon,
          .skewness = defined ? 3 * relative * skewness_weight : infinity,
          .kurtosis = defined ? 4 * relative * kurtosis_weight : infinity,
          .norm = epsilon};
}

std::vector<Propagated> propagate_quantities(const OutputSampler& sampler,
                                             const Expansion& expansion,
                                             const Quantities& quantities, const Accuracy& accuracy,
                                             const std::vector<ShapeMoments>& shapes,
                                             std::uint64_t seed) {
  const auto count = static_cast<std::size_t>(quantities.count);
  if (!std::isfinite(accuracy.total)) return std::vector<Propagated>(count, unknown);
  const Index q = sampler.components(), d = expansion.measure().dimension();
  const ShiftedPoints points = shifted_points(
      seed, 0, slope_points, d, std::min(slope_draws, sampler.draws()), quantities.noise_dimension);
  const OutputSamples samples = sampler.at(points.u, expansion.coefficients(), points.noise);
  const Matrix x = samples.values.leftCols(q);
  // Never so small a step that rounding decides.
  const Vector scale = x.cwiseAbs().colwise().maxCoeff().transpose();
  const Vector steps = accuracy.components.cwiseMax(1e-6 * scale).cwiseMax(1e-12);

  // Weights 1, z, z² − 1 − γz and z³ − γ − Kz.
  std::vector<std::array<SlopeSums, 4>> sums(count);
  for (auto& weights : sums) {
    for (SlopeSums& sum : weights) sum.components = Vector::Zero(q);
  }
  Matrix largest_each = Matrix::Zero(q, quantities.count);  // of s_i
  Vector largest = Vector::Zero(quantities.count);          // of |s|
  for (Index first = 0; first < slope_points; first += block_size) {
    const std::vector<Matrix> slope =
        slopes(quantities, x.middleRows(first, block_size),
               samples.theta.middleRows(first, block_size), points.noise, steps);
    for (std::size_t j = 0; j < count; ++j) {
      const auto column = static_cast<Index>(j);
      const ShapeMoments& shape = shapes[j];
      Eigen::ArrayXd z =
          samples.values.col(q + column).segment(first, block_size).array() - shape.mean;
      if (shape.sd > 0) z /= shape.sd;
      const std::array<Eigen::ArrayXd, 4> weights = {Eigen::ArrayXd::Ones(block_size), z,
                                                     z.square() - 1 - shape.third * z,
                                                     z.cube() - shape.third - shape.fourth * z};
      Eigen::ArrayXd square = Eigen::ArrayXd::Zero(block_size);
      for (Index i = 0; i < q; ++i) {
        const Eigen::ArrayXd s = slope[static_cast<std::size_t>(i)].col(column).array();
        square += s.square();
        largest_each(i, column) = std::max(largest_each(i, column), s.maxCoeff());
        for (std::size_t w = 0; w < weights.size(); ++w)
          sums[j][w].components(i) += (weights[w] * s).square().sum();
      }
      for (std::size_t w = 0; w < weights.size(); ++w)
        sums[j][w].all += (weights[w].square() * square).sum();
      largest(column) = std::max(largest(column), std::sqrt(square.maxCoeff()));
    }
  }
  std::vector<Propagated> result;
  for (std::size_t j = 0; j < count; ++j) {
    const auto column = static_cast<Index>(j);
    const auto n = static_cast<double>(slope_points);
    const double norm = std::min(largest(column) * accuracy.total,
                                 largest_each.col(column).dot(accuracy.components));
    const double sd = shapes[j].sd - norm;
    Propagated propagated{.mean = sums[j][0].bound(accuracy, n),
                          .sd = sums[j][1].bound(accuracy, n),
                          .skewness = sd > 0 ? 3 / sd * sums[j][2].bound(accuracy, n) : infinity,
                          .kurtosis = sd > 0 ? 4 / sd * sums[j][3].bound(accuracy, n) : infinity,
                          .norm = norm};
    result.push_back(std::isfinite(norm) ? propagated : unknown);
  }
  return result;
}

}  // namespace chaosgrad::internal
