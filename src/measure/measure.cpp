#include "chaosgrad/measure.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "measure/distribution_table.h"
#include "measure/normal_law.h"
#include "measure/validation.h"
#include "numeric/decompositions.h"
#include "numeric/symmetric.h"
#include "numeric/transform.h"

namespace chaosgrad {
using namespace internal;
namespace {

[[noreturn]] void reject(const std::string& message) {
  throw InputError("dependence.correlation", message);
}

void validate_entries(const Matrix& correlation, Index d) {
  constexpr double tolerance = 1e-12;
  if (correlation.rows() != d || correlation.cols() != d) {
    reject(fmt::format("must be {0} × {0}, one row per parameter, found {1} × {2}", d,
                       correlation.rows(), correlation.cols()));
  }
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j < d; ++j) {
      const double entry = correlation(i, j);
      if (!(std::abs(entry) <= 1)) {
        reject(
            fmt::format("entry ({}, {}) must be between -1 and 1, found {}", i + 1, j + 1, entry));
      }
      if (i == j && std::abs(entry - 1) > tolerance) {
        reject(
            fmt::format("entry ({}, {}) on the diagonal must be 1, found {}", i + 1, j + 1, entry));
      }
      if (std::abs(entry - correlation(j, i)) > tolerance) {
        reject(fmt::format("must be symmetric: entry ({0}, {1}) is {2}, entry ({1}, {0}) is {3}",
                           i + 1, j + 1, entry, correlation(j, i)));
      }
    }
  }
}

// C with C Cᵀ = correlation.
Matrix copula_factor(const Matrix& correlation) {
  const Matrix factor = cholesky_factor(correlation);
  const double smallest = symmetric_eigenvalues(correlation).minCoeff();
  constexpr double tolerance = 1e-14;  // below it C⁻¹ would be noise
  if (factor.size() == 0 || smallest < tolerance * static_cast<double>(correlation.rows())) {
    reject(fmt::format("must be positive definite; its smallest eigenvalue is {:.3g}", smallest));
  }
  return factor;
}

// dz/dθ = f(θ)/φ(z) for z = Φ⁻¹(F(θ)), in closed form where both would underflow first.
double standard_normal_slope(const Distribution& marginal, double theta) {
  if (marginal.is_discrete()) return 0;
  if (const auto* normal = std::get_if<Normal>(&marginal.parameters())) return 1 / normal->sd;
  if (const auto* lognormal = std::get_if<LogNormal>(&marginal.parameters())) {
    return 1 / (lognormal->sigma * theta);
  }
  return marginal.pdf(theta) / law::normal_pdf(marginal.to_standard_normal(theta));
}

Distribution required_logarithm(const Distribution& marginal) {
  if (std::optional<Distribution> found = logarithm(marginal)) return *std::move(found);
  throw InputError("basis", fmt::format("\"log\" needs a {} distribution, not {}",
                                        names_with_logarithm(), marginal.name()));
}

}  // namespace

Measure::Measure(std::vector<Distribution> marginals)
    : marginals_(std::move(marginals)),
      germs_(marginals_),
      charts_(marginals_.size(), Chart::identity) {
  if (marginals_.empty()) throw InputError("parameters", "must hold at least one, found none");
}

Measure::Measure(std::vector<Distribution> marginals, Matrix correlation)
    : Measure(std::move(marginals)) {
  const Index d = dimension();
  validate_entries(correlation, d);
  correlation = symmetric_part(correlation);
  correlation.diagonal().setOnes();
  if (correlation.isIdentity(0)) return;
  factor_ = copula_factor(correlation);
  for (Index k = 0; k < d; ++k) {
    if ((correlation.row(k).array() != 0).count() > 1) {
      const auto i = static_cast<std::size_t>(k);
      charts_[i] = Chart::score;
      germs_[i] = Normal{0, 1};
    }
  }
  correlation_ = std::move(correlation);
}

Measure Measure::with_logarithm(Index k) const {
  const auto i = static_cast<std::size_t>(k);
  if (is_correlated(k)) throw InputError("basis", "\"log\" needs a parameter without correlation");
  Measure result = *this;
  result.germs_[i] = required_logarithm(marginals_[i]);
  result.charts_[i] = Chart::logarithm;
  return result;
}

