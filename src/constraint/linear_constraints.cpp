#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "chaosgrad/constraints.h"
#include "chaosgrad/error.h"

namespace chaosgrad {

bool Constraints::is_affine() const {
  return std::all_of(list().begin(), list().end(), [](const Constraint& c) { return c.affine; });
}

bool Constraints::has_kinks() const {
  return std::any_of(list().begin(), list().end(),
                     [](const Constraint& c) { return c.kind == Constraint::Kind::kink; });
}

namespace {

using Kind = Constraint::Kind;

// Vectors of limits may be empty: none.
void fill_limits(const std::string& name, Index size, Vector& lower, Vector& upper) {
  if (lower.size() == 0) lower = Vector::Constant(size, -infinity);
  if (upper.size() == 0) upper = Vector::Constant(size, infinity);
  const auto check = [&](const Vector& limit, const std::string& field, double forbidden) {
    if (limit.size() != size)
      throw InputError(field, fmt::format("has {} numbers, not {}", limit.size(), size));
    for (Index i = 0; i < size; ++i)
      if (std::isnan(limit(i)) || limit(i) == forbidden)
        throw InputError(field, fmt::format("number {} is {}", i, limit(i)));
  };
  check(lower, name + ".lower", infinity);
  check(upper, name + ".upper", -infinity);
  for (Index i = 0; i < size; ++i)
    if (lower(i) > upper(i))
      throw InputError(name + ".lower", fmt::format("number {} is {}, above the upper limit {}", i,
                                                    lower(i), upper(i)));
}

void check_rows(Index dimension, LinearConstraints::Rows& rows) {
  if (rows.name.empty()) throw InputError("rows", "they need a name");
  if (rows.A.cols() != dimension)
    throw InputError(rows.name + ".A",
                     fmt::format("has {} columns, not {}", rows.A.cols(), dimension));
  if (!rows.A.allFinite()) throw InputError(rows.name + ".A", "is not finite");
  fill_limits(rows.name, rows.A.rows(), rows.lower, rows.upper);
}

// Rows of one entry: all k of the block, so that their numbers stay those of the user.
struct Part {
  Constraint entry;
  Matrix A;
  Vector b;
};

Part part_of(const LinearConstraints::Rows& rows, std::string name, Kind kind) {
  const Index k = rows.A.rows();
  // Rows that are of another kind always hold: 0 = 0, or 0 ≤ 1.
  Part part{.entry = {.name = std::move(name), .kind = kind, .count = k, .is_list = k > 1},
            .A = Matrix::Zero(k, rows.A.cols()),
            .b = Vector::Constant(k, kind == Kind::equality ? 0.0 : 1.0)};
  return part;
}

bool is_equality(const LinearConstraints::Rows& rows, Index i) {
  return rows.lower(i) == rows.upper(i);
}

// A x − b ≤ 0 or = 0: equalities first, then lower limits (with other signs), then upper ones.
std::vector<Part> parts_of(const LinearConstraints::Rows& rows) {
  Part equal = part_of(rows, rows.name, Kind::equality);
  Part below = part_of(rows, rows.name + ".lower", Kind::inequality);
  Part above = part_of(rows, rows.name + ".upper", Kind::inequality);
  bool equalities = false, lower = false, upper = false;
  const auto put = [&](Part& part, Index i, double sign, double limit, bool& used) {
    part.A.row(i) = sign * rows.A.row(i);
    part.b(i) = sign * limit;
    used = true;
  };
  for (Index i = 0; i < rows.A.rows(); ++i) {
    if (is_equality(rows, i)) {
      put(equal, i, 1, rows.upper(i), equalities);
      continue;
    }
    if (std::isfinite(rows.lower(i))) put(below, i, -1, rows.lower(i), lower);
    if (std::isfinite(rows.upper(i))) put(above, i, 1, rows.upper(i), upper);
  }
  if (!equalities && lower != upper) (lower ? below : above).entry.name = rows.name;
  std::vector<Part> parts;
  if (equalities) parts.push_back(std::move(equal));
  if (lower) parts.push_back(std::move(below));
  if (upper) parts.push_back(std::move(above));
  return parts;
}

}  // namespace

LinearConstraints::LinearConstraints(Index dimension, Vector lower, Vector upper,
                                     std::vector<Rows> rows, std::string variable)
    : dimension_(dimension), lower_(std::move(lower)), upper_(std::move(upper)) {
  if (dimension < 1) throw InputError("dimension", "must be at least 1");
  if (variable.empty()) variable = std::string(1, 'x');
  fill_limits(variable, dimension, lower_, upper_);
  const auto list_bounds = [&](const Vector& bounds, const std::string& side, Kind kind) {
    if (bounds.array().isFinite().any())
      list_.push_back({.name = variable + side, .kind = kind, .count = dimension, .is_list = true});
  };
  list_bounds(lower_, ".lower", Kind::lower);
  list_bounds(upper_, ".upper", Kind::upper);
  A_.resize(0, dimension);
  for (Rows& block : rows) {
    check_rows(dimension, block);
    for (Part& part : parts_of(block)) {
      const Index first = A_.rows(), count = part.entry.count;
      part.entry.first = first;
      A_.conservativeResize(first + count, dimension);
      A_.bottomRows(count) = part.A;
      for (Vector* vector : {&b_, &least_, &most_}) vector->conservativeResize(first + count);
      b_.tail(count) = part.b;
      least_.tail(count).setConstant(part.entry.kind == Kind::equality ? -infinity : 0.0);
      most_.tail(count).setConstant(infinity);
      list_.push_back(std::move(part.entry));
    }
  }
}

void LinearConstraints::evaluate(const Block& x, const Block& /*theta*/,
                                 ConstraintBlock& at) const {
  const Index n = x.rows(), p = rows();
  at.lower = lower_.transpose().replicate(n, 1);
  at.upper = upper_.transpose().replicate(n, 1);
  at.least = least_.transpose().replicate(n, 1);
  at.most = most_.transpose().replicate(n, 1);
  at.value.noalias() = x * A_.transpose();
  at.value.rowwise() -= b_.transpose();
  at.jacobian.resize(n, p * dimension_);
  for (Index i = 0; i < p; ++i)
    at.jacobian.middleCols(i * dimension_, dimension_) = A_.row(i).replicate(n, 1);
}

void LinearConstraints::curvature(const Block& /*x*/, const Block& /*theta*/,
                                  const Block& /*multipliers*/, BlockOut h) const {
  h.setZero();
}

}  // namespace chaosgrad
