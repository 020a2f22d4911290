#include "solve/collocation/prior.h"

#include <algorithm>
#include <cmath>

#include "numeric/decompositions.h"

namespace chaosgrad::internal::collocation {
namespace {

constexpr double largest_exponent = 300;

// One observation of τ_ν²: z = (1, −ν), the squared coefficient as it would be without penalty, and
// how much of it the points have determined.
struct Observations {
  Matrix features;
  Vector squares, weights;
};

// ½ Σ s_ν (log τ_ν² + |u_ν|²/τ_ν²): the likelihood of squares with a gamma distribution around
// τ_ν² = exp(zᵀb), which is convex in b; and ½ |slopes − usual slope|², for those that nothing is
// known about.
double misfit(const Observations& seen, double usual, const Vector& b) {
  const Vector e = (seen.features * b).cwiseMax(-largest_exponent).cwiseMin(largest_exponent);
  const Vector terms = e.array() + seen.squares.array() * (-e.array()).exp();
  return 0.5 * seen.weights.dot(terms) +
         0.5 * (b.tail(b.size() - 1).array() - usual).square().sum();
}

// Newton's method with a line search.
Vector fit_decay(const Observations& seen, double usual, Vector b) {
  constexpr int most_steps = 60;
  constexpr double small = 1e-4;
  const Index p = b.size();
  const Vector first = (seen.features * b).cwiseMax(-largest_exponent);
  const double size = seen.weights.dot((seen.squares.array() * (-first.array()).exp()).matrix()) /
                      seen.weights.sum();
  if (size > 0) b(0) += std::log(size);
  for (int step_number = 0; step_number < most_steps; ++step_number) {
    const Vector e = (seen.features * b).cwiseMax(-largest_exponent).cwiseMin(largest_exponent);
    const Vector ratio = seen.squares.array() * (-e.array()).exp();
    Vector gradient =
        0.5 * seen.features.transpose() * seen.weights.cwiseProduct((1 - ratio.array()).matrix());
    gradient.tail(p - 1).array() += b.tail(p - 1).array() - usual;
    const Vector bent = 0.5 * seen.weights.array() * ratio.array().max(0.3);
    Matrix hessian = seen.features.transpose() * bent.asDiagonal() * seen.features;
    hessian.diagonal().tail(p - 1).array() += 1;
    hessian(0, 0) += 1e-8;
    const Vector step = -solve_positive(hessian, gradient);
    const double before = misfit(seen, usual, b), slope = -gradient.dot(step);
    double length = 1;
    while (!(misfit(seen, usual, b + length * step) <= before - 1e-4 * length * slope) &&
           length > 1e-6)
      length /= 2;
    if (!(length > 1e-6)) break;
    b += length * step;
    if (length * step.cwiseAbs().maxCoeff() < small) break;
  }
  return b;
}

Observations observe(const IndexSet& indices, const Coefficients& u, const Vector& determined,
                     double least) {
  std::vector<Index> known;
  for (Index i = 1; i < indices.size(); ++i) {
    if (determined(i) >= least) known.push_back(i);
  }
  const auto count = static_cast<Index>(known.size());
  Observations seen{Matrix(count, 1 + indices.dimension()), Vector(count), Vector(count)};
  for (Index n = 0; n < count; ++n) {
    const Index i = known[static_cast<std::size_t>(n)];
    seen.features(n, 0) = 1;
    for (Index k = 0; k < indices.dimension(); ++k)
      seen.features(n, 1 + k) = -indices[i][static_cast<std::size_t>(k)];
    seen.weights(n) = determined(i);
    seen.squares(n) = u.row(i).squaredNorm() / determined(i);
  }
  return seen;
}

}  // namespace

double Prior::log_variance(const MultiIndex& index) const {
  double result = decay(0);
  for (std::size_t k = 0; k < index.size(); ++k)
    result -= decay(static_cast<Index>(k) + 1) * index[k];
  return result;
}

// Beyond 1e12 they are the same: no such coefficient is there.
Vector Prior::penalties() const { return variances.cwiseMax(1e-12 * noise).cwiseInverse() * noise; }

Prior first_prior(const IndexSet& indices, const Matrix& values, const CollocationTuning& tuning) {
  const Matrix centred = values.rowwise() - values.colwise().mean();
  const double spread = std::max(centred.squaredNorm() / static_cast<double>(values.rows()),
                                 1e-30 * values.squaredNorm() + 1e-300);
  Prior prior{.noise = tuning.first_noise * spread,
              .decay = Vector::Constant(1 + indices.dimension(), tuning.usual_decay),
              .variances = Vector::Constant(indices.size(), infinity)};
  prior.decay(0) = std::log(spread) + tuning.usual_decay;
  for (Index i = 1; i < indices.size(); ++i)
    prior.variances(i) = std::exp(prior.log_variance(indices[i]));
  return prior;
}

Prior learn_prior(const Prior& before, const IndexSet& indices, const WeightedDesign& design,
                  const WeightedFit& fit, double squared, const CollocationTuning& tuning) {
  const Vector &weights = design.weights(), &determined = design.determined();
  const auto n = static_cast<double>(weights.size());
  Prior prior = before;
  const double free = n - determined.sum();
  const double residual = weights.dot(fit.residuals.rowwise().squaredNorm()) / std::max(1.0, free);
  prior.noise = std::clamp(residual, tuning.least_noise * squared, squared) + 1e-300;
  const Observations seen = observe(indices, fit.u, determined, tuning.least_determined);
  if (seen.weights.size() > 0) prior.decay = fit_decay(seen, tuning.usual_decay, before.decay);
  prior.decay.tail(prior.decay.size() - 1) =
      prior.decay.tail(prior.decay.size() - 1).cwiseMax(tuning.least_decay);
  prior.variances.resize(indices.size());
  prior.variances(0) = infinity;
  for (Index i = 1; i < indices.size(); ++i) {
    double log_variance = prior.log_variance(indices[i]);
    if (determined(i) >= tuning.known_share) {
      const double measured = std::log(fit.u.row(i).squaredNorm() / determined(i) + 1e-300);
      log_variance +=
          tuning.own_share * std::max(measured - log_variance, std::log(tuning.least_own));
    }
    prior.variances(i) = std::exp(log_variance);
  }
  return prior;
}

}  // namespace chaosgrad::internal::collocation
