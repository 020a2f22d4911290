#pragma once
// P(y) by Newton's method on the conditions of optimality where rows are not affine, or belong to
// Euclidean norms. Each step solves the quadratic program with the rows linearised at x and the
// Hessian M + Σ λ_i ∇²c_i(x); it is shortened where neither the conditions nor the objective (with
// weights for what must be met) get better. Many samples advance together: each says where it needs
// its rows next.
#include <vector>

#include "constraint/projection.h"
#include "constraint/projection_task.h"

namespace chaosgrad::internal {

class SequentialProjection {
 public:
  // `at` holds the rows at x = 0.
  SequentialProjection(const RowLayout& layout, const Matrix& factor, const Vector& y,
                       const ConstraintBlock& at, Index sample, const std::vector<Index>& guess);

  [[nodiscard]] bool is_finished() const { return finished_; }
  // Where the rows are needed next, and with which multipliers (p) Σ λ_i ∇²c_i.
  [[nodiscard]] const Vector& point() const { return trial_.at.x; }
  [[nodiscard]] Vector curvature_multipliers() const;
  void advance(RowValues at);
  [[nodiscard]] Projection result() &&;

 private:
  enum class Search { none, running, successful };  // for a feasible point
  struct Model {
    Matrix hessian, factor;
    Vector centre;  // the least point of the smooth part
  };

  void start_from_affine_part(const RowValues& at_zero);
  void set_elastic_limits();
  void start_norms();
  void set_norm_multipliers(ProjectionIterate& iterate) const;
  void shift_norms();
  [[nodiscard]] bool is_better() const;
  void accept();
  void reject();
  void conclude();
  [[nodiscard]] bool stiffen();
  void propose();
  [[nodiscard]] Model model() const;
  [[nodiscard]] QuadraticSolution solve_model(const Model& model);
  void finish(QuadraticSolution::Outcome outcome, Index violated = -1);

  ProjectionTask task_;
  Vector y_;        // that of the task, except during a search
  Vector limits_;   // p: `most`, large instead of infinite where a row is not affine
  Vector weights_;  // p: in the merit; of rows that must be met about twice their multipliers
  std::vector<Index> working_;
  ProjectionIterate base_, trial_;
  Residual residual_;  // of base_
  Search search_ = Search::none;
  Vector step_;          // to the solution of the quadratic program
  double length_ = 1;    // share of it that is tried
  double decrease_ = 0;  // |step|² in the Hessian: at least the rate of descent
  double least_residual_ = infinity;
  double last_violation_ = infinity;  // of the search
  Index stalls_ = 0, trials_ = 0, raises_ = 0;
  bool started_ = false, finished_ = false;
  QuadraticSolution::Outcome outcome_ = QuadraticSolution::Outcome::unfinished;
  Index violated_ = -1;
};

}  // namespace chaosgrad::internal
