#include "solve/adaptive/galerkin.h"

#include <algorithm>
#include <cmath>

#include "chaosgrad/random.h"
#include "estimate/kernels.h"
#include "solve/adaptive/adaptive_state.h"
#include "solve/adaptive/sieve_batch.h"

namespace chaosgrad {
namespace {

constexpr Index largest_system = 600;  // m q up to which K is formed
constexpr double difference_step = 1e-2;  // relative: noise may make F smooth only on this scale
// Stages of curvature draw from streams far from those of the batches.
constexpr Index curvature_stages = Index{1} << 24;

bool forms_system(Index m, Index q) { return m * q <= largest_system; }

// Blocks of samples whose Hessians are measured.
Index sample_blocks(Index m, Index q) {
  if (!forms_system(m, q)) return 2;
  return std::clamp<Index>(8 * m / block_size, 2, 16);
}

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
Galerkin measure_mean(const Oracle& oracle, const Basis& basis, const Coefficients& u,
                      std::uint64_t seed, Index stage) {
  const Index q = u.cols(), blocks = sample_blocks(u.rows(), q);
  std::int64_t gradients = 0;
  std::vector<SieveSamples> samples;
  std::vector<Matrix> offsets;  // x_u(θ) less its mean coefficient
  for (Index b = 0; b < blocks; ++b) {
    samples.push_back(
        sieve_samples(oracle, basis, u.rows(), seed, curvature_stages + stage, b));
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
    gradients += blocks * block_size;
    return sum / static_cast<double>(blocks * block_size);
  };
  Curvature mean =
      measure_curvature(gradient, u.row(0).transpose(), difference_step, seed);
  return Galerkin(std::move(mean), gradients);
}

}  // namespace

Galerkin::Galerkin(Matrix eta, Vector weights, std::vector<Matrix> hessians,
                   std::int64_t gradients, const Basis& basis)
    : gradients_(gradients),
      eta_(std::move(eta)),
      weights_(std::move(weights)),
      hessians_(std::move(hessians)) {
  Matrix sum = Matrix::Zero(hessians_.front().rows(), hessians_.front().cols());
  for (std::size_t j = 0; j < hessians_.size(); ++j)
    sum += weights_(static_cast<Index>(j)) * hessians_[j];
  mean_ = decompose(sum / weights_.sum());
  extend(basis);
}

void Galerkin::extend(const Basis& basis) {
  factor_.reset();
  const Index m = basis.size(), q = mean_.vectors.rows();
  if (hessians_.empty() || !forms_system(m, q) || !(mean_.lowest() > 0)) return;
  const auto samples = static_cast<Index>(hessians_.size());
  Matrix K = Matrix::Zero(m * q, m * q);
  BasisBlock psi;
  for (Index first = 0; first < samples; first += block_size) {
    basis.evaluate(eta_.middleRows(first, block_size), m, psi);
    for (Index j = 0; j < block_size; ++j) {
      const Matrix& hessian = hessians_[static_cast<std::size_t>(first + j)];
      const Matrix part = weights_(first + j) / static_cast<double>(2 * samples) *
                          (hessian + hessian.transpose());
      for (Index i = 0; i < m; ++i) {
        for (Index l = 0; l <= i; ++l) K.block(i * q, l * q, q, q) += psi(j, i) * psi(j, l) * part;
      }
    }
  }
  // Shrunk towards I ⊗ H̄ as far as the samples are few for so many unknowns.
  const double share =
      static_cast<double>(m * q) / static_cast<double>(m * q + samples);
  K *= 1 - share;
  const Matrix mean = mean_.matrix();
  for (Index i = 0; i < m; ++i) K.block(i * q, i * q, q, q) += share * mean;
  factor_.emplace(K.selfadjointView<Eigen::Lower>());
  if (factor_->info() != Eigen::Success) factor_.reset();
}

Coefficients Galerkin::solve(const Coefficients& D) const {
  if (!factor_) return D;
  const Coefficients right = D * mean_.matrix();
  const Vector solved = factor_->solve(Eigen::Map<const Vector>(right.data(), right.size()));
  return Eigen::Map<const Coefficients>(solved.data(), D.rows(), D.cols());
}

void Galerkin::save(SolverState& state) const {
  chaosgrad::save(mean_, state);
  state.set_integer("curvature_gradients", gradients_);
  state.arrays["curvature_eta"] = eta_;
  state.arrays["curvature_weights"] = weights_;
  const Index q = mean_.vectors.rows();
  Coefficients& stacked = state.arrays["curvature_hessians"];
  stacked.resize(static_cast<Index>(hessians_.size()) * q, q);
  for (std::size_t j = 0; j < hessians_.size(); ++j)
    stacked.middleRows(static_cast<Index>(j) * q, q) = hessians_[j];
}

Galerkin Galerkin::restore(const SolverState& state, const Basis& basis) {
  const std::int64_t gradients = state.integer("curvature_gradients");
  const Coefficients& stacked = state.array("curvature_hessians");
  if (stacked.rows() == 0) return Galerkin(restore_curvature(state), gradients);
  const Index q = stacked.cols();
  std::vector<Matrix> hessians;
  for (Index first = 0; first < stacked.rows(); first += q)
    hessians.emplace_back(stacked.middleRows(first, q));
  return Galerkin(state.array("curvature_eta"), state.array("curvature_weights"),
                  std::move(hessians), gradients, basis);
}

std::int64_t Galerkin::cost(Index m) const {
  const Index q = mean_.vectors.rows();
  const Index directions = std::min(q, mean_.vectors.cols()) + 1;
  return sample_blocks(m, q) * block_size * directions;
}

Galerkin measure_galerkin(const Oracle& oracle, const Basis& basis, const Coefficients& u,
                          std::uint64_t seed, Index stage, Executor& executor) {
  const Index q = u.cols(), m = u.rows(), d = basis.dimension();
  if (q > dense_limit) return measure_mean(oracle, basis, u, seed, stage);
  const Index blocks = sample_blocks(m, q);
  Differences all{Matrix(blocks * block_size, d), Vector(blocks * block_size),
                  std::vector<Matrix>(static_cast<std::size_t>(blocks * block_size))};
  executor.for_each(blocks, [&](Index b) {
    Differences part = difference_block(
        oracle, basis, u, sieve_samples(oracle, basis, m, seed, curvature_stages + stage, b));
    all.eta.middleRows(b * block_size, block_size) = part.eta;
    all.weights.segment(b * block_size, block_size) = part.weights;
    std::move(part.hessians.begin(), part.hessians.end(),
              all.hessians.begin() + b * block_size);
  });
  return Galerkin(std::move(all.eta), std::move(all.weights), std::move(all.hessians),
                  blocks * block_size * (q + 1), basis);
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

}  // namespace chaosgrad
