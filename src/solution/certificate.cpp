#include "solution/certificate.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <vector>

#include "basis/kernels.h"
#include "numeric/symmetric.h"
#include "random/random.h"

namespace chaosgrad::internal {
namespace {

constexpr Index audit_blocks = 32;
constexpr Index most_noisy_blocks =
    512;  // noise is averaged out by more samples, as far as the run itself was long
constexpr Index pointwise_limit =
    32;  // up to this q each deterministic sample gets a Hessian of its own
constexpr Index dense_limit = 200;  // up to this q the mean Hessian is formed

// One block of fresh samples with the expansion's values.
struct Audit {
  Matrix eta, theta, x, noise;
};

Audit fresh_block(const Oracle& oracle, const Expansion& expansion, std::uint64_t seed, Index block,
                  std::uint64_t draw) {
  Audit audit;
  audit.eta.resize(block_size, oracle.parameters().dimension());
  audit.theta.resizeLike(audit.eta);
  audit.noise.resize(block_size, oracle.noise_dimension());
  fill_uniform(make_stream(seed, Purpose::certificate, 100), block * block_size, audit.eta);
  oracle.parameters().germ_from_uniform(audit.eta, audit.eta);
  oracle.parameters().parameters_from_germ(audit.eta, audit.theta);
  if (oracle.noise_dimension() > 0) {
    fill_uniform(make_stream(seed, Purpose::certificate, 101 + draw), block * block_size,
                 audit.noise);
  }
  audit.x = expansion.evaluate_germ(audit.eta);
  return audit;
}

// Column j of result[i] holds ∂∇F/∂x_j at sample i, by central differences with common noise.
std::vector<Matrix> sample_hessians(const Oracle& oracle, const Audit& audit,
                                    std::int64_t& gradients) {
  const Index q = oracle.dimension(), n = audit.x.rows();
  const double relative = oracle.noise_dimension() > 0 ? 1e-2 : 6e-6;
  std::vector<Matrix> hessians(static_cast<std::size_t>(n), Matrix(q, q));
  Matrix moved = audit.x, above(n, q), below(n, q);
  for (Index j = 0; j < q; ++j) {
    const double h = relative * (1 + audit.x.col(j).cwiseAbs().mean());
    moved.col(j) = audit.x.col(j).array() + h;
    oracle.gradient(moved, audit.theta, audit.noise, above);
    moved.col(j) = audit.x.col(j).array() - h;
    oracle.gradient(moved, audit.theta, audit.noise, below);
    moved.col(j) = audit.x.col(j);
    for (Index i = 0; i < n; ++i) {
      hessians[static_cast<std::size_t>(i)].col(j) =
          (above.row(i) - below.row(i)).transpose() / (2 * h);
    }
    gradients += 2 * n;
  }
  return hessians;
}

// R = H⁻¹∇F turns gradients into steps in the metric of x. H is the Hessian at each sample
// (deterministic, small q), the mean Hessian, or a multiple of the identity (large q).
class Metric {
 public:
  Metric(const Oracle& oracle, const Expansion& expansion, const Run& run, const Options& options)
      : oracle_(oracle),
        pointwise_(oracle.noise_dimension() == 0 && oracle.dimension() <= pointwise_limit) {
    if (pointwise_) return;
    const Index q = oracle.dimension();
    Matrix hessian =
        Matrix::Identity(q, q) * std::sqrt(run.constants.mu.value * run.constants.L.value);
    if (q <= dense_limit) {
      hessian.setZero();
      const Audit audit = fresh_block(oracle, expansion, options.seed, most_noisy_blocks, 0);
      for (const Matrix& sample : sample_hessians(oracle, audit, gradients))
        hessian += sample / static_cast<double>(block_size);
      hessian = symmetric_part(hessian);
    }
    mean_.compute(hessian);
  }

  Matrix steps(const Audit& audit, const Matrix& g) {
    if (!pointwise_) return mean_.solve(g.transpose()).transpose();
    Matrix result(g.rows(), g.cols());
    const std::vector<Matrix> hessians = sample_hessians(oracle_, audit, gradients);
    for (Index i = 0; i < g.rows(); ++i) {
      const Matrix& hessian = hessians[static_cast<std::size_t>(i)];
      result.row(i) = symmetric_part(hessian).ldlt().solve(g.row(i).transpose()).transpose();
    }
    return result;
  }

  std::int64_t gradients = 0;  // spent on differences

