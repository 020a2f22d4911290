#pragma once
// Random quadratic programs with all that makes them awkward: whole numbers (many rows meet in one
// point), rows twice or as sums of others, equalities, soft rows, rows of zeros, fixed components.
#include <algorithm>
#include <cmath>

#include "constraint/quadratic_program.h"
#include "numeric/decompositions.h"
#include "support/keyed_numbers.h"

namespace chaosgrad::testing {

// Numbers of one key, one after the other.
class Draw {
 public:
  Draw(std::uint64_t key, Index count) : numbers_(signed_numbers(key, count, 1)) {}
  double real() { return numbers_(next_++ % numbers_.size()); }  // on (−1, 1)
  bool chance(double probability) { return real() < 2 * probability - 1; }
  Index whole(Index least, Index most) {
    const double share = 0.5 * (real() + 1);
    return least + static_cast<Index>(share * static_cast<double>(most - least + 1));
  }
  double coarse() { return static_cast<double>(whole(-2, 2)); }

 private:
  Matrix numbers_;
  Index next_ = 0;
};

struct OwnProgram {
  Matrix M, factor;
  Vector y, lower, upper;
  Matrix rows;
  Vector right, least, most;
  [[nodiscard]] internal::QuadraticProgram view() const {
    return {factor, y, lower, upper, rows, right, least, most};
  }
};

inline void draw_metric(Draw& draw, Index q, OwnProgram& program) {
  const double decades = draw.chance(0.2) ? 2.5 : 0.0;  // condition up to 1e10
  Matrix B(q, q);
  for (double& entry : B.reshaped()) entry = draw.real();
  Vector scale(q);
  for (double& entry : scale) entry = std::pow(10, decades * draw.real());
  program.M = B * B.transpose() + 0.1 * Matrix::Identity(q, q);
  program.M = (scale.asDiagonal() * program.M * scale.asDiagonal()).eval();
  program.factor = internal::cholesky_factor(program.M);
}

inline void draw_limits(Draw& draw, double& least, double& most) {
  const double weight = draw.chance(0.1) ? 0 : std::abs(2 * draw.real());
  switch (draw.whole(0, 5)) {
    case 0:
      least = -infinity, most = infinity;
      break;
    case 1:
      least = 0, most = weight;
      break;
    case 2:
      least = -weight, most = weight;
      break;
    default:
      least = 0, most = infinity;
  }
}

inline void draw_row(Draw& draw, Index i, bool whole, OwnProgram& program) {
  Matrix& rows = program.rows;
  for (Index j = 0; j < rows.cols(); ++j) rows(i, j) = whole ? draw.coarse() : draw.real();
  program.right(i) = whole ? draw.coarse() : draw.real();
  draw_limits(draw, program.least(i), program.most(i));
  if (i > 0 && draw.chance(0.15)) {
    const Index of = draw.whole(0, i - 1);
    const double factor = draw.chance(0.5) ? 1 : 3 * draw.real();
    rows.row(i) = factor * rows.row(of);
    if (draw.chance(0.7)) program.right(i) = factor * program.right(of);
  } else if (i > 1 && draw.chance(0.15)) {
    rows.row(i) = rows.row(i - 1) + rows.row(i - 2);
    if (draw.chance(0.7)) program.right(i) = program.right(i - 1) + program.right(i - 2);
  }
}

inline void draw_bounds(Draw& draw, Index j, bool whole, OwnProgram& program) {
  const double middle = whole ? draw.coarse() : draw.real();
  const double width = whole ? static_cast<double>(draw.whole(1, 3)) : std::abs(2 * draw.real());
  const Index kind = draw.whole(0, 4);
  program.lower(j) = kind == 1 || kind == 3 ? middle - width : kind == 4 ? middle : -infinity;
  program.upper(j) = kind == 2 || kind == 3 ? middle + width : kind == 4 ? middle : infinity;
}

// `feasible`: some x meets all rows and bounds; otherwise nobody knows.
inline OwnProgram random_program(std::uint64_t key, Index q, Index p, bool feasible) {
  Draw draw(key, 2 * (p + q + 4) * (q + 8));
  const bool whole = draw.chance(0.5);
  OwnProgram program;
  draw_metric(draw, q, program);
  program.y.resize(q), program.lower.resize(q), program.upper.resize(q);
  program.rows.resize(p, q);
  program.right.resize(p), program.least.resize(p), program.most.resize(p);
  Vector inside(q);
  for (Index j = 0; j < q; ++j) {
    program.y(j) = whole ? 2 * draw.coarse() : 3 * draw.real();
    draw_bounds(draw, j, whole, program);
    inside(j) = std::clamp(whole ? draw.coarse() : draw.real(), program.lower(j), program.upper(j));
  }
  for (Index i = 0; i < p; ++i) {
    draw_row(draw, i, whole, program);
    if (!feasible) continue;
    const double slack = draw.chance(0.5) ? 0 : whole ? 1 : std::abs(draw.real());
    program.right(i) = program.rows.row(i).dot(inside);
    if (std::isfinite(program.least(i))) program.right(i) += slack;
  }
  return program;
}

}  // namespace chaosgrad::testing
