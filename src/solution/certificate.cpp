#include "solution/certificate.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "basis/kernels.h"
#include "curvature/curvature.h"
#include "estimate/paired_gradients.h"
#include "estimate/residual_coefficients.h"
#include "numeric/decompositions.h"
#include "numeric/symmetric.h"
#include "random/random.h"
#include "samples/parameters.h"
#include "solution/newton_steps.h"

namespace chaosgrad::internal {
namespace {

constexpr Index audit_blocks = 32;
// Noise is averaged out by more samples, as far as the run itself was long.
constexpr Index most_noisy_blocks = 512;
// Samples whose Newton steps say nothing are solved one by one. With so many of them fewer samples
// must do: their mean is then known to 1/16 of the scatter.
constexpr Index most_solved = 256;

// One block of fresh samples with the expansion's values.
struct Audit {
  Matrix eta, theta, x;
};

Audit fresh_block(const Oracle& oracle, const Expansion& expansion, std::uint64_t seed,
                  Index block) {
  ParameterSamples at =
      draw_parameters(oracle.parameters(), make_stream(seed, Purpose::certificate_parameters),
                      block * block_size, block_size);
  Matrix x = expansion.evaluate_germ(at.eta);
  return {std::move(at.eta), std::move(at.theta), std::move(x)};
}

// R = H⁻¹∇F turns gradients into steps in the metric of x. H is the Hessian at each sample
// (deterministic, small q), the mean Hessian, or a multiple of the identity (large q: nothing of q×q
// is formed).
class Metric {
 public:
  Metric(const Oracle& oracle, const Expansion& expansion, const Solution& run,
         const Options& options)
      : oracle_(oracle),
        pointwise_(oracle.noise_dimension() == 0 && oracle.dimension() <= pointwise_limit),
        scale_(1 / std::sqrt(run.constants.mu.value * run.constants.L.value)) {
    const Index q = oracle.dimension();
    if (pointwise_) return;
    known = std::isfinite(scale_);
    if (q > dense_limit) return;
    Matrix hessian = Matrix::Zero(q, q);
    const Audit audit = fresh_block(oracle, expansion, options.seed, most_noisy_blocks);
    const Matrix noise =
        draw_noise(oracle.noise_dimension(), make_stream(options.seed, Purpose::certificate_noise),
                   most_noisy_blocks * block_size, block_size);
    for (const Matrix& sample : hessians(audit, noise))
      hessian += sample / static_cast<double>(block_size);
    if (!hessian.allFinite() && oracle.has_hessian()) hessian = exact_mean(audit, noise);
    hessian = symmetric_part(hessian);
    known = hessian.allFinite();
    inverse_ = solve_symmetric(hessian, Matrix::Identity(q, q));
  }

  Matrix steps(const Audit& audit, const Matrix& g) {
    if (!pointwise_) return inverse_.size() > 0 ? Matrix(g * inverse_) : Matrix(g * scale_);
    Matrix result(g.rows(), g.cols());
    const std::vector<Matrix> all = hessians(audit, Matrix(g.rows(), 0));
    for (Index i = 0; i < g.rows(); ++i) {
      const Matrix& hessian = all[static_cast<std::size_t>(i)];
      result.row(i) = solve_symmetric(symmetric_part(hessian), g.row(i).transpose()).transpose();
    }
    // The map that stands for a gradient under constraints has kinks, and is no gradient.
    if (!oracle_.facts().lift)
      correct_steps(oracle_, audit.x, audit.theta, g, all, result, doubtful);
    return result;
  }

  std::int64_t gradients = 0;  // spent on differences
  bool known = true;           // the mean Hessian is finite
  DoubtfulSteps doubtful;

 private:
  // Where differences reach over the border of a domain.
  Matrix exact_mean(const Audit& audit, const Matrix& noise) {
    const Index q = oracle_.dimension();
    Matrix h(block_size, q * q);
    oracle_.hessian(audit.x, audit.theta, noise, h);
    gradients += block_size * q;
    return h.colwise().mean().reshaped(q, q);
  }

