#include "solve/pointwise/trust_region.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "curvature/curvature.h"
#include "numeric/decompositions.h"
#include "numeric/symmetric.h"

namespace chaosgrad::internal {
namespace {

constexpr double smallest_ratio = 1e-4;  // of actual to predicted decrease, for a step to be taken
constexpr double shrink_below = 0.25, grow_above = 0.75;  // the same, for the radius to change
constexpr double shrinkage = 0.25, growth = 2.5;
constexpr double singular = 1e-12;   // λ_min/λ_max below is 0 to rounding
constexpr double settled = 0.1;      // of what the whole step gains, to compare with rounding
constexpr int most_shrinkages = 60;  // of the region at one x

// Shares of the way between two minima: a minimum rises at once, and between wells in the middle.
constexpr std::array on_the_way = {0.001, 0.01, 0.05, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875};

// f(x) + gᵀp + ½ pᵀHp for p = V c: H on a space V (all of R^q, or Krylov's of g) in its eigenvectors.
struct Model {
  Matrix vectors;      // V times the eigenvectors, q×k
  Vector eigenvalues;  // ascending
  Vector slopes;       // of f along the vectors
};

Model model_of(const Matrix& hessian, const Vector& g) {
  SymmetricEigen eigen = symmetric_eigen(symmetric_part(hessian));
  Vector slopes = eigen.vectors.transpose() * g;
  return {std::move(eigen.vectors), std::move(eigen.values), std::move(slopes)};
}

struct Step {
  Vector p;
  double predicted = 0;  // decrease
  bool newton = false;   // the whole step of a positive definite H: the region is not in its way
};

Vector coordinates(const Model& model, double shift) {
  return -model.slopes.cwiseQuotient((model.eigenvalues.array() + shift).matrix());
}

// The minimum of the model within |p| ≤ radius: c_i = −slope_i/(λ_i + ν) with the ν ≥ 0 that makes
// H + νI positive and |c| = radius, by bisection. Where f has no slope along the lowest eigenvector
// (Moré and Sorensen's hard case), what is left of the radius goes along it.
Step best_step(const Model& model, double radius) {
  const double lowest = model.eigenvalues(0), size = model.eigenvalues.cwiseAbs().maxCoeff();
  Step step;
  Vector c;
  if (lowest > singular * size) c = coordinates(model, 0);
  if (c.size() > 0 && c.norm() <= radius) {
    step.newton = true;
  } else {
    const double least = std::max(0.0, -lowest) + singular * size + 1e-300;
    double low = least, high = least + model.slopes.norm() / radius;
    for (int k = 0; k < 100 && high - low > 1e-12 * high; ++k) {
      const double middle = 0.5 * (low + high);
      (coordinates(model, middle).norm() > radius ? low : high) = middle;
    }
    c = coordinates(model, high);
    const double room = radius * radius - c.squaredNorm();
    if (lowest < 0 && room > 1e-6 * radius * radius)
      c(0) += std::copysign(std::sqrt(room + c(0) * c(0)) - std::abs(c(0)), -model.slopes(0));
  }
  step.p = model.vectors * c;
  step.predicted = -(model.slopes.dot(c) + 0.5 * model.eigenvalues.dot(c.cwiseAbs2()));
  return step;
}

class Descent {
 public:
  Descent(const PointFunction& f, const Vector& start, const TrustRegionOptions& options)
      : f_(f), options_(options), radius_(1 + start.norm()) {
    best_.x = start;
    best_.value = value(start);
    best_.gradient = gradient(start);
    if (!std::isfinite(best_.value) || !best_.gradient.allFinite())
      best_.outcome = Minimum::Outcome::outside_domain;
  }

  Minimum run() {
    if (best_.outcome == Minimum::Outcome::outside_domain) return std::move(best_);
    for (Index k = 0; k < options_.most_steps; ++k) {
      const Model model = measure();
      if (!model.eigenvalues.allFinite()) break;
      if (advance(model)) return std::move(best_);
    }
    return std::move(best_);
  }

 private:
  double value(const Vector& x) {
    best_.gradients += f_.draws;
    return f_.value(x);
  }
  Vector gradient(const Vector& x) {
    best_.gradients += f_.draws;
    return f_.gradient(x);
  }

  // The Hessian at the best x: in full, or on the Krylov space of its gradient.
  Model measure() {
    const Index q = best_.x.size();
    if (q <= dense_limit) {
      best_.gradients += q * f_.draws;
      best_.hessian = f_.hessian(best_.x);
      // |x|^1.5 has no curvature at 0: as much as the region needs.
      if (!best_.hessian.allFinite())
        best_.hessian = best_.gradient.norm() / radius_ * Matrix::Identity(q, q);
      return model_of(best_.hessian, best_.gradient);
    }
    const double h = difference_step(Difference::forward, false,
                                     best_.x.norm() / std::sqrt(static_cast<double>(q)));
    const KrylovSpace space = lanczos(
        [&](const Vector& v) -> Vector { return (gradient(best_.x + h * v) - best_.gradient) / h; },
        best_.gradient);
    Model model = model_of(space.tridiagonal, space.vectors.transpose() * best_.gradient);
    model.vectors = (space.vectors * model.vectors).eval();
    return model;
  }

