#include "core/constraints.h"

#include <cmath>

namespace chaosgrad::python {
namespace {

using Kind = Constraint::Kind;

// One entry per variable that has a finite bound, or one that is a function.
void name_bounds(const std::vector<VariableGroup>& variables, const Vector& bounds, bool function,
                 const std::string& side, Kind kind, std::vector<Constraint>& list) {
  Index first = 0;
  for (const VariableGroup& group : variables) {
    if (function || bounds.segment(first, group.count).array().isFinite().any()) {
      list.push_back({.name = group.name + side,
                      .kind = kind,
                      .first = first,
                      .count = group.count,
                      .is_list = group.is_list});
    }
    first += group.count;
  }
}

// Row b of h += ∂(λᵀ ∇c)/∂x at row b, by central differences of the Jacobian, made symmetric.
void add_differences(const FunctionRows& part, const Block& x, const Block& theta,
                     const Block& multipliers, BlockOut& h) {
  const Index n = x.rows(), q = x.cols();
  const double relative = std::cbrt(std::numeric_limits<double>::epsilon());
  Matrix moved = x, jacobian(n, part.rows * q), above(n, q), below(n, q);
  const auto weighted = [&](Matrix& sum) {
    part.jacobian({moved, theta}, jacobian);
    sum.setZero();
    for (Index i = 0; i < part.rows; ++i)
      sum +=
          (jacobian.middleCols(i * q, q).array().colwise() * multipliers.col(i).array()).matrix();
  };
  for (Index j = 0; j < q; ++j) {
    const Vector step = relative * (1 + x.col(j).array().abs());
    moved.col(j) = x.col(j) + step;
    weighted(above);
    moved.col(j) = x.col(j) - step;
    weighted(below);
    moved.col(j) = x.col(j);
    for (Index i = 0; i < q; ++i) {
      const Vector slope = (above.col(i) - below.col(i)).cwiseQuotient(4 * step);
      h.col(i * q + j) += slope;
      h.col(j * q + i) += slope;
    }
  }
}

}  // namespace

Index PythonConstraints::rows() const {
  Index count = linear_.rows();
  for (const FunctionRows& part : functions_) count += part.rows;
  return count;
}

void PythonConstraints::evaluate(const Block& x, const Block& theta, ConstraintBlock& at) const {
  linear_.evaluate(x, theta, at);
  if (bounds_.lower) (*bounds_.lower)({theta}, at.lower);
  if (bounds_.upper) (*bounds_.upper)({theta}, at.upper);
  const Index n = x.rows(), q = dimension(), p = rows();
  Index first = linear_.rows();
  at.value.conservativeResize(n, p);
  at.jacobian.conservativeResize(n, p * q);
  at.least.conservativeResize(n, p);
  at.most.conservativeResize(n, p);
  for (const FunctionRows& part : functions_) {
    part.function({x, theta}, at.value.middleCols(first, part.rows));
    part.jacobian({x, theta}, at.jacobian.middleCols(first * q, part.rows * q));
    at.least.middleCols(first, part.rows).setConstant(part.equality ? -infinity : 0.0);
    at.most.middleCols(first, part.rows).setConstant(infinity);
    first += part.rows;
  }
}

void PythonConstraints::curvature(const Block& x, const Block& theta, const Block& multipliers,
                                  BlockOut h) const {
  h.setZero();
  Index first = linear_.rows();
  for (const FunctionRows& part : functions_) {
    const Block weights = multipliers.middleCols(first, part.rows);
    first += part.rows;
    if (part.affine) continue;
    if (part.hessian) {
      Matrix own(h.rows(), h.cols());
      (*part.hessian)({x, theta, weights}, own);
      h += own;
    } else {
      add_differences(part, x, theta, weights, h);
    }
  }
}

std::shared_ptr<const Constraints> make_constraints(const std::vector<VariableGroup>& variables,
                                                    Vector lower, Vector upper,
                                                    std::vector<LinearConstraints::Rows> linear,
                                                    FunctionBounds bounds,
                                                    std::vector<FunctionRows> functions) {
  const Index q = lower.size();
  LinearConstraints all(q, lower, upper, std::move(linear));  // checks them
  std::vector<Constraint> list;
  name_bounds(variables, lower, bounds.lower.has_value(), ".lower", Kind::lower, list);
  name_bounds(variables, upper, bounds.upper.has_value(), ".upper", Kind::upper, list);
  for (const Constraint& one : all.list()) {
    if (one.kind != Kind::lower && one.kind != Kind::upper) list.push_back(one);
  }
  Index first = all.rows();
  for (const FunctionRows& part : functions) {
    list.push_back({.name = part.name,
                    .kind = part.equality ? Kind::equality : Kind::inequality,
                    .first = first,
                    .count = part.rows,
                    .affine = part.affine,
                    .is_list = part.is_list});
    first += part.rows;
  }
  if (list.empty()) return {};
  if (functions.empty() && !bounds.lower && !bounds.upper) {
    LinearConstraints::Parts parts = all.parts();
    parts.list = std::move(list);
    return std::make_shared<const LinearConstraints>(std::move(parts));
  }
  return std::make_shared<const PythonConstraints>(std::move(all), std::move(bounds),
                                                   std::move(functions), std::move(list));
}

}  // namespace chaosgrad::python
