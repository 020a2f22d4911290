#include "solve/collocation/lifted.h"

#include <algorithm>
#include <cmath>

#include "numeric/decompositions.h"

namespace chaosgrad::internal::collocation {
namespace {

// work(first row, count) over blocks of rows, on all threads.
template <class Work>
void over_blocks(const Context& context, Index rows, const Work& work) {
  context.executor.for_each((rows + block_size - 1) / block_size, [&](Index block) {
    const Index first = block * block_size;
    work(first, std::min(block_size, rows - first));
  });
}

// P of rows of y in the metric of `lift`.
Predicted project_rows(const Context& context, const Lift& lift, const Matrix& eta,
                       const Matrix& theta, const Matrix& y) {
  Predicted result{Matrix(y.rows(), y.cols()), Matrix(y.rows(), y.cols())};
  over_blocks(context, y.rows(), [&](Index first, Index n) {
    LiftedBlock part =
        lift.project(eta.middleRows(first, n), theta.middleRows(first, n), y.middleRows(first, n));
    result.x.middleRows(first, n) = part.x;
    result.force.middleRows(first, n) = part.force;
  });
  return result;
}

// Rows b of y − x become b (1 + |b|⁴/τ⁴)^(−1/4), τ = `longest` times the median of |x| + |b|. What
// lies in the normal cone of C at x stays there, so that P(y) is the same; far out, where forces grow
// like exponentials, y would be what no polynomial follows. A sharp limit would put a kink into y.
// The multipliers become smaller by the same factor: they are given up near τ and beyond.
void shorten(double longest, const Matrix& x, Matrix& beyond) {
  const Vector lengths = beyond.rowwise().stableNorm();
  Vector sizes = x.rowwise().norm() + lengths;
  for (double& size : sizes) size = std::isnan(size) ? infinity : size;
  const auto middle = sizes.begin() + sizes.size() / 2;
  std::nth_element(sizes.begin(), middle, sizes.end());
  const double limit = longest * *middle;
  if (lengths.maxCoeff() <= limit) return;  // nothing grows like that: y stays what it is
  for (Index i = 0; i < beyond.rows(); ++i) {
    if (std::isfinite(lengths(i))) {
      beyond.row(i) *= std::pow(1 + std::pow(lengths(i) / limit, 4), -0.25);
    } else {  // an overflow: nothing is left of its direction
      beyond.row(i).setZero();
    }
  }
}

}  // namespace

Predicted predict(const Context& context, const Matrix& eta, const Matrix& theta,
                  const CollocationState& state) {
  const Coefficients& u = state.run.u;
  Matrix y = basis_table(state.run.basis, eta, u.rows(), context.executor) * u;
  if (context.constraints) return project_rows(context, *state.run.lift, eta, theta, y);
  Matrix force = Matrix::Zero(y.rows(), y.cols());
  return {std::move(y), std::move(force)};
}

Matrix feasible(const Context& context, const Matrix& theta, Matrix x,
                const CollocationState& state) {
  if (!context.constraints) return x;
  const std::vector<Matrix> factor =
      state.metric->factors(Matrix::Zero(1, theta.cols()));  // any metric does
  const Matrix& L = factor[0];
  for (Index i = 0; i < x.rows(); ++i) {
    const Projection found =
        project(*context.constraints, theta.row(i).transpose(), L, x.row(i).transpose());
    if (found.outcome == QuadraticSolution::Outcome::solved) x.row(i) = found.x.transpose();
  }
  return x;
}

std::optional<PointConstraints> point_constraints(const Context& context,
                                                  const CollocationState& state) {
  if (!context.constraints) return {};
  return PointConstraints{*context.constraints,
                          [metric = state.metric](Block eta) { return metric->factors(eta); },
                          state.proximal};
}

Matrix next_steps(const Context& context, PointRange range, const CollocationState& state) {
  const Points& points = state.points;
  Matrix steps = Matrix::Zero(range.count, points.x.cols());
  const Matrix eta = points.eta.middleRows(range.first, range.count),
               g = points.g.middleRows(range.first, range.count);
  if (!context.constraints) {
    state.model.apply(eta, g, steps);
    return -steps;
  }
  over_blocks(context, range.count, [&](Index first, Index n) {
    const std::vector<Matrix> factors = state.metric->factors(eta.middleRows(first, n));
    for (Index i = first; i < first + n; ++i) {
      const Matrix& L = factors[factors.size() == 1 ? 0 : static_cast<std::size_t>(i - first)];
      const Vector x = points.x.row(range.first + i).transpose();
      const Projection end =
          project(*context.constraints, points.theta.row(range.first + i).transpose(), L,
                  x - solve_cholesky(L, Vector(g.row(i).transpose())));
      if (end.outcome == QuadraticSolution::Outcome::solved) steps.row(i) = (end.x - x).transpose();
    }
  });
  return steps;
}

std::vector<LiftCandidate> lift_candidates(const Context& context, const CollocationState& state) {
  std::vector<LiftCandidate> result = {{state.metric, 1}};
  if (state.run.lift != state.metric) result.push_back({state.run.lift, 1});
  for (const std::shared_ptr<const Lift>& other : state.other_metrics) result.push_back({other, 1});
  if (!only_equalities(*context.constraints))
    result.push_back(
        {scaled(*state.metric, context.tuning.stiff_metric), context.tuning.stiff_advantage});
  return result;
}

Matrix lifted_values(const Context& context, const Lift* lift, const CollocationState& state) {
  if (!lift) return {};
  const Points& points = state.points;
  Matrix beyond(points.size(), points.x.cols());  // y − x
  over_blocks(context, beyond.rows(), [&](Index first, Index n) {
    const std::vector<Matrix> factors = lift->factors(points.eta.middleRows(first, n));
    for (Index i = first; i < first + n; ++i) {
      const Matrix& L = factors[factors.size() == 1 ? 0 : static_cast<std::size_t>(i - first)];
      beyond.row(i) = solve_cholesky(L, Vector(points.force.row(i).transpose())).transpose();
    }
  });
  if (!context.constraints->has_kinks()) shorten(context.tuning.longest_lift, points.value, beyond);
  return points.value + beyond;
}

Targets targets(const Context& context, const Lift* lift, const Matrix& lifted,
                const CollocationState& state) {
  if (!lift) return {.values = state.points.value};
  return {.values = lifted, .x_of = [&context, lift, &state](const Matrix& y) {
            const Points& points = state.points;
            Matrix x = project_rows(context, *lift, points.eta, points.theta, y).x;
            for (Index i = 0; i < x.rows(); ++i) {  // without a projection: as wrong as x is large
              if (!x.row(i).allFinite()) x.row(i) = points.value.row(i).array() + state.norm;
            }
            return x;
          }};
}

}  // namespace chaosgrad::internal::collocation
