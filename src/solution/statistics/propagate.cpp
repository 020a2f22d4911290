#include "solution/statistics/propagate.h"

#include <algorithm>
#include <cmath>

namespace chaosgrad::internal {
namespace {
constexpr Propagated unknown{infinity, infinity, infinity, infinity, infinity};
constexpr Index slope_points = 8 * block_size;
constexpr Index least_points = 32;
constexpr Index most_components = 16;                             // that are moved one by one
constexpr Index directions = 16;                                  // of more
constexpr double slope_share = 0.1;                               // of the work of all statistics
constexpr std::uint64_t direction_step = std::uint64_t{1} << 40;  // of Purpose::statistics

// Sums over the samples that bound E[w(z) Σ s_i |e_i|], for one weight w: for each component Σ w²
// s_i², and Σ w² |s|².
struct SlopeSums {
  Vector components;
  double all = 0;
  // min(Σ_i ‖w s_i‖ ε_i, ‖w |s|‖ ε); the second alone where the components were not moved.
  [[nodiscard]] double bound(const Accuracy& accuracy, double count) const {
    const double together = std::sqrt(all / count) * accuracy.total;
    if (components.size() == 0) return together;
    return std::min((components / count).cwiseSqrt().dot(accuracy.components), together);
  }
};

// Moves of x: steps along each component, or ±1 in every component at once, by `steps`.
struct Moves {
  Matrix signs;  // moves × q
  Vector lengths;
  bool by_component = true;
};

Moves moves_of(const Accuracy& accuracy, const Matrix& x, std::uint64_t seed) {
  const Index q = x.cols();
  // Never so small a step that rounding decides.
  const double scale = std::max(1e-12, 1e-6 * x.cwiseAbs().maxCoeff());
  if (q <= most_components) {
    const Vector scales = x.cwiseAbs().colwise().maxCoeff().transpose();
    return {Matrix::Identity(q, q), accuracy.components.cwiseMax(1e-6 * scales).cwiseMax(1e-12)};
  }
  Matrix signs(directions, q);
  fill_uniform(make_stream(seed, Purpose::statistics, direction_step), 0, signs);
  signs = signs.unaryExpr([](double u) { return u < 0.5 ? -1.0 : 1.0; });
  const double length = accuracy.total / std::sqrt(static_cast<double>(q));
  return {signs, Vector::Constant(directions, std::max(length, scale)), false};
}

// x moved by a step, but not across its bounds: x* is within them too, and a quantity may not be
// defined beyond.
Matrix moved(const Matrix& x, const Eigen::RowVectorXd& step, const ConstraintBlock* bounds) {
  const Matrix there = x.rowwise() + step;
  return bounds ? Matrix(there.cwiseMax(bounds->lower).cwiseMin(bounds->upper)) : there;
}

// Slopes of every quantity at a block of samples along the moves: n × count each.
std::vector<Matrix> slopes(const Quantities& quantities, const Matrix& x, const Matrix& theta,
                           const NoiseRule& noise, const Moves& moves,
                           const Constraints* constraints) {
  ConstraintBlock at;
  if (constraints) constraints->evaluate(x, theta, at);
  const ConstraintBlock* bounds = constraints ? &at : nullptr;
  const auto means = [&](const Matrix& at) {
    return quantity_means(quantities, at, theta, noise.nodes, noise.weights);
  };
  const Matrix middle = means(x);
  std::vector<Matrix> result;
  for (Index i = 0; i < moves.signs.rows(); ++i) {
    const Eigen::RowVectorXd step = moves.lengths(i) * moves.signs.row(i);
    const Matrix above = means(moved(x, step, bounds)), below = means(moved(x, -step, bounds));
    result.push_back((above - middle).cwiseAbs().cwiseMax((below - middle).cwiseAbs()) /
                     moves.lengths(i));
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
                                             const Quantities& quantities, const Accuracy& accuracy,
                                             const std::vector<ShapeMoments>& shapes,
                                             Index parameters, const StatisticsOptions& options) {
  const auto count = static_cast<std::size_t>(quantities.count);
  if (!std::isfinite(accuracy.total)) return std::vector<Propagated>(count, unknown);
  const auto q = accuracy.components.size();
  // What is left for one point with one draw of the noise.
  const double share = slope_share * options.work /
                       (2.0 * static_cast<double>(std::min(q, directions)) * quantities.operations);
  const NoiseRule noise = sampler.noise(0, static_cast<Index>(share / least_points));
  const auto affordable =
      std::clamp<Index>(static_cast<Index>(share / static_cast<double>(noise.weights.size())),
                        least_points, slope_points);
  const auto [theta, x] = sampler.optima(shifted_points(options.seed, 0, affordable, parameters));
  const Index points = x.rows();
  const Moves moves = moves_of(accuracy, x, options.seed);

  // Weights 1, z, z² − 1 − γz and z³ − γ − Kz.
  std::vector<std::array<SlopeSums, 4>> sums(count);
  const Index moved = moves.by_component ? q : 0;
  for (auto& weights : sums) {
    for (SlopeSums& sum : weights) sum.components = Vector::Zero(moved);
  }
  Matrix largest_each = Matrix::Zero(moved, quantities.count);  // of s_i
  Vector largest = Vector::Zero(quantities.count);              // of |s|
  for (Index first = 0; first < points; first += block_size) {
    const Index n = std::min(block_size, points - first);
    const Matrix block_x = x.middleRows(first, n), block_theta = theta.middleRows(first, n);
    const std::vector<Matrix> slope =
        slopes(quantities, block_x, block_theta, noise, moves, sampler.constraints());
    const Matrix values =
        quantity_means(quantities, block_x, block_theta, noise.nodes, noise.weights);
    for (std::size_t j = 0; j < count; ++j) {
      const auto column = static_cast<Index>(j);
      const ShapeMoments& shape = shapes[j];
      // Standardised by their own mean, which fewer draws of the noise may have moved.
      Eigen::ArrayXd z = values.col(column).array() - values.col(column).mean();
      if (shape.sd > 0) z /= shape.sd;
      const std::array<Eigen::ArrayXd, 4> weights = {Eigen::ArrayXd::Ones(n), z,
                                                     z.square() - 1 - shape.third * z,
                                                     z.cube() - shape.third - shape.fourth * z};
      Eigen::ArrayXd square = Eigen::ArrayXd::Zero(n);
      for (std::size_t i = 0; i < slope.size(); ++i) {
        const Eigen::ArrayXd s = slope[i].col(column).array();
        square += s.square() / (moves.by_component ? 1.0 : static_cast<double>(directions));
        if (!moves.by_component) continue;
        const auto row = static_cast<Index>(i);
        largest_each(row, column) = std::max(largest_each(row, column), s.maxCoeff());
        for (std::size_t w = 0; w < weights.size(); ++w)
          sums[j][w].components(row) += (weights[w] * s).square().sum();
      }
      for (std::size_t w = 0; w < weights.size(); ++w)
        sums[j][w].all += (weights[w].square() * square).sum();
      largest(column) = std::max(largest(column), std::sqrt(square.maxCoeff()));
    }
  }
  std::vector<Propagated> result;
  for (std::size_t j = 0; j < count; ++j) {
    const auto column = static_cast<Index>(j);
    const auto n = static_cast<double>(points);
    double norm = largest(column) * accuracy.total;
    if (moves.by_component)
      norm = std::min(norm, largest_each.col(column).dot(accuracy.components));
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
