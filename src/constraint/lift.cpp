#include "chaosgrad/lift.h"

#include <cmath>

#include "basis/kernels.h"
#include "constraint/metric_factor.h"
#include "constraint/projection.h"

namespace chaosgrad {
using namespace internal;

Lift::Lift(std::shared_ptr<const Constraints> constraints, Basis basis, Coefficients factor)
    : constraints_(std::move(constraints)), basis_(std::move(basis)), factor_(std::move(factor)) {}

// Where R is singular, or not finite, the mean metric takes its place.
Matrix Lift::factor_of(const Vector& entries) const {
  const Index q = constraints_->dimension();
  Matrix L = inverse_factor(unpacked_factor(entries, q));
  if (L.size() > 0 && L.allFinite()) return L;
  return inverse_factor(unpacked_factor(factor_.row(0).transpose(), q));
}

std::vector<Matrix> Lift::factors(Block eta) const {
  // The same metric everywhere is one matrix.
  const Index n = factor_.rows() == 1 ? 1 : eta.rows();
  BasisBlock psi;
  basis_.evaluate(eta.topRows(n), factor_.rows(), psi);
  Matrix entries(n, factor_.cols());
  expand(psi, factor_, entries);
  std::vector<Matrix> result;
  for (Index b = 0; b < n; ++b) result.push_back(factor_of(entries.row(b).transpose()));
  return result;
}

LiftedBlock Lift::project(Block eta, Block theta, Block y) const {
  const Index n = y.rows(), q = y.cols(), p = constraints_->rows();
  const std::vector<Projection> projections = project_block(*constraints_, theta, factors(eta), y);
  LiftedBlock result{Matrix(n, q), Matrix(n, q), Matrix(n, p), Matrix(n, q)};
  for (Index b = 0; b < n; ++b) {
    const Projection& at = projections[static_cast<std::size_t>(b)];
    if (at.outcome == QuadraticSolution::Outcome::solved) {
      result.x.row(b) = at.x.transpose();
      result.bound_multipliers.row(b) = at.bound_multipliers.transpose();
      result.row_multipliers.row(b) = at.row_multipliers.transpose();
      result.force.row(b) = at.force.transpose();
    } else {
      for (Matrix* part :
           {&result.x, &result.bound_multipliers, &result.row_multipliers, &result.force})
        part->row(b).setConstant(std::numeric_limits<double>::quiet_NaN());
    }
  }
  return result;
}

}  // namespace chaosgrad
