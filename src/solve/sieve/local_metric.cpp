#include "solve/sieve/local_metric.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "basis/kernels.h"
#include "numeric/decompositions.h"
#include "numeric/symmetric.h"
#include "random/random.h"
#include "solve/common/saved_state.h"
#include "solve/sieve/sieve_batch.h"

namespace chaosgrad::internal {
namespace {

constexpr Index local_limit = 40;  // q up to which H may depend on θ
constexpr Index most_blocks = 64;
constexpr double least_variation = 0.1;   // of H(θ) around its mean, relative and squared
constexpr double clear_variation = 16;    // the same, over its noise
constexpr double curvature_floor = 0.02;  // of H(θ), relative to the mean, if μ says no more
constexpr double difference_step = 3e-2;  // relative: noise may make F smooth only on this scale
// Stages of curvature draw from streams far from those of the batches.
constexpr Index curvature_stages = Index{1} << 24;

Index linear_functions(Index d, Index q) { return q <= local_limit ? 1 + d : 1; }

struct Differences {
  Matrix eta;
  Vector weights;
  std::vector<Matrix> hessians;
};

Differences difference_block(const Oracle& oracle, const Basis& basis, const Coefficients& u,
                             const SieveSamples& samples) {
  const Index q = u.cols();
  BasisBlock psi;
  basis.evaluate(samples.eta, u.rows(), psi);
  Matrix x(block_size, q), g(block_size, q), moved_g(block_size, q);
  expand(psi, u, x);
  oracle.gradient(x, samples.theta, samples.noise, g);
  Differences result{samples.eta, samples.weights,
                     std::vector<Matrix>(static_cast<std::size_t>(block_size), Matrix(q, q))};
  for (Index a = 0; a < q; ++a) {
    Matrix moved = x;
    const double h = difference_step * (1 + x.col(a).cwiseAbs().mean());
    moved.col(a).array() += h;
    oracle.gradient(moved, samples.theta, samples.noise, moved_g);
    for (Index i = 0; i < block_size; ++i)
      result.hessians[static_cast<std::size_t>(i)].col(a) =
          (moved_g.row(i) - g.row(i)).transpose() / h;
  }
  return result;
}

// For large q: the mean gradient of a few blocks, and Lanczos on its differences.
LocalMetric measure_mean(const Oracle& oracle, const Basis& basis, const Coefficients& u,
                         std::uint64_t seed, Index stage, Index blocks) {
  const Index q = u.cols();
  std::vector<SieveSamples> samples;
  std::vector<Matrix> offsets;  // x_u(θ) less its mean coefficient
  for (Index b = 0; b < blocks; ++b) {
    samples.push_back(sieve_samples(oracle, basis, u.rows(), seed, curvature_stages + stage, b));
    BasisBlock psi;
    basis.evaluate(samples.back().eta, u.rows(), psi);
    Matrix x(block_size, q);
    expand(psi, u, x);
    offsets.push_back(x.rowwise() - u.row(0));
  }
  const auto gradient = [&](const Vector& x) -> Vector {
    Vector sum = Vector::Zero(q);
    Matrix g(block_size, q);
    for (std::size_t b = 0; b < samples.size(); ++b) {
      oracle.gradient(offsets[b].rowwise() + x.transpose(), samples[b].theta, samples[b].noise, g);
      sum += g.transpose() * samples[b].weights;
    }
    return sum / static_cast<double>(blocks * block_size);
  };
  Curvature mean = measure_curvature(gradient, u.row(0).transpose(), difference_step, seed);
  return LocalMetric(std::move(mean));
}

// W = V Λ^{−1/2}.
Matrix whitening(const Curvature& mean) {
  return mean.vectors * mean.eigenvalues.cwiseSqrt().cwiseInverse().asDiagonal();
}

// Least squares for the whitened Hessians on the constant and linear functions; the mean alone
// where they do not vary beyond their noise.
LocalMetric fit_metric(Curvature mean, Basis linear, const Differences& samples, double floor) {
  const Index h = linear.size(), q = mean.vectors.rows();
  const auto count = static_cast<Index>(samples.hessians.size());
  const Matrix W = whitening(mean);
  Matrix gram = Matrix::Zero(h, h);
  Matrix right = Matrix::Zero(h, q * q);
  double noise = 0;
  BasisBlock psi;
  for (Index j = 0; j < count; ++j) {
    if (j % block_size == 0) linear.evaluate(samples.eta.middleRows(j, block_size), h, psi);
    const Matrix& hessian = samples.hessians[static_cast<std::size_t>(j)];
    const Matrix whitened = W.transpose() * symmetric_part(hessian) * W;
    const double w = samples.weights(j) / static_cast<double>(count);
    Vector values(h);
    for (Index i = 0; i < h; ++i) values(i) = psi(j % block_size, i);
    gram += w * values * values.transpose();
    right += w * values * Eigen::Map<const Vector>(whitened.data(), q * q).transpose();
    noise += w * w * whitened.squaredNorm() * values.tail(h - 1).squaredNorm();
  }
  const Matrix fitted = gram.ldlt().solve(right);
  const double variation = fitted.bottomRows(h - 1).squaredNorm();
  if (variation < least_variation * static_cast<double>(q) || variation < clear_variation * noise)
    return LocalMetric(std::move(mean));
  std::vector<Matrix> parts;
  for (Index i = 0; i < h; ++i) {
    const Vector row = fitted.row(i).transpose();
    parts.emplace_back(Eigen::Map<const Matrix>(row.data(), q, q));
  }
  return LocalMetric(std::move(mean), std::move(linear), std::move(parts), floor);
}

// A⁻¹ y with the eigenvalues of A raised to the floor.
Vector floored_solve(const Matrix& A, const Vector& y, double floor) {
  const Eigen::LLT<Matrix> factor(A);
  const bool safe = factor.info() == Eigen::Success &&
                    factor.matrixLLT().diagonal().minCoeff() > std::sqrt(floor);
  if (safe) return factor.solve(y);
  const auto [values, vectors] = symmetric_eigen(A);
  return vectors * (vectors.transpose() * y).cwiseQuotient(values.cwiseMax(floor));
}

Basis linear_basis(const std::vector<Family>& families, Index h) {
  return Basis(families, IndexSet::first(static_cast<Index>(families.size()), h,
                                         limited_order(families, {})));
}

}  // namespace

Matrix LocalMetric::steps(Block eta, Block g) const {
  if (!basis_) return mean_.solve(g);
  const Matrix W = whitening(mean_), whitened = g * W;
  BasisBlock psi;
  basis_->evaluate(eta, basis_->size(), psi);
  Matrix result(g.rows(), g.cols());
  for (Index i = 0; i < g.rows(); ++i) {
    Matrix A = psi(i, 0) * parts_[0];
    for (Index n = 1; n < basis_->size(); ++n) A += psi(i, n) * parts_[static_cast<std::size_t>(n)];
    result.row(i) = floored_solve(A, whitened.row(i).transpose(), floor_).transpose();
  }
  return result * W.transpose();
}

void LocalMetric::save(SolverState& state) const {
  internal::save(mean_, state);
  state.set_number("metric_floor", floor_);
  const Index q = mean_.vectors.rows();
  Coefficients& stacked = state.arrays["metric_parts"];
  stacked.resize(static_cast<Index>(parts_.size()) * q, q);
  for (std::size_t n = 0; n < parts_.size(); ++n)
    stacked.middleRows(static_cast<Index>(n) * q, q) = parts_[n];
}

LocalMetric LocalMetric::restore(const SolverState& state, const std::vector<Family>& families) {
  Curvature mean = restore_curvature(state);
  const Coefficients& stacked = state.array("metric_parts");
  if (stacked.rows() == 0) return LocalMetric(std::move(mean));
  const Index q = stacked.cols();
  std::vector<Matrix> parts;
  for (Index first = 0; first < stacked.rows(); first += q)
    parts.emplace_back(stacked.middleRows(first, q));
  Basis basis = linear_basis(families, static_cast<Index>(parts.size()));
  return LocalMetric(std::move(mean), std::move(basis), std::move(parts),
                     state.number("metric_floor"));
}

Index metric_blocks(Index d, Index q, std::int64_t gradients) {
  const Index least = q > dense_limit ? 2 : 16 * linear_functions(d, q) * q / block_size;
  const auto affordable = static_cast<Index>(gradients / 20 / metric_cost(q, 1));
  return std::clamp<Index>(std::max(least, affordable), 2, most_blocks);
}

std::int64_t metric_cost(Index q, Index blocks) {
  const Index directions = q > dense_limit ? krylov_dimension : q;
  return blocks * block_size * (directions + 1);
}

LocalMetric measure_metric(const Oracle& oracle, const Basis& basis, const Coefficients& u,
                           std::uint64_t seed, Index stage, Index blocks, Executor& executor) {
  const Index q = u.cols(), m = u.rows(), d = basis.dimension();
  if (q > dense_limit) return measure_mean(oracle, basis, u, seed, stage, blocks);
  Differences all{Matrix(blocks * block_size, d), Vector(blocks * block_size),
                  std::vector<Matrix>(static_cast<std::size_t>(blocks * block_size))};
  executor.for_each(blocks, [&](Index b) {
    Differences part = difference_block(
        oracle, basis, u, sieve_samples(oracle, basis, m, seed, curvature_stages + stage, b));
    all.eta.middleRows(b * block_size, block_size) = part.eta;
    all.weights.segment(b * block_size, block_size) = part.weights;
    std::move(part.hessians.begin(), part.hessians.end(), all.hessians.begin() + b * block_size);
  });
  Matrix sum = Matrix::Zero(q, q);
  for (std::size_t j = 0; j < all.hessians.size(); ++j)
    sum += all.weights(static_cast<Index>(j)) * all.hessians[j];
  Curvature mean = decompose(sum / all.weights.sum());
  const auto h = static_cast<Index>(
      std::min(function_count(basis.families()), static_cast<double>(linear_functions(d, q))));
  if (h == 1 || !(mean.lowest() > 0)) return LocalMetric(std::move(mean));
  double floor = curvature_floor;
  if (const std::optional<double> mu = oracle.facts().strong_convexity) {
    // H(θ) ⪰ μ I: in coordinates where the mean is I, between μ/λ_max and μ/λ_min.
    floor = std::min(std::clamp(floor, *mu / mean.highest(), *mu / mean.lowest()), 1.0);
  }
  return fit_metric(std::move(mean), linear_basis(basis.families(), h), all, floor);
}

Vector paired_products(const Oracle& oracle, const Basis& basis, const Coefficients& u,
                       std::uint64_t seed, Index blocks, Executor& executor) {
  const Index q = u.cols();
  Vector products(blocks * block_size);
  executor.for_each(blocks, [&](Index b) {
    Matrix eta(block_size, basis.dimension()), theta(block_size, basis.dimension()),
        noise(block_size, oracle.noise_dimension()), x(block_size, q), g[2];
    fill_uniform(make_stream(seed, Purpose::certificate), b * block_size, eta);
    oracle.parameters().germ_from_uniform(eta, eta);
    oracle.parameters().parameters_from_germ(eta, theta);
    BasisBlock psi;
    basis.evaluate(eta, u.rows(), psi);
    expand(psi, u, x);
    for (std::uint64_t draw = 0; draw < 2; ++draw) {
      g[draw].resize(block_size, q);
      if (noise.cols() > 0)
        fill_uniform(make_stream(seed, Purpose::certificate, 1 + draw), b * block_size, noise);
      oracle.gradient(x, theta, noise, g[draw]);
    }
    products.segment(b * block_size, block_size) = g[0].cwiseProduct(g[1]).rowwise().sum();
  });
  return products;
}

}  // namespace chaosgrad::internal
