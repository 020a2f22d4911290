#pragma once
// One projection whose rows are not affine, or belong to Euclidean norms: what stays the same while
// x moves, what changes, and how far from the optimum it is.
#include <algorithm>
#include <vector>

#include "chaosgrad/constraints.h"

namespace chaosgrad::internal {

// Which rows are affine, and which belong to a norm of at least two rows (that of one is w |c|).
struct RowLayout {
  struct Norm {
    Index first, count;
  };
  explicit RowLayout(const Constraints& constraints);
  // One quadratic program is all that a projection takes.
  [[nodiscard]] bool is_quadratic() const { return all_affine && norms.empty(); }

  std::vector<bool> affine;   // p
  std::vector<bool> in_norm;  // p
  std::vector<Norm> norms;
  bool all_affine = true;
};

struct ProjectionTask {
  // `at` holds the rows at x = 0.
  ProjectionTask(const RowLayout& layout, const Matrix& factor, Vector y, const ConstraintBlock& at,
                 Index sample);
  [[nodiscard]] bool is_hard_curved(Index row) const;  // c ≤ 0, not affine
  [[nodiscard]] double weight(const RowLayout::Norm& norm) const { return most(norm.first); }

  const RowLayout& layout;
  const Matrix& factor;  // M = L Lᵀ
  Matrix M;
  Vector y, lower, upper, least, most;
  Vector right;      // p: b_i of the affine rows a_iᵀ x − b_i
  double size_of_y;  // |y|_∞ at first
};

// Rows at x.
struct RowValues {
  Vector x;
  Vector c;          // p
  Matrix J;          // p×q
  Matrix curvature;  // q×q: Σ λ_i ∇²c_i with the multipliers of the iterate; empty: 0
};
[[nodiscard]] RowValues row_values(const ConstraintBlock& at, Index sample, const Vector& x);

// w |c|₂ = max { λᵀc : |λ| ≤ w } is replaced by max { λᵀc − ½ compliance |λ − shift|² : |λ| ≤ w },
// which is smooth, and has the same optimum once λ = shift (the augmented Lagrangian of a norm).
struct NormTerm {
  Vector shift;
  double compliance = 0, least_compliance = 0;
  double change = infinity;  // compliance |λ − shift| at the last shift
};
[[nodiscard]] Vector norm_multipliers(const NormTerm& term, double weight, const Vector& c);

struct ProjectionIterate {
  RowValues at;
  Vector row_multipliers, bound_multipliers;
  std::vector<NormTerm> norms;  // as in the layout
};

// |b_i| + Σ_j |a_ij| |x_j| where c = a_iᵀ x − b_i near x, and a bit of the largest components of x and
// y: what rounding and violations of c_i are relative to.
[[nodiscard]] Vector row_scales(const ProjectionTask& task, const RowValues& at);

// ½ |x − y|²_M + Σ_i max { λ c_i : least_i ≤ λ ≤ most_i } with norms, `most` instead of the task's.
// Rows whose limit is infinite are left out.
[[nodiscard]] double merit(const ProjectionTask& task, const Vector& most,
                           const ProjectionIterate& iterate);

// Of the conditions of optimality, all relative: zero at the optimum.
struct Residual {
  double force = 0;  // |M (x − y) + Σ λ_i ∇c_i + λ_bounds|, in the dual metric
  double rows = 0;   // the largest violation of complementarity
  double norms = 0;  // compliance |λ − shift| of norms
  [[nodiscard]] double inner() const { return std::max(force, rows); }
};
[[nodiscard]] Residual residual(const ProjectionTask& task, const Vector& most,
                                const ProjectionIterate& iterate);

}  // namespace chaosgrad::internal