bool Measure::is_correlated(Index k) const {
  return charts_[static_cast<std::size_t>(k)] == Chart::score;
}

bool Measure::is_logarithmic(Index k) const {
  return charts_[static_cast<std::size_t>(k)] == Chart::logarithm;
}

bool Measure::is_own_germ() const {
  return std::all_of(charts_.begin(), charts_.end(),
                     [](Chart chart) { return chart == Chart::identity; });
}

void Measure::germ_from_uniform(const Block& u, BlockOut eta) const {
  assert(u.cols() == dimension() && eta.cols() == dimension() && u.rows() == eta.rows());
  for (Index k = 0; k < dimension(); ++k) {
    germs_[static_cast<std::size_t>(k)].quantile(u.col(k).data(), eta.col(k).data(), u.rows());
  }
}

void Measure::parameters_from_germ(const Block& eta, BlockOut theta) const {
  assert(eta.cols() == dimension() && theta.cols() == dimension() && eta.rows() == theta.rows());
  // Backwards: z_k needs η_1..η_k only, so that a column may be overwritten once it is done.
  for (Index k = dimension() - 1; k >= 0; --k) {
    const Distribution& marginal = marginals_[static_cast<std::size_t>(k)];
    if (is_logarithmic(k)) {
      simd::transform(eta.col(k).data(), theta.col(k).data(), eta.rows(), 0,
                      [&](const simd::Pack& s) -> simd::Pack {
                        return simd::clamp(simd::Machine::exp(s), marginal.lower(),
                                           marginal.upper());
                      });
      continue;
    }
    if (!is_correlated(k)) {
      theta.col(k) = eta.col(k);
      continue;
    }
    theta.col(k) = factor_(k, k) * eta.col(k);
    for (Index l = 0; l < k; ++l) {
      if (factor_(k, l) != 0) theta.col(k) += factor_(k, l) * eta.col(l);
    }
    double* column = theta.col(k).data();
    marginal.from_standard_normal(column, column, theta.rows());
  }
}

void Measure::germ_from_parameters(const Block& theta, BlockOut eta) const {
  assert(eta.cols() == dimension() && theta.cols() == dimension() && eta.rows() == theta.rows());
  // Forward substitution in C ξ = z; columns before k hold ξ already.
  for (Index k = 0; k < dimension(); ++k) {
    if (is_logarithmic(k)) {
      if ((theta.col(k).array() <= 0).any()) {
        throw InputError("parameters", fmt::format("parameter {} must be positive, found {}", k + 1,
                                                   theta.col(k).minCoeff()));
      }
      eta.col(k) = theta.col(k).array().log();
      continue;
    }
    if (!is_correlated(k)) {
      eta.col(k) = theta.col(k);
      continue;
    }
    const Distribution& marginal = marginals_[static_cast<std::size_t>(k)];
    eta.col(k) = theta.col(k).unaryExpr([&](double t) { return marginal.to_standard_normal(t); });
    for (Index l = 0; l < k; ++l) {
      if (factor_(k, l) != 0) eta.col(k) -= factor_(k, l) * eta.col(l);
    }
    eta.col(k) /= factor_(k, k);
  }
}

Matrix Measure::germ_jacobian(const Vector& theta) const {
  assert(theta.size() == dimension());
  // ξ = C⁻¹ z and dz_k/dθ_k = f_k(θ_k)/φ(z_k); an uncorrelated component has a unit row in C.
  Vector slope = Vector::Ones(dimension());
  for (Index k = 0; k < dimension(); ++k) {
    if (is_correlated(k)) {
      slope[k] = standard_normal_slope(marginals_[static_cast<std::size_t>(k)], theta[k]);
    } else if (is_logarithmic(k)) {
      slope[k] = 1 / theta[k];
    }
  }
  Matrix jacobian = slope.asDiagonal();
  if (is_dependent()) factor_.triangularView<Eigen::Lower>().solveInPlace(jacobian);
  return jacobian;
}

}  // namespace chaosgrad
