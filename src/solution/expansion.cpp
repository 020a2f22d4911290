#include <algorithm>
#include <cmath>

#include "basis/kernels.h"
#include "chaosgrad/error.h"
#include "chaosgrad/solution.h"
#include "samples/parameters.h"
#include "solution/statistics/sampler.h"

namespace chaosgrad {
using namespace internal;

Expansion::Expansion(Measure measure, Basis basis, Coefficients u, std::shared_ptr<const Lift> lift)
    : measure_(std::move(measure)),
      basis_(std::move(basis)),
      u_(std::move(u)),
      lift_(std::move(lift)) {}

Matrix Expansion::sum(Block eta) const {
  BasisBlock psi;
  basis_.evaluate(eta, u_.rows(), psi);
  Matrix x(eta.rows(), u_.cols());
  expand(psi, u_, x);
  return x;
}

Matrix Expansion::evaluate_germ(Block eta) const {
  if (!lift_) return sum(eta);
  Matrix theta(eta.rows(), eta.cols());
  measure_.parameters_from_germ(eta, theta);
  return lift_->project(eta, theta, sum(eta)).x;
}

namespace {

// work(first row, count, germs) over blocks of θ.
template <class Work>
void over_blocks(const Measure& measure, const Matrix& thetas, const Work& work) {
  if (thetas.cols() != measure.dimension()) {
    throw InputError("theta", "expected " + std::to_string(measure.dimension()) +
                                  " parameters, found " + std::to_string(thetas.cols()));
  }
  Matrix eta(block_size, thetas.cols());
  for (Index first = 0; first < thetas.rows(); first += block_size) {
    const Index n = std::min(block_size, thetas.rows() - first);
    measure.germ_from_parameters(thetas.middleRows(first, n), eta.topRows(n));
    work(first, n, eta.topRows(n));
  }
}

}  // namespace

Matrix Expansion::evaluate(const Matrix& thetas) const {
  if (lift_) return evaluate_lifted(thetas).x;
  Matrix x(thetas.rows(), u_.cols());
  over_blocks(measure_, thetas,
              [&](Index first, Index n, const Block& eta) { x.middleRows(first, n) = sum(eta); });
  return x;
}

LiftedBlock Expansion::evaluate_lifted(const Matrix& thetas) const {
  const Index N = thetas.rows(), q = u_.cols(), p = lift_->constraints().rows();
  LiftedBlock result{Matrix(N, q), Matrix(N, q), Matrix(N, p), Matrix(N, q)};
  over_blocks(measure_, thetas, [&](Index first, Index n, const Block& eta) {
    const LiftedBlock part = lift_->project(eta, thetas.middleRows(first, n), sum(eta));
    result.x.middleRows(first, n) = part.x;
    result.bound_multipliers.middleRows(first, n) = part.bound_multipliers;
    result.row_multipliers.middleRows(first, n) = part.row_multipliers;
    result.force.middleRows(first, n) = part.force;
  });
  return result;
}

Vector Expansion::operator()(const Vector& theta) const {
  return evaluate(theta.transpose()).transpose();
}

Matrix Expansion::sensitivity(const Vector& theta) const {
  if (lift_) return sensitivity_sides(theta).sensitivity();
  Matrix eta(1, theta.size());
  measure_.germ_from_parameters(theta.transpose(), eta);
  // dx/dθ = uᵀ (∂ψ/∂η) (∂η/∂θ)
  return u_.transpose() * basis_.gradient(eta.transpose(), u_.rows()) *
         measure_.germ_jacobian(theta);
}

namespace {

// By sampling, where x is not the sum of the functions.
double sampled_distance(const Expansion& a, const Expansion& b) {
  constexpr Index samples = 1 << 14;
  const Matrix u = shifted_points(1, 0, samples, a.measure().dimension());
  Matrix eta(block_size, u.cols()), theta(block_size, u.cols());
  double sum = 0;
  for (Index first = 0; first < samples; first += block_size) {
    parameters_from_uniform(a.measure(), u.middleRows(first, block_size), eta, theta);
    sum += (a.evaluate(theta) - b.evaluate(theta)).squaredNorm();
  }
  return std::sqrt(sum / static_cast<double>(samples));
}

}  // namespace

double distance(const Expansion& a, const Expansion& b) {
  if (a.lift() || b.lift()) return sampled_distance(a, b);
  // Σ |a_ν − b_ν|² over all ν, a coefficient that is not there being 0.
  const Coefficients &u = a.coefficients(), &v = b.coefficients();
  double sum = v.squaredNorm();
  for (Index i = 0; i < u.rows(); ++i) {
    const Index j = b.basis().indices().position(a.basis().indices()[i]);
    if (j >= 0 && j < v.rows()) {
      sum += (u.row(i) - v.row(j)).squaredNorm() - v.row(j).squaredNorm();
    } else {
      sum += u.row(i).squaredNorm();
    }
  }
  return std::sqrt(std::max(0.0, sum));
}

}  // namespace chaosgrad