 private:
  const Oracle& oracle_;
  bool pointwise_;
  Eigen::LDLT<Matrix> mean_;
};

struct Sums {
  double step = 0;                           // Σ r₁·r₂: the squared error in the metric of x
  double gradient = 0, gradient_square = 0;  // Σ g₁·g₂ and its square
  Coefficients projection;                   // Σ r ψ_i on the basis and the candidates beyond it
  Vector projection_noise;                   // Σ |r|² ψ_i²
  double reference = 0;                      // Σ |x − x*|²
  double count = 0;
};

void add_block(const Oracle& oracle, const Expansion& expansion, const Basis& wide,
               const Options& options, Metric& metric, Index block, Sums& sums) {
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
  const Matrix r1 = metric.steps(audit, g[0]);
  const Matrix r2 = oracle.noise_dimension() > 0 ? metric.steps(audit, g[1]) : r1;
  const Vector products = g[0].cwiseProduct(g[1]).rowwise().sum();
  sums.step += r1.cwiseProduct(r2).sum();
  sums.gradient += products.sum();
  sums.gradient_square += products.squaredNorm();
  const Matrix r = 0.5 * (r1 + r2);
  BasisBlock psi;
  wide.evaluate(audit.eta, wide.size(), psi);
  project(psi, r, sums.projection);
  const Vector squares = r.rowwise().squaredNorm();
  for (Index j = 0; j < psi.functions(); ++j) {
    for (Index i = 0; i < block_size; ++i)
      sums.projection_noise(j) += squares(i) * psi(i, j) * psi(i, j);
  }
  if (oracle.facts().reference) {
    Matrix exact(block_size, oracle.dimension());
    oracle.facts().reference(audit.theta, exact);
    sums.reference += (audit.x - exact).squaredNorm();
  }
  sums.count += static_cast<double>(block_size);
}

// The basis with candidates beyond it: as many again in its order, or its margin where it has no
// order.
Basis widened(const Expansion& expansion, const Options& options) {
  const Basis& basis = expansion.basis();
  const Index m = expansion.coefficients().rows();
  std::vector<MultiIndex> kept(basis.indices().indices().begin(),
                               basis.indices().indices().begin() + m);
  IndexSet indices = IndexSet::from(std::move(kept));
  if (!std::holds_alternative<IndexOrder>(options.indices)) {
    for (const MultiIndex& index : indices.reduced_margin()) indices.add_closed(index);
    return Basis(basis.families(), std::move(indices));
  }
  const auto size =
      static_cast<Index>(std::min(function_count(basis.families()), 2.0 * static_cast<double>(m)));
  return Basis(basis.families(),
               IndexSet::first(basis.dimension(), size,
                               limited_order(basis.families(), index_order(options.indices))));
}

// The squared error that the noise of the gradient estimate keeps alive: the floor φ = (μ + L) γ
// C/(2 μ L) of the fixed-level theorem.
double noise_floor(const Run& run, const Options& options, double gradient_squared,
                   double in_span) {
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

Certificate certify(const Oracle& oracle, const Expansion& expansion, const Run& run,
                    const Options& options) {
  Certificate certificate;
  certificate.error.confidence = options.confidence;
  const bool noisy = oracle.noise_dimension() > 0;
  const Index m = expansion.coefficients().rows();
  const Basis wide = noisy ? widened(expansion, options) : Basis(expansion.basis());
  const Index blocks =
      noisy ? std::clamp<Index>(run.gradients / (2 * block_size), audit_blocks, most_noisy_blocks)
            : audit_blocks;
  Metric metric(oracle, expansion, run, options);
  Sums sums;
  sums.projection = Coefficients::Zero(wide.size(), oracle.dimension());
  sums.projection_noise = Vector::Zero(wide.size());
  for (Index block = 0; block < blocks; ++block)
    add_block(oracle, expansion, wide, options, metric, block, sums);
  certificate.gradients = metric.gradients + blocks * block_size * (noisy ? 2 : 1);
  if (!std::isfinite(sums.step) || !std::isfinite(sums.gradient)) return certificate;

  const double n = sums.count;
  // |Σ r ψ_i|² without its diagonal terms is an unbiased estimate of n(n − 1)|E r ψ_i|².
  const Vector squares =
      (sums.projection.rowwise().squaredNorm() - sums.projection_noise) / (n * (n - 1));
  const double in_span = std::max(0.0, squares.head(m).sum());
  // Without noise the rest is what the samples show beyond the span. With noise that would drown;
  // the candidates stand for it.
  const double beyond =
      std::max(0.0, noisy ? squares.tail(squares.size() - m).sum() : sums.step / n - in_span);
  const double gradient_squared = std::max(0.0, sums.gradient / n);
  const double sampling = std::min(in_span, noise_floor(run, options, gradient_squared, in_span));
  ErrorEstimate& error = certificate.error;
  error.estimate = std::sqrt(in_span + beyond);
  error.basis = std::sqrt(beyond);
  error.sampling = std::sqrt(sampling);
  error.optimisation = std::sqrt(in_span - sampling);
  if (run.constants.mu.given) {
    const double variance =
        std::max(0.0, sums.gradient_square / n - std::pow(sums.gradient / n, 2));
    const double quantile = boost::math::quantile(boost::math::normal(), options.confidence);
    error.bound = std::sqrt(std::max(0.0, sums.gradient / n + quantile * std::sqrt(variance / n))) /
                  run.constants.mu.value;
  }
  if (oracle.facts().reference) certificate.sampled_error = std::sqrt(sums.reference / n);
  return certificate;
}

}  // namespace chaosgrad::internal
