#include <cmath>

#include "samples/parameters.h"
#include "solution/constrained/binding_tally.h"
#include "solution/statistics/sampler.h"

namespace chaosgrad::internal {
namespace {

// What noise of the coefficients adds to the error of x: the scatter of their independent estimates.
Vector noise_norms(const Expansion& expansion, const std::vector<Coefficients>& replicates) {
  const Index q = expansion.coefficients().cols();
  if (replicates.empty()) return Vector::Zero(q);
  const auto G = static_cast<double>(replicates.size());
  Coefficients mean = Coefficients::Zero(replicates[0].rows(), q);
  for (const Coefficients& one : replicates) mean += one / G;
  Vector squares = Vector::Zero(q);
  for (const Coefficients& one : replicates)
    squares += (one - mean).cwiseAbs2().colwise().sum().transpose();
  return (squares / (G * (G - 1))).cwiseSqrt();
}

// Where errors of the multipliers are not known: f bends like M, so an error e of x is one of M e in
// ∇f, and of |M e|/|∇c| in the multiplier of a row.
void estimate_multiplier_errors(const BindingSampling& at, BindingErrors& errors) {
  const Index d = at.law.dimension(), q = at.constraints.dimension(), p = at.constraints.rows();
  Matrix eta(block_size, d), theta(block_size, d);
  parameters_from_uniform(at.law, shifted_points(1, 0, block_size, d), eta, theta);
  at.expansion.measure().germ_from_parameters(theta, eta);
  ConstraintBlock block;
  at.constraints.evaluate(at.expansion.evaluate_germ(eta), theta, block);
  const std::vector<Matrix> factors = at.expansion.lift()->factors(eta);
  Vector squares = Vector::Zero(q);
  for (const Matrix& L : factors)
    squares += (L * L.transpose()).rowwise().squaredNorm() / static_cast<double>(factors.size());
  errors.bounds = errors.total * squares.cwiseSqrt();
  errors.rows = Vector::Constant(p, errors.total * std::sqrt(squares.sum()));
  for (Index i = 0; i < p; ++i) {
    const double slope = block.jacobian.middleCols(i * q, q).norm() / std::sqrt(block_size);
    errors.rows(i) /= slope > 0 ? slope : 1;
  }
}

}  // namespace

BindingErrors binding_errors(const BindingSampling& at, const Accuracy& accuracy,
                             const Vector& multiplier_errors, double factor) {
  const Index q = at.constraints.dimension(), p = at.constraints.rows();
  const Vector noise = noise_norms(at.expansion, accuracy.replicates);
  BindingErrors errors{
      .total = factor * std::hypot(accuracy.total, noise.norm()),
      .components = factor * (accuracy.components.cwiseAbs2() + noise.cwiseAbs2()).cwiseSqrt(),
      .bounds = {},
      .rows = {}};
  if (multiplier_errors.size() == q + p) {
    errors.bounds = factor * multiplier_errors.head(q);
    errors.rows = factor * multiplier_errors.tail(p);
  } else {
    estimate_multiplier_errors(at, errors);
  }
  return errors;
}

}  // namespace chaosgrad::internal
