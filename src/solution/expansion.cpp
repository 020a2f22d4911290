#include <algorithm>
#include <cmath>

#include "basis/kernels.h"
#include "chaosgrad/error.h"
#include "chaosgrad/solution.h"

namespace chaosgrad {
using namespace internal;

Expansion::Expansion(Measure measure, Basis basis, Coefficients u)
    : measure_(std::move(measure)), basis_(std::move(basis)), u_(std::move(u)) {}

Matrix Expansion::evaluate_germ(Block eta) const {
  BasisBlock psi;
  basis_.evaluate(eta, u_.rows(), psi);
  Matrix x(eta.rows(), u_.cols());
  expand(psi, u_, x);
  return x;
}

Matrix Expansion::evaluate(const Matrix& thetas) const {
  if (thetas.cols() != measure_.dimension()) {
    throw InputError("theta", "expected " + std::to_string(measure_.dimension()) +
                                  " parameters, found " + std::to_string(thetas.cols()));
  }
  Matrix x(thetas.rows(), u_.cols());
  Matrix eta(block_size, thetas.cols());
  for (Index first = 0; first < thetas.rows(); first += block_size) {
    const Index n = std::min(block_size, thetas.rows() - first);
    measure_.germ_from_parameters(thetas.middleRows(first, n), eta.topRows(n));
    x.middleRows(first, n) = evaluate_germ(eta.topRows(n));
  }
  return x;
}

Vector Expansion::operator()(const Vector& theta) const {
  return evaluate(theta.transpose()).transpose();
}

Matrix Expansion::sensitivity(const Vector& theta) const {
  Matrix eta(1, theta.size());
  measure_.germ_from_parameters(theta.transpose(), eta);
  // dx/dθ = uᵀ (∂ψ/∂η) (∂η/∂θ)
  return u_.transpose() * basis_.gradient(eta.transpose(), u_.rows()) *
         measure_.germ_jacobian(theta);
}

double distance(const Expansion& a, const Expansion& b) {
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
