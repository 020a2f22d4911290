#include "estimate/constants.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "numeric/decompositions.h"
#include "numeric/symmetric.h"
#include "random/random.h"

namespace chaosgrad::internal {
namespace {

constexpr Index dense_limit = 32;  // up to this q the whole Hessian is differenced
constexpr Index lanczos_steps =
    40;  // beyond it: extreme eigenvalues from a Krylov space of this size

// f(·, θ) at one θ: gradients averaged over a fixed set of noise draws, so that differences see no
// noise.
class MeanGradient {
 public:
  MeanGradient(const Oracle& oracle, const Vector& theta, Index draws, const Stream& stream)
      : oracle_(oracle), draws_(oracle.noise_dimension() > 0 ? draws : 1) {
    theta_ = theta.transpose().replicate(std::min(draws_, block_size), 1);
    noise_.resize(draws_, oracle.noise_dimension());
    if (oracle.noise_dimension() > 0) fill_uniform(stream, 0, noise_);
  }

  Vector operator()(const Vector& x) {
    Vector sum = Vector::Zero(x.size());
    for_each_block(x, [&](const Matrix& g, Index) { sum += g.colwise().sum().transpose(); });
    return sum / static_cast<double>(draws_);
  }

  // Σ over components of the variance of ∇F over the noise, at x.
  double variance(const Vector& x) {
    const Vector mean = (*this)(x);
    double sum = 0;
    for_each_block(
        x, [&](const Matrix& g, Index) { sum += (g.rowwise() - mean.transpose()).squaredNorm(); });
    return draws_ > 1 ? sum / static_cast<double>(draws_ - 1) : 0;
  }

  [[nodiscard]] Index draws() const { return draws_; }
  [[nodiscard]] std::int64_t count() const { return count_; }

 private:
  template <class Use>
  void for_each_block(const Vector& x, const Use& use) {
    for (Index first = 0; first < draws_; first += block_size) {
      const Index n = std::min(block_size, draws_ - first);
      const Matrix xs = x.transpose().replicate(n, 1);
      Matrix g(n, x.size());
      oracle_.gradient(xs, theta_.topRows(n), noise_.middleRows(first, n), g);
      use(g, n);
      count_ += n;
    }
  }

  const Oracle& oracle_;
  Index draws_;
  Matrix theta_, noise_;
  std::int64_t count_ = 0;
};

// Central difference of the gradient: ∇²f(x) v.
Vector hessian_times(MeanGradient& gradient, const Vector& x, const Vector& v) {
  // Without noise the rounding error eps/h and the truncation error h² balance at eps^(1/3). With
  // noise the gradient of one draw may be a step function, and only a wide difference sees the
  // curvature of the mean.
  const double relative = gradient.draws() > 1 ? 1e-2 : 6e-6;
  const double h = relative * (1 + x.norm()) / v.norm();
  return (gradient(x + h * v) - gradient(x - h * v)) / (2 * h);
}

struct Curvature {
  double lowest, highest;
  Vector newton_step;  // towards the optimum; a gradient step where no Hessian is at hand
};

Curvature dense_curvature(MeanGradient& gradient, const Vector& x) {
  const Index q = x.size();
  Matrix hessian(q, q);
  for (Index j = 0; j < q; ++j) hessian.col(j) = hessian_times(gradient, x, Vector::Unit(q, j));
  if (!hessian.allFinite()) return {std::numeric_limits<double>::quiet_NaN(), 0, Vector::Zero(q)};
  const auto [values, vectors] = symmetric_eigen(symmetric_part(hessian));
  Vector step = Vector::Zero(q);
  if (values(0) > 0) {
    step = -vectors * (vectors.transpose() * gradient(x)).cwiseQuotient(values);
  }
  return {values(0), values(q - 1), step};
}

Curvature lanczos_curvature(MeanGradient& gradient, const Vector& x, const Stream& stream) {
  const Index q = x.size(), steps = std::min(lanczos_steps, q);
  Matrix krylov(q, steps);
  Vector diagonal(steps), off_diagonal(steps);
  Matrix start(q, 1);
  fill_uniform(stream, 0, start);
  Vector v = (start.col(0).array() - 0.5).matrix().normalized();
  Index size = 0;
  for (; size < steps; ++size) {
    krylov.col(size) = v;
    Vector w = hessian_times(gradient, x, v);
    if (!w.allFinite()) return {std::numeric_limits<double>::quiet_NaN(), 0, Vector::Zero(q)};
    diagonal(size) = v.dot(w);
    for (int pass = 0; pass < 2; ++pass) {  // full re-orthogonalisation, twice is enough
      const auto basis = krylov.leftCols(size + 1);
      w -= basis * (basis.transpose() * w);
    }
    off_diagonal(size) = w.norm();
    if (off_diagonal(size) < 1e-8 * std::abs(diagonal(0))) {
      ++size;
      break;
    }
    v = w / off_diagonal(size);
  }
  const Vector values =
      tridiagonal_eigenvalues(diagonal.head(size), off_diagonal.head(std::max<Index>(size - 1, 0)));
  const double highest = values(size - 1);
  return {values(0), highest, -gradient(x) / highest};
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
  const bool dense = oracle.dimension() <= dense_limit;
  const Index draws = dense ? 512 : 64;
  if (!dense) points = std::min<Index>(points, 8);
  Matrix thetas(points, oracle.parameters().dimension());
  fill_uniform(make_stream(seed, Purpose::constants, 0), 0, thetas);
  oracle.parameters().germ_from_uniform(thetas, thetas);
  oracle.parameters().parameters_from_germ(thetas, thetas);

  ProblemConstants constants;
  std::vector<double> low, high;
  std::vector<std::pair<double, double>> noise;
  for (Index i = 0; i < points; ++i) {
    const auto step = static_cast<std::uint64_t>(i + 1);
    MeanGradient gradient(oracle, thetas.row(i).transpose(), draws,
                          make_stream(seed, Purpose::constants, step));
    Vector x = oracle.facts().start;
    for (int visit = 0; visit < 2; ++visit) {
      const Curvature curvature =
          dense ? dense_curvature(gradient, x)
                : lanczos_curvature(gradient, x, make_stream(seed, Purpose::constants, step << 20));
      low.push_back(curvature.lowest);
      high.push_back(curvature.highest);
      const double variance = gradient.variance(x);
      noise.emplace_back(
          std::max(0.0, gradient(x).squaredNorm() - variance / static_cast<double>(draws)),
          variance);
      x += curvature.newton_step;
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
