#include "solve/pointwise/constrained_descent.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "constraint/metric_factor.h"
#include "numeric/decompositions.h"
#include "numeric/symmetric.h"

namespace chaosgrad::internal {
namespace {

constexpr double least_decrease = 1e-4;   // of what the slope promises (Armijo)
constexpr double vanishing = 1e-15;       // eigenvalues below this share of the largest are 0
constexpr double least_curvature = 1e-6;  // of the model where f is not convex, relative
constexpr double no_multiplier = 1e-9;    // relative to the gradient
constexpr double no_length = 1e-9;        // of the argument of a norm: at its tip, relative
constexpr int most_halvings = 60;
constexpr int most_stiffenings = 20;

// What holds x with a force: constraint number k of the working set. A kink does where its multiplier
// is between its limits: at one of them x could leave to that side at no cost, as between the two
// middle ones of four numbers whose distances are added up.
bool pulls(const Constraints& set, const ConstraintBlock& block, const Projection& at,
           Index number) {
  const Index p = set.rows();
  if (number >= p)
    return std::abs(at.bound_multipliers(number - p)) > no_multiplier * at.force.norm();
  const auto found = std::ranges::find_if(set.list(), [&](const Constraint& one) {
    return one.kind == Constraint::Kind::kink && number >= one.first &&
           number < one.first + one.count;
  });
  const double multiplier = at.row_multipliers(number);
  if (found == set.list().end()) return std::abs(multiplier) > no_multiplier * at.force.norm();
  const double least = block.least(0, number), most = block.most(0, number);
  const double room = found->norm
                          ? most - at.row_multipliers.segment(found->first, found->count).norm()
                          : std::min(multiplier - least, most - multiplier);
  return room > no_multiplier * (most - least);
}

// An orthonormal basis of the directions z, x = unit·z, along which what binds at x does not change:
// those normal to the gradients of all that holds x. What binds without a force does not.
Matrix free_directions(const Constraints& set, const Vector& theta, const Projection& at,
                       const Vector& unit) {
  const Index q = at.x.size(), p = set.rows();
  ConstraintBlock block;
  set.evaluate(at.x.transpose(), theta.transpose(), block);
  Matrix squares = Matrix::Zero(q, q);  // Σ of the projections on those gradients
  for (Index number = 0; number < p + q; ++number) {
    if (!pulls(set, block, at, number)) continue;
    Vector normal = number < p ? block.jacobian.block(0, number * q, 1, q).transpose().eval()
                               : Vector::Unit(q, number - p);
    normal = normal.cwiseProduct(unit).eval();
    if (normal.norm() > 0) squares += normal.normalized() * normal.normalized().transpose();
  }
  const SymmetricEigen eigen = symmetric_eigen(squares);
  const Index free = (eigen.values.array() < 1e-10).count();
  return eigen.vectors.leftCols(free);
}

// Σ ∇²(w |c|₂) at x over the norms among the kinks, away from their tips: w Jᵀ(I − ĉĉᵀ)J/|c|, ĉ = c/|c|.
Matrix bending_of_norms(const Constraints& set, const Vector& theta, const Vector& x) {
  const Index q = x.size();
  Matrix result = Matrix::Zero(q, q);
  if (!set.has_kinks()) return result;
  ConstraintBlock block;
  set.evaluate(x.transpose(), theta.transpose(), block);
  for (const Constraint& one : set.list()) {
    if (!one.norm) continue;
    const Vector c = block.value.row(0).segment(one.first, one.count).transpose();
    Matrix J(one.count, q);
    for (Index k = 0; k < one.count; ++k)
      J.row(k) = block.jacobian.block(0, (one.first + k) * q, 1, q);
    const double length = c.norm();
    if (!(length > no_length * (1 + x.norm()))) continue;
    const Vector along = J.transpose() * c / length;
    result += block.most(0, one.first) / length * (J.transpose() * J - along * along.transpose());
  }
  return result;
}

// C with bounds that are moved inwards by `margin`, at most to the middle of both.
class InsideBounds final : public Constraints {
 public:
  InsideBounds(const Constraints& set, double margin) : set_(set), margin_(margin) {}
  [[nodiscard]] Index dimension() const override { return set_.dimension(); }
  [[nodiscard]] Index rows() const override { return set_.rows(); }
  [[nodiscard]] const std::vector<Constraint>& list() const override { return set_.list(); }
  void evaluate(const Block& x, const Block& theta, ConstraintBlock& at) const override {
    set_.evaluate(x, theta, at);
    const auto most = (at.upper - at.lower).array() / 2;
    const Matrix margins = most.min(margin_).matrix();
    at.lower += margins;
    at.upper -= margins;
  }
  void curvature(const Block& x, const Block& theta, const Block& multipliers,
                 BlockOut h) const override {
    set_.curvature(x, theta, multipliers, h);
  }

