#pragma once
// Random projections with bounds, affine rows, ellipsoids, log-sum-exp rows (hard and soft) and
// norms, in metrics whose condition is up to 1e10.
#include <algorithm>
#include <memory>

#include "constraint/curved_rows.h"
#include "constraint/random_program.h"

namespace chaosgrad::testing {

struct CurvedProblem {
  explicit CurvedProblem(Index q) : constraints(q) {}
  CurvedConstraints constraints;
  Matrix M, factor;
  Vector y;
};

inline Matrix draw_matrix(Draw& draw, Index rows, Index columns) {
  Matrix result(rows, columns);
  for (double& entry : result.reshaped()) entry = draw.real();
  return result;
}

// A row that `inside` meets with some slack.
inline std::shared_ptr<const Row> draw_curved_row(Draw& draw, const Vector& inside) {
  const Index q = inside.size();
  const double slack = draw.chance(0.1) ? 1e-6 : std::abs(draw.real());
  switch (draw.whole(0, 2)) {
    case 0: {
      const Matrix B = draw_matrix(draw, q, q);
      const Matrix P = B.transpose() * B + 0.01 * Matrix::Identity(q, q);
      const Vector centre = 1.5 * draw_matrix(draw, q, 1), s = inside - centre;
      return std::make_shared<EllipsoidRow>(P, centre, s.dot(P * s) + slack);
    }
    case 1: {
      const Matrix A = 2 * draw_matrix(draw, 4, q);
      return std::make_shared<LogSumExpRow>(A, LogSumExpRow(A, 0).value(inside) + slack);
    }
    default: {
      const Vector a = draw_matrix(draw, q, 1);
      return std::make_shared<AffineRow>(a, a.dot(inside) + slack);
    }
  }
}

inline void draw_norm(Draw& draw, CurvedConstraints& to) {
  const Index q = to.dimension(), k = draw.whole(1, std::min<Index>(q, 4)),
              first = draw.whole(0, q);
  Matrix A = draw_matrix(draw, k, q);
  if (draw.chance(0.5)) {
    A.setZero();
    for (Index i = 0; i < k; ++i) A(i, (first + i) % q) = 1;
  }
  Vector b = Vector::Zero(k);
  if (draw.chance(0.3)) b = draw_matrix(draw, k, 1);
  to.add_norm(A, b, draw.chance(0.1) ? 0 : 3 * std::abs(draw.real()));
}

inline CurvedProblem random_curved(std::uint64_t key) {
  Draw draw(key, 2000);
  const Index q = draw.whole(1, 8);
  CurvedProblem problem(q);
  OwnProgram metric;
  draw_metric(draw, q, metric);
  problem.M = metric.M;
  problem.factor = metric.factor;
  const Vector inside = draw_matrix(draw, q, 1);
  CurvedConstraints& constraints = problem.constraints;
  for (Index j = 0; j < q; ++j) {
    if (draw.chance(0.2)) constraints.lower(j) = inside(j) - std::abs(draw.real());
    if (draw.chance(0.2)) constraints.upper(j) = inside(j) + std::abs(draw.real());
  }
  for (Index rows = draw.whole(0, 4); rows > 0; --rows) {
    const double most = draw.chance(0.3) ? 2 * std::abs(draw.real()) : infinity;
    constraints.add(draw_curved_row(draw, inside), 0, most);
  }
  for (Index norms = draw.whole(0, 3); norms > 0; --norms) draw_norm(draw, constraints);
  problem.y = 5 * draw_matrix(draw, q, 1);
  return problem;
}

}  // namespace chaosgrad::testing