  std::vector<Matrix> hessians(const Audit& audit, const Matrix& noise) {
    gradients += 2 * audit.x.rows() * oracle_.dimension();
    return sample_hessians(oracle_, audit.x, audit.theta, noise, Difference::central,
                           noise.cols() > 0);
  }

  const Oracle& oracle_;
  bool pointwise_;
  double scale_;    // of the inverse, where that is a multiple of the identity
  Matrix inverse_;  // of the mean Hessian, where it is used for all samples
};

struct Sums {
  double step = 0;                           // Σ r₁·r₂: the squared error in the metric of x
  double gradient = 0, gradient_square = 0;  // Σ g₁·g₂ and its square
  ResidualCoefficients residual;             // of r on the basis and the candidates beyond it
  double reference = 0;                      // Σ |x − x*|²
};

void add_block(const Oracle& oracle, const Expansion& expansion, const Basis& wide,
               const Options& options, Metric& metric, Index block, Sums& sums) {
  const Audit audit = fresh_block(oracle, expansion, options.seed, block);
  const PairedGradients g = paired_gradients(oracle, audit.x, audit.theta, options.seed,
                                             Purpose::certificate_noise, block * block_size);
  const Matrix r1 = metric.steps(audit, g.first);
  const Matrix r2 = oracle.noise_dimension() > 0 ? metric.steps(audit, g.second) : r1;
  if (oracle.noise_dimension() > 0 && !g.first.allFinite()) {
    const Matrix noise = draw_noise(oracle.noise_dimension(),
                                    make_stream(options.seed, Purpose::certificate_noise, 0),
                                    block * block_size, block_size);
    note_outside(oracle, audit.x, audit.theta, noise, g.first, metric.doubtful);
  }
  const Vector products = g.products();
  sums.step += r1.cwiseProduct(r2).sum();
  sums.gradient += products.sum();
  sums.gradient_square += products.squaredNorm();
  BasisBlock psi;
  wide.evaluate(audit.eta, wide.size(), psi);
  sums.residual.add(psi, 0.5 * (r1 + r2));
  if (oracle.facts().reference) {
    Matrix exact(block_size, oracle.dimension());
    oracle.facts().reference(audit.theta, exact);
    sums.reference += (audit.x - exact).squaredNorm();
  }
}

// With noise: whether the steps of the mean Hessian lead to the optimum. Four times their part in the
// span of the basis must be too long; if ∇f still points the same way after it, beyond noise, the
// steps are no distances.
bool leads_on(const Oracle& oracle, const Expansion& expansion, const Options& options,
              Metric& metric, Index first_block, const Coefficients& step) {
  constexpr double too_long = 4;
  const Index m = expansion.coefficients().rows();
  const Expansion moved(expansion.measure(), expansion.basis(),
                        expansion.coefficients() - too_long * step);
  ResidualCoefficients left(m, oracle.dimension());
  for (Index block = first_block; block < first_block + audit_blocks; ++block) {
    const Audit audit = fresh_block(oracle, moved, options.seed, block);
    const PairedGradients g = paired_gradients(oracle, audit.x, audit.theta, options.seed,
                                               Purpose::certificate_noise, block * block_size);
    BasisBlock psi;
    moved.basis().evaluate(audit.eta, m, psi);
    left.add(psi, metric.steps(audit, 0.5 * (g.first + g.second)));
  }
  metric.gradients += 2 * audit_blocks * block_size;
  const double same_way = left.sums.cwiseProduct(step).sum() / left.count;
  const double noise = left.noise.maxCoeff() / (left.count * left.count);
  return same_way <= 3 * std::sqrt(noise) * step.norm();
}

// The basis with candidates beyond it: as many again in its order, or its margin where it has no
// order.
Basis with_candidates(const Expansion& expansion, const Options& options) {
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
double noise_floor(const Solution& run, const Options& options, double gradient_squared,
                   double in_span) {
  if (options.method == Method::nested) return in_span;
  if (options.gradient == GradientRule::quadrature || run.history.empty()) return 0;
  const IterationRecord& last = run.history.back();
  double Q = run.expansion.basis().Q(last.basis_size);
  if (std::isinf(Q)) Q = static_cast<double>(last.basis_size);
  const double C = Q / static_cast<double>(last.samples) *
                   (2 * run.constants.VG.value * gradient_squared + run.constants.V.value);
  const double mu = run.constants.mu.value, L = run.constants.L.value;
  return (mu + L) * last.step * C / (2 * mu * L);
}

}  // namespace

Certificate certify(const Oracle& oracle, const Expansion& expansion, const Solution& run,
                    const Options& options) {
  Certificate certificate;
  certificate.error.confidence = options.confidence;
  const bool noisy = oracle.noise_dimension() > 0;
  const Index m = expansion.coefficients().rows();
  const Basis wide = noisy ? with_candidates(expansion, options) : Basis(expansion.basis());
  const Index blocks =
      noisy ? std::clamp<Index>(run.gradients / (2 * block_size), audit_blocks, most_noisy_blocks)
            : audit_blocks;
  Metric metric(oracle, expansion, run, options);
  Sums sums{.residual = ResidualCoefficients(wide.size(), oracle.dimension())};
  const DoubtfulSteps& doubtful = metric.doubtful;
  Index block = 0;
  for (; block < blocks && doubtful.solved + doubtful.unsolved < most_solved; ++block)
    add_block(oracle, expansion, wide, options, metric, block, sums);
  const double n = sums.residual.count;
  certificate.gradients =
      metric.gradients + doubtful.gradients + block * block_size * (noisy ? 2 : 1);
  certificate.outside = doubtful.outside_place;
  certificate.outside_share = static_cast<double>(doubtful.outside) / n;
  if (doubtful.unsolved > 0 && doubtful.outside == 0)
    certificate.doubt = "a Newton step from the expansion does not lead to the optimum";
  if (doubtful.unsolved > 0) return certificate;
  if (noisy && doubtful.outside > 0) return certificate;
  if (!std::isfinite(sums.step) || !metric.known) {
    certificate.doubt = "the gradient is not finite at the expansion for some theta";
    return certificate;
  }

  const Vector squares = sums.residual.squares();
  const double in_span = std::max(0.0, squares.head(m).sum());
  // Without noise the rest is what the samples show beyond the span. With noise that would drown;
  // the candidates stand for it.
  const double beyond =
      std::max(0.0, noisy ? squares.tail(squares.size() - m).sum() : sums.step / n - in_span);
  if (noisy && !oracle.facts().lift) {
    const bool known =
        leads_on(oracle, expansion, options, metric, blocks, sums.residual.sums.topRows(m) / n);
    certificate.gradients = metric.gradients + blocks * block_size * 2;
    if (!known) {
      certificate.doubt = "Newton steps from the expansion do not lead to the optimum";
      return certificate;
    }
  }
  const double gradient_squared =
      std::isfinite(sums.gradient) ? std::max(0.0, sums.gradient / n) : 0.0;
  const double sampling = std::min(in_span, noise_floor(run, options, gradient_squared, in_span));
  ErrorEstimate& error = certificate.error;
  error.estimate = std::sqrt(in_span + beyond);
  error.basis = std::sqrt(beyond);
  error.sampling = std::sqrt(sampling);
  error.optimisation = std::sqrt(in_span - sampling);
  if (run.constants.mu.given && std::isfinite(sums.gradient)) {
    const double variance =
        std::max(0.0, sums.gradient_square / n - std::pow(sums.gradient / n, 2));
    const double quantile = normal_quantile(options.confidence);
    error.bound = std::sqrt(std::max(0.0, sums.gradient / n + quantile * std::sqrt(variance / n))) /
                  run.constants.mu.value;
  }
  if (oracle.facts().reference) certificate.sampled_error = std::sqrt(sums.reference / n);
  return certificate;
}

}  // namespace chaosgrad::internal