 private:
  const Constraints& set_;
  double margin_;
};

class ConstrainedDescent {
 public:
  ConstrainedDescent(const PointFunction& f, const Constraints& set, const Vector& theta,
                     const TrustRegionOptions& options)
      : f_(f), set_(set), theta_(theta), options_(options) {}

  Minimum run(const Vector& start) {
    const Index q = start.size();
    if (!enter(project(set_, theta_, Matrix::Identity(q, q), start))) return std::move(best_);
    if (!is_inside() && !enter_from_bounds(start)) {
      best_.outcome = Minimum::Outcome::outside_domain;
      return std::move(best_);
    }
    for (Index k = 0; k < options_.most_steps; ++k) {
      if (advance()) break;
    }
    return std::move(best_);
  }

 private:
  bool enter(const Projection& start) {
    best_.x = start.x;
    if (start.outcome != QuadraticSolution::Outcome::solved) return !fail(start);
    best_.value = value(best_.x);
    best_.gradient = gradient(best_.x);
    return true;
  }

  [[nodiscard]] bool is_inside() const {
    return std::isfinite(best_.value) && best_.gradient.allFinite();
  }

  // The domain of F may end at the bounds (log x over x ≥ 0), where the projection of the start is:
  // a start farther inside, as far as the other constraints allow.
  bool enter_from_bounds(const Vector& start) {
    const Index q = start.size();
    const Vector border = best_.x;
    double margin = 0.3 * (border.norm() + start.norm());
    for (int k = 0; k < most_halvings / 2; ++k, margin /= 4) {
      const Projection inside =
          project(InsideBounds(set_, margin), theta_, Matrix::Identity(q, q), start);
      if (inside.outcome == QuadraticSolution::Outcome::solved && enter(inside) && is_inside())
        return true;
    }
    best_.x = border;
    return false;
  }

  // The descent is over: C is empty, or the projection did not end.
  bool fail(const Projection& at) {
    return finish(at.outcome == QuadraticSolution::Outcome::infeasible
                      ? Minimum::Outcome::infeasible
                      : Minimum::Outcome::unfinished);
  }

  // With the terms that have kinks.
  double value(const Vector& x) {
    best_.gradients += f_.draws;
    return f_.value(x) + (set_.has_kinks() ? state_at(set_, theta_, x).kinks : 0.0);
  }
  Vector gradient(const Vector& x) {
    best_.gradients += f_.draws;
    return f_.gradient(x);
  }

  // One quadratic program and the line search along its step. True if the descent is over.
  bool advance() {
    const Index q = best_.x.size();
    best_.gradients += q * f_.draws;
    best_.hessian = f_.hessian(best_.x);
    if (!best_.hessian.allFinite())
      best_.hessian = (1 + best_.gradient.norm()) * Matrix::Identity(q, q);
    const Matrix model = with_equalities(
        symmetric_part(best_.hessian) + proximal() * Matrix::Identity(q, q), set_, best_.x, theta_);
    Matrix factor = cholesky_factor(model);
    if (factor.size() == 0) factor = positive_factor(model, least_curvature);
    Projection end;
    for (int k = 0; k < most_stiffenings;
         ++k, factor *= 2) {  // shorter steps end where long do not
      end = project(set_, theta_, factor, best_.x - solve_cholesky(factor, best_.gradient));
      if (end.outcome == QuadraticSolution::Outcome::solved) break;
    }
    if (end.outcome != QuadraticSolution::Outcome::solved)  // x is in C: it is not empty
      return finish(Minimum::Outcome::unfinished);
    best_.force = end.force;
    best_.bound_multipliers = end.bound_multipliers;
    best_.row_multipliers = end.row_multipliers;
    const Vector step = end.x - best_.x;
    const double enough = options_.tolerance + options_.relative_tolerance * best_.x.norm();
    if (step.norm() <= enough)
      return finish(curved(end) ? Minimum::Outcome::found : Minimum::Outcome::not_convex);
    return search(end, step, (factor.transpose() * step).squaredNorm());
  }

