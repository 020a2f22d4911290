#include "curvature/metric.h"

#include <algorithm>
#include <cmath>

#include "numeric/decompositions.h"
#include "numeric/symmetric.h"

namespace chaosgrad::internal {
namespace {

// q up to which H may depend on θ: (1 + d) q² numbers are fitted to Hessians of single samples.
constexpr Index local_limit = 40;
constexpr double least_variation = 0.1;   // of H(θ) around its mean, relative and squared
constexpr double clear_variation = 4;     // the same, over its noise
constexpr double curvature_floor = 0.02;  // of H(θ), relative to the mean, if μ says no more

// W = V Λ^{−1/2}.
Matrix whitening(const Curvature& mean) {
  return mean.vectors * mean.eigenvalues.cwiseSqrt().cwiseInverse().asDiagonal();
}

Basis linear_basis(const std::vector<Family>& families, Index h) {
  return Basis(families, IndexSet::first(static_cast<Index>(families.size()), h,
                                         limited_order(families, {})));
}

// A⁻¹ y with the eigenvalues of A raised to the floor.
Vector floored_solve(const Matrix& A, const Vector& y, double floor) {
  const Matrix factor = cholesky_factor(A);
  const bool safe = factor.size() > 0 && factor.diagonal().minCoeff() > std::sqrt(floor);
  if (safe) return solve_cholesky(factor, y);
  const SymmetricEigen eigen = symmetric_eigen(A);
  return eigen.vectors *
         (eigen.vectors.transpose() * y).cwiseQuotient(eigen.values.cwiseMax(floor));
}

struct WhitenedFit {
  std::vector<Matrix> parts;
  bool varies = false;  // beyond its noise, and enough to matter
};

// visit(w, ψ, WᵀHW as a row) for every sample of positive weight w, ψ the h functions at it.
template <class Visit>
void for_each_whitened(const HessianSamples& samples, const Curvature& mean, const Basis& linear,
                       const Visit& visit) {
  const Index h = linear.size(), q = mean.vectors.rows();
  const auto count = static_cast<Index>(samples.hessians.size());
  const Matrix W = whitening(mean);
  BasisBlock psi;
  Vector values(h);
  for (Index j = 0; j < count; ++j) {
    if (j % block_size == 0) linear.evaluate(samples.eta.middleRows(j, block_size), h, psi);
    if (!(samples.weights(j) > 0)) continue;
    for (Index i = 0; i < h; ++i) values(i) = psi(j % block_size, i);
    const Matrix& hessian = samples.hessians[static_cast<std::size_t>(j)];
    const Matrix whitened = W.transpose() * symmetric_part(hessian) * W;
    const Eigen::RowVectorXd row = whitened.reshaped(q * q, 1).transpose();
    visit(samples.weights(j) / static_cast<double>(count), values, row);
  }
}

// Least squares for the whitened Hessians on the first h functions. The parts that vary are shrunk by
// what the scatter around the fit makes of them (James and Stein).
WhitenedFit fit_whitened(const HessianSamples& samples, const Curvature& mean,
                         const Basis& linear) {
  const Index h = linear.size(), q = mean.vectors.rows();
  Matrix gram = Matrix::Zero(h, h), right = Matrix::Zero(h, q * q);
  for_each_whitened(samples, mean, linear,
                    [&](double w, const Vector& psi, const Eigen::RowVectorXd& hessian) {
                      gram += w * psi * psi.transpose();
                      right += w * psi * hessian;
                    });
  const Matrix fitted = solve_symmetric(gram, right);
  double noise = 0;
  for_each_whitened(samples, mean, linear,
                    [&](double w, const Vector& psi, const Eigen::RowVectorXd& hessian) {
                      const double scatter = (hessian - psi.transpose() * fitted).squaredNorm();
                      noise += w * w * scatter * psi.tail(h - 1).squaredNorm();
                    });
  const double variation = fitted.bottomRows(h - 1).squaredNorm();
  WhitenedFit result;
  result.varies = !(variation - noise < least_variation * static_cast<double>(q)) &&
                  !(variation < clear_variation * noise);
  if (!result.varies) return result;
  for (Index i = 0; i < h; ++i) {
    const Vector row = (i == 0 ? 1 : 1 - noise / variation) * fitted.row(i).transpose();
    result.parts.emplace_back(Eigen::Map<const Matrix>(row.data(), q, q));
  }
  return result;
}

}  // namespace

LocalMetric::LocalMetric(Curvature mean, const std::vector<Family>& families,
                         std::vector<Matrix> parts, double floor)
    : mean_(std::move(mean)),
      basis_(linear_basis(families, static_cast<Index>(parts.size()))),
      parts_(std::move(parts)),
      floor_(floor) {}

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

Index metric_functions(Index d, Index q) { return q <= local_limit ? 1 + d : 1; }

LocalMetric fit_metric(const HessianSamples& samples, Curvature mean,
                       const std::vector<Family>& families,
                       const std::optional<double>& strong_convexity) {
  const Index q = samples.hessians.front().rows(), d = samples.eta.cols();
  const auto h = static_cast<Index>(
      std::min(function_count(families), static_cast<double>(metric_functions(d, q))));
  if (h == 1 || !(mean.lowest() > 0)) return LocalMetric(std::move(mean));
  WhitenedFit fit = fit_whitened(samples, mean, linear_basis(families, h));
  if (!fit.varies) return LocalMetric(std::move(mean));
  double floor = curvature_floor;
  if (strong_convexity) {
    // H(θ) ⪰ μ I: in coordinates where the mean is I, between μ/λ_max and μ/λ_min.
    const double mu = *strong_convexity;
    floor = std::min(std::clamp(floor, mu / mean.highest(), mu / mean.lowest()), 1.0);
  }
  return LocalMetric(std::move(mean), families, std::move(fit.parts), floor);
}

}  // namespace chaosgrad::internal
