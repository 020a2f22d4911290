#include "solution/certificate.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "chaosgrad/random.h"
#include "estimate/kernels.h"

namespace chaosgrad {
namespace {

constexpr Index audit_blocks = 32;
constexpr Index dense_limit = 200;  // up to this q the mean Hessian is formed

// One block of fresh samples with the expansion's values.
struct Audit {
  Matrix eta, theta, x, noise;
};

Audit fresh_block(const Oracle& oracle, const Expansion& expansion, std::uint64_t seed, Index block, std::uint64_t draw) {
  Audit audit;
  audit.eta.resize(block_size, oracle.parameters().dimension());
  audit.theta.resizeLike(audit.eta);
  audit.noise.resize(block_size, oracle.noise_dimension());
  fill_uniform(make_stream(seed, Purpose::certificate, 100), block * block_size, audit.eta);
  oracle.parameters().germ_from_uniform(audit.eta, audit.eta);
  oracle.parameters().parameters_from_germ(audit.eta, audit.theta);
  if (oracle.noise_dimension() > 0) {
    fill_uniform(make_stream(seed, Purpose::certificate, 101 + draw), block * block_size, audit.noise);
  }
  audit.x = expansion.evaluate_germ(audit.eta);
  return audit;
}

// H̄ = E_π E_v ∇²F(x_u(θ), θ, v) by central differences at one block of samples; a multiple of the identity for large q.
Matrix mean_hessian(const Oracle& oracle, const Expansion& expansion, const Run& run, const Options& options,
                    std::int64_t& gradients) {
  const Index q = oracle.dimension();
  if (q > dense_limit) return Matrix::Identity(q, q) * std::sqrt(run.constants.mu.value * run.constants.L.value);
  const double relative = oracle.noise_dimension() > 0 ? 1e-2 : 6e-6;
  Matrix hessian(q, q), g(block_size, q);
  const Audit audit = fresh_block(oracle, expansion, options.seed, audit_blocks, 0);
  for (Index j = 0; j < q; ++j) {
    const double h = relative * (1 + audit.x.col(j).cwiseAbs().mean());
    Matrix difference = Matrix::Zero(block_size, q);
    for (const double side : {1.0, -1.0}) {
      Matrix moved = audit.x;
      moved.col(j).array() += side * h;
      oracle.gradient(moved, audit.theta, audit.noise, g);
      difference += side * g;
    }
    hessian.col(j) = difference.colwise().mean().transpose() / (2 * h);
    gradients += 2 * block_size;
  }
  return 0.5 * (hessian + hessian.transpose());
}

struct Sums {
  double step = 0;                              // Σ r₁·r₂, r = H̄⁻¹ g: the squared error in the metric of x
  double gradient = 0, gradient_square = 0;     // Σ g₁·g₂ and its square
  Coefficients in_span;                         // Σ r ψ_i
  double in_span_noise = 0;                     // Σ |r|² Σψ_i²
  double reference = 0;                         // Σ |x − x*|²
  double count = 0;
};

void add_block(const Oracle& oracle, const Expansion& expansion, const Options& options,
               const Eigen::LDLT<Matrix>& factor, Index block, Sums& sums) {
  Matrix g[2];
  Audit audit;
  for (std::uint64_t draw = 0; draw < 2; ++draw) {
    if (draw == 1 && oracle.noise_dimension() == 0) {
      g[1] = g[0];
      break;
    }
    audit = fresh_block(oracle, expansion, options.seed, block, draw);
    g[draw].resize(block_size, oracle.dimension());
    oracle.gradient(audit.x, audit.theta, audit.noise, g[draw]);
  }
  const Matrix r1 = factor.solve(g[0].transpose()).transpose(), r2 = factor.solve(g[1].transpose()).transpose();
  const Vector products = g[0].cwiseProduct(g[1]).rowwise().sum();
  sums.step += r1.cwiseProduct(r2).sum();
  sums.gradient += products.sum();
  sums.gradient_square += products.squaredNorm();
  const Matrix r = 0.5 * (r1 + r2);
  BasisBlock psi;
  expansion.basis().evaluate(audit.eta, expansion.coefficients().rows(), psi);
  project(psi, r, sums.in_span);
  for (Index i = 0; i < block_size; ++i) {
    double christoffel = 0;
    for (Index j = 0; j < psi.functions(); ++j) christoffel += psi(i, j) * psi(i, j);
    sums.in_span_noise += r.row(i).squaredNorm() * christoffel;
  }
  if (oracle.facts().reference) {
    Matrix exact(block_size, oracle.dimension());
    oracle.facts().reference(audit.theta, exact);
    sums.reference += (audit.x - exact).squaredNorm();
  }
  sums.count += static_cast<double>(block_size);
}

// The squared error that the noise of the gradient estimate keeps alive: the floor φ = (μ + L) γ C/(2 μ L) of the fixed-level theorem.
double noise_floor(const Run& run, const Options& options, double gradient_squared, double in_span) {
  if (options.method == Method::nested) return in_span;
  if (options.gradient == GradientRule::quadrature || run.history.empty()) return 0;
  const IterationRecord& last = run.history.back();
  double Q = run.basis.Q(last.basis_size);
  if (std::isinf(Q)) Q = static_cast<double>(last.basis_size);
  const double C = Q / static_cast<double>(last.samples) *
                   (2 * run.constants.VG.value * gradient_squared + run.constants.V.value);
  const double mu = run.constants.mu.value, L = run.constants.L.value;
  return (mu + L) * last.step * C / (2 * mu * L);
}

}  // namespace

Certificate certify(const Oracle& oracle, const Expansion& expansion, const Run& run, const Options& options) {
  Certificate certificate;
  certificate.error.confidence = options.confidence;
  const Matrix hessian = mean_hessian(oracle, expansion, run, options, certificate.gradients);
  if (!hessian.allFinite()) return certificate;
  const Eigen::LDLT<Matrix> factor(hessian);
  Sums sums;
  sums.in_span = Coefficients::Zero(expansion.coefficients().rows(), oracle.dimension());
  for (Index block = 0; block < audit_blocks; ++block) add_block(oracle, expansion, options, factor, block, sums);
  certificate.gradients += audit_blocks * block_size * (oracle.noise_dimension() > 0 ? 2 : 1);
  if (!std::isfinite(sums.step) || !std::isfinite(sums.gradient)) return certificate;

  const double n = sums.count;
  const double total = std::max(0.0, sums.step / n);
  // |Σ r ψ|² without its diagonal terms is an unbiased estimate of n(n−1)|E rψ|².
  const double in_span =
      std::clamp((sums.in_span.squaredNorm() - sums.in_span_noise) / (n * (n - 1)), 0.0, total);
  const double gradient_squared = std::max(0.0, sums.gradient / n);
  const double sampling = std::min(in_span, noise_floor(run, options, gradient_squared, in_span));
  ErrorEstimate& error = certificate.error;
  error.estimate = std::sqrt(total);
  error.basis = std::sqrt(total - in_span);
  error.sampling = std::sqrt(sampling);
  error.optimisation = std::sqrt(in_span - sampling);
  if (run.constants.mu.given) {
    const double variance = std::max(0.0, sums.gradient_square / n - std::pow(sums.gradient / n, 2));
    const double quantile = boost::math::quantile(boost::math::normal(), options.confidence);
    error.bound = std::sqrt(std::max(0.0, sums.gradient / n + quantile * std::sqrt(variance / n))) / run.constants.mu.value;
  }
  if (oracle.facts().reference) certificate.sampled_error = std::sqrt(sums.reference / n);
  return certificate;
}

}  // namespace chaosgrad