  // Tries steps in smaller and smaller regions until one is taken. True if the descent is over.
  bool advance(const Model& model) {
    best_.eigenvalue = model.eigenvalues(0);
    best_.direction = model.vectors.col(0);
    bool at_border = false;  // f is not finite where the model leads to
    for (int shrinkages = 0; shrinkages < most_shrinkages; ++shrinkages) {
      const Step step = best_step(model, radius_);
      const double length = step.p.norm();
      const double enough = options_.tolerance + options_.relative_tolerance * best_.x.norm();
      if (step.newton && length <= enough) return end(Minimum::Outcome::found);
      const bool unseen = below_rounding(f_, step.predicted, best_.value);
      if (unseen && !step.newton) {
        if (!at_border && is_settled(model)) return end(Minimum::Outcome::found);
        return end(at_border || model.eigenvalues(0) > 0 ? Minimum::Outcome::unfinished
                                                         : Minimum::Outcome::not_convex);
      }
      const Vector x = best_.x + step.p;
      const double f = value(x);
      Vector g = std::isfinite(f) ? gradient(x) : Vector::Constant(x.size(), f);
      if (!std::isfinite(f) || !g.allFinite()) {
        radius_ = shrinkage * length;
        at_border = true;
        continue;
      }
      if (unseen) {
        if (!(g.norm() < best_.gradient.norm())) return end(Minimum::Outcome::found);
        return move(x, f, std::move(g));
      }
      // Where values are not those of the gradient, it alone tells how good a Newton step is.
      if (f_.is_inexact() && step.newton && g.norm() < best_.gradient.norm())
        return move(x, f, std::move(g));
      const double ratio = (best_.value - f) / step.predicted;
      if (ratio < shrink_below) radius_ = shrinkage * length;
      if (ratio > grow_above && length > 0.9 * radius_) radius_ *= growth;
      if (ratio > smallest_ratio) return move(x, f, std::move(g));
    }
    return end(Minimum::Outcome::unfinished);
  }

  // Whether even the whole step of Newton would gain hardly more than rounding. The region is smaller
  // than that step where the model is bad on the scale of the step itself: |x|^1.5 near its minimum,
  // with a curvature that grows without end.
  bool is_settled(const Model& model) const {
    const Step whole = best_step(model, infinity);
    return whole.newton && below_rounding(f_, settled * whole.predicted, best_.value);
  }

  bool move(const Vector& x, double f, Vector g) {
    best_.x = x;
    best_.value = f;
    best_.gradient = std::move(g);
    if (!(x.norm() > options_.runaway_norm)) return false;
    return end(Minimum::Outcome::unbounded);
  }

  bool end(Minimum::Outcome outcome) {
    best_.outcome = outcome;
    return true;
  }

  const PointFunction& f_;
  const TrustRegionOptions& options_;
  double radius_;
  Minimum best_;
};

}  // namespace

PointFunction point_function(const Oracle& oracle, const Vector& theta) {
  const Matrix at = theta.transpose(), noise(1, 0);
  const auto gradient = [&oracle, at, noise](const Vector& x) -> Vector {
    Matrix g(1, x.size());
    oracle.gradient(x.transpose(), at, noise, g);
    return g.row(0).transpose();
  };
  return {.value =
              [&oracle, at, noise](const Vector& x) {
                Matrix f(1, 1);
                oracle.value(x.transpose(), at, noise, f);
                return f(0, 0);
              },
          .gradient = gradient,
          .hessian = [&oracle, at, noise, gradient](const Vector& x) -> Matrix {
            const Index q = x.size();
            if (!oracle.has_hessian()) {
              const Vector h = relative_step(Difference::central, false) * (1 + x.array().abs());
              return hessian_by_differences(gradient, x, h, Difference::central);
            }
            Matrix h(1, q * q);
            oracle.hessian(x.transpose(), at, noise, h);
            return Eigen::Map<const Matrix>(h.data(), q, q);
          },
          .draws = oracle.facts().draws,
          .rounding = oracle.facts().finer_gradient ? 1e-6 : 1e-13};
}

bool below_rounding(const PointFunction& f, double decrease, double value) {
  return decrease <= f.rounding * (1 + std::abs(value));
}

bool rises_between(const PointFunction& f, const Vector& a, const Vector& b, double highest) {
  return std::ranges::any_of(
      on_the_way, [&](double share) { return !(f.value(a + share * (b - a)) <= highest); });
}

Minimum minimise(const PointFunction& f, const Vector& start, const TrustRegionOptions& options) {
  return Descent(f, start, options).run();
}

}  // namespace chaosgrad::internal
