#include "solve/collocation/design/prior.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace chaosgrad::internal::collocation {
namespace {

constexpr double largest_exponent = 300;

// Observations of τ_ν²: the degrees that are not 0, the squared coefficient as it would be without
// penalty, and how much of it the points have determined.
struct Observations {
  struct Degree {
    Index axis;
    double degree;
  };
  std::vector<Degree> degrees;  // of all of them, one after the other
  std::vector<std::size_t>
      first;  // where those of an observation begin; one more than observations
  Vector squares, weights;
  Index axes = 0;

  [[nodiscard]] Index size() const { return squares.size(); }
  // c − Σ w_k ν_k of each, for b = (c, w).
  [[nodiscard]] Vector exponents(const Vector& b) const {
    Vector e(size());
    for (Index n = 0; n < size(); ++n) {
      double sum = b(0);
      each(n, [&](const Degree& at) { sum -= b(1 + at.axis) * at.degree; });
      e(n) = std::clamp(sum, -largest_exponent, largest_exponent);
    }
    return e;
  }
  // Σ v_n ∂e_n/∂b.
  [[nodiscard]] Vector transposed(const Vector& v) const {
    Vector sum = Vector::Zero(1 + axes);
    for (Index n = 0; n < size(); ++n) {
      sum(0) += v(n);
      each(n, [&](const Degree& at) { sum(1 + at.axis) -= v(n) * at.degree; });
    }
    return sum;
  }
  // ∂e/∂b times b.
  [[nodiscard]] Vector times(const Vector& b) const {
    Vector e(size());
    for (Index n = 0; n < size(); ++n) {
      e(n) = b(0);
      each(n, [&](const Degree& at) { e(n) -= b(1 + at.axis) * at.degree; });
    }
    return e;
  }

 private:
  template <class Work>
  void each(Index n, const Work& work) const {
    const auto i = static_cast<std::size_t>(n);
    for (std::size_t k = first[i]; k < first[i + 1]; ++k) work(degrees[k]);
  }
};

// ½ Σ s_ν (log τ_ν² + |u_ν|²/τ_ν²): the likelihood of squares with a gamma distribution around
// τ_ν² = exp(e_ν), which is convex in b = (c, w); and ½ |w − usual w|², for those that nothing is
// known about.
double misfit(const Observations& seen, double usual, const Vector& b) {
  const Vector e = seen.exponents(b);
  const Vector terms = e.array() + seen.squares.array() * (-e.array()).exp();
  return 0.5 * seen.weights.dot(terms) +
         0.5 * (b.tail(b.size() - 1).array() - usual).square().sum();
}

// (Σ bent z zᵀ + I) s = −gradient, z = ∂e/∂b, by conjugate gradients: thousands of parameters have
// only a few degrees each.
Vector newton_step(const Observations& seen, const Vector& bent, const Vector& gradient) {
  constexpr double accuracy = 1e-6;
  constexpr Index most_steps = 200;
  Vector diagonal = Vector::Ones(gradient.size());
  diagonal(0) = 1e-8 + bent.sum();
  for (Index n = 0; n < seen.size(); ++n) {
    const auto i = static_cast<std::size_t>(n);
    for (std::size_t k = seen.first[i]; k < seen.first[i + 1]; ++k)
      diagonal(1 + seen.degrees[k].axis) += bent(n) * std::pow(seen.degrees[k].degree, 2);
  }
  Vector step = Vector::Zero(gradient.size()), residual = -gradient;
  Vector z = residual.cwiseQuotient(diagonal), direction = z;
  double rz = residual.dot(z);
  const double enough = accuracy * accuracy * rz;
  for (Index k = 0; k < most_steps && rz > enough; ++k) {
    Vector product = seen.transposed(bent.cwiseProduct(seen.times(direction)));
    product.tail(product.size() - 1) += direction.tail(direction.size() - 1);
    product(0) += 1e-8 * direction(0);
    const double length = rz / direction.dot(product);
    step += length * direction;
    residual -= length * product;
    z = residual.cwiseQuotient(diagonal);
    const double before = rz;
    rz = residual.dot(z);
    direction = z + rz / before * direction;
  }
  return step;
}

// Newton's method with a line search.
Vector fit_decay(const Observations& seen, double usual, Vector b) {
  constexpr int most_steps = 60;
  constexpr double small = 1e-4;
  const Index p = b.size();
  const Vector first = seen.exponents(b);
  const double size = seen.weights.dot((seen.squares.array() * (-first.array()).exp()).matrix()) /
                      seen.weights.sum();
  if (size > 0) b(0) += std::log(size);
  for (int step_number = 0; step_number < most_steps; ++step_number) {
    const Vector e = seen.exponents(b);
    const Vector ratio = seen.squares.array() * (-e.array()).exp();
    Vector gradient =
        seen.transposed(0.5 * seen.weights.cwiseProduct((1 - ratio.array()).matrix()));
    gradient.tail(p - 1).array() += b.tail(p - 1).array() - usual;
    const Vector bent = 0.5 * seen.weights.array() * ratio.array().max(0.3);
    const Vector step = newton_step(seen, bent, gradient);
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
  Observations seen;
  seen.axes = indices.dimension();
  std::vector<double> squares, weights;
  for (Index i = 1; i < indices.size(); ++i) {
    if (!(determined(i) >= least)) continue;
    seen.first.push_back(seen.degrees.size());
    for (Index k = 0; k < indices.dimension(); ++k) {
      const int degree = indices[i][static_cast<std::size_t>(k)];
      if (degree > 0) seen.degrees.push_back({k, static_cast<double>(degree)});
    }
    weights.push_back(determined(i));
    squares.push_back(u.row(i).squaredNorm() / determined(i));
  }
  seen.first.push_back(seen.degrees.size());
  seen.squares = Eigen::Map<const Vector>(squares.data(), static_cast<Index>(squares.size()));
  seen.weights = Eigen::Map<const Vector>(weights.data(), static_cast<Index>(weights.size()));
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

Prior first_prior(const IndexSet& indices, const Matrix& values, const DesignTuning& tuning) {
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
                  const WeightedFit& fit, double squared, const DesignTuning& tuning) {
  const Vector &weights = design.weights(), &determined = design.determined();
  const auto n = static_cast<double>(weights.size());
  Prior prior = before;
  const double free = n - determined.sum();
  const double residual = weights.dot(fit.residuals.rowwise().squaredNorm()) / std::max(1.0, free);
  prior.noise = std::clamp(residual, tuning.least_noise * squared, squared) + 1e-300;
  const Observations seen = observe(indices, fit.u, determined, tuning.least_determined);
  if (seen.size() > 0) prior.decay = fit_decay(seen, tuning.usual_decay, before.decay);
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