  // δ of this descent. Where the quadratic model falls without end f itself may not: it is asked
  // again at every x.
  double proximal() {
    if (settled_) return best_.proximal;
    const ProximalWeight found =
        proximal_weight(best_.hessian, best_.gradient, set_, theta_, best_.x);
    settled_ = found.settled && found.weight > 0;
    best_.proximal = found.weight;
    return found.weight;
  }

  // Halves the step until f falls by a share of what it promises: −|step|²_H is the slope along it,
  // kinks and all.
  bool search(const Projection& end, const Vector& step, double promised) {
    const bool unseen = below_rounding(f_, promised, best_.value);
    double share = 1;
    for (int k = 0; k < most_halvings; ++k, share /= 2) {
      const Vector x = share == 1 ? end.x : Vector(best_.x + share * step);
      const double f = value(x);
      if (!std::isfinite(f) || (!unseen && !(f <= best_.value - least_decrease * share * promised)))
        continue;
      Vector g = gradient(x);
      if (!g.allFinite()) continue;
      const double slope = step.dot(g + end.force);
      if (unseen && !(std::abs(slope) < promised)) return finish(Minimum::Outcome::found);
      return move(x, f, std::move(g));
    }
    return finish(unseen ? Minimum::Outcome::found : Minimum::Outcome::unfinished);
  }

  bool move(const Vector& x, double f, Vector g) {
    best_.x = x;
    best_.value = f;
    best_.gradient = std::move(g);
    return x.norm() > options_.runaway_norm && finish(Minimum::Outcome::unbounded);
  }

  bool finish(Minimum::Outcome outcome) {
    best_.outcome = outcome;
    return true;
  }

  // Whether H is positive on the directions that what binds leaves free, each variable in the unit in
  // which its own curvature is 1: beside a pole that of another is lost in rounding. Sets the lowest
  // eigenvalue there and its direction.
  bool curved(const Projection& end) {
    const Index q = end.x.size();
    Matrix bending(1, q * q);
    set_.curvature(end.x.transpose(), theta_.transpose(), end.row_multipliers.transpose(), bending);
    const Matrix lagrangian = symmetric_part(best_.hessian) +
                              Eigen::Map<const Matrix>(bending.data(), q, q) +
                              bending_of_norms(set_, theta_, end.x);
    const Vector unit = own_units(lagrangian);
    const Matrix free = free_directions(set_, theta_, end, unit);
    if (free.cols() == 0) {
      best_.eigenvalue = infinity;
      return true;
    }
    const SymmetricEigen eigen = symmetric_eigen(free.transpose() * unit.asDiagonal() * lagrangian *
                                                 unit.asDiagonal() * free);
    best_.direction = (unit.asDiagonal() * free * eigen.vectors.col(0)).normalized();
    best_.eigenvalue = best_.direction.dot(lagrangian * best_.direction);
    return eigen.values(0) > vanishing * eigen.values.cwiseAbs().maxCoeff();
  }

  const PointFunction& f_;
  const Constraints& set_;
  const Vector& theta_;
  const TrustRegionOptions& options_;
  Minimum best_;
  bool settled_ = false;  // best_.proximal is for the whole descent
};

}  // namespace

Minimum minimise(const PointFunction& f, const Constraints& set, const Vector& theta,
                 const Vector& start, const TrustRegionOptions& options) {
  return ConstrainedDescent(f, set, theta, options).run(start);
}

}  // namespace chaosgrad::internal
