#pragma once
// Separate optimisations at many θ side by side, by quasi-Newton steps from gradients alone: every
// point keeps its secant pairs (limited-memory BFGS) on top of a common inverse Hessian. This is
// Algorithm 3 of docs/algorithms.md.
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "chaosgrad/types.h"
#include "curvature/metric.h"
#include "parallel/executor.h"
#include "solve/pointwise/tuning.h"

namespace chaosgrad::internal {

// s = x' − x, y = ∇f(x') − ∇f(x).
struct Secant {
  Vector s, y;
  auto members() { return std::tie(s, y); }
};

// Why the steps at a point are not to be trusted.
enum class Trouble : char {
  none,
  not_finite,  // ∇f, at the point or right beside it
  runaway,     // the iterates
  not_convex,  // f, between two iterates
  unsolved,    // after most_steps
  infeasible   // no x satisfies the constraints
};

struct Points {
  Matrix eta, theta;  // N×d
  Matrix x, g;        // N×q: an iterate and its gradient (where evaluated)
  Matrix value;       // N×q: the optimum as known so far, x plus one more step
  // N×q, where x is constrained: −∇f at `value` as the step predicts it, Σ λ_i ∇c_i of what binds.
  Matrix force;
  std::vector<char> evaluated;
  // |step|/|step before| at this point; 0: no step was tried yet; doubted: one must be.
  std::vector<double> ratios;
  static constexpr double doubted = -1, least_ratio = 1e-12;  // the smallest that is kept
  std::vector<char> doubts;                                   // how often it was
  std::vector<Trouble> trouble;                               // what the last steps met with
  std::vector<std::vector<Secant>> secants;                   // the last few, oldest first

  Matrix skipped;  // k×d: germs at which ∇f failed, which are no points any more

  [[nodiscard]] Index size() const { return theta.rows(); }
  // Takes points out, by ascending numbers.
  void remove(const std::vector<Index>& numbers);
  // Appends points that start at `start` (n×q).
  void append(const Matrix& new_eta, const Matrix& new_theta, const Matrix& start);
  // Some of them by themselves, and back to where they were.
  [[nodiscard]] Points part(const std::vector<Index>& numbers) const;
  void replace(const std::vector<Index>& numbers, Points&& part);
  // What steps change.
  auto members() { return std::tie(x, g, value, force, evaluated, ratios, trouble, secants); }
};

// What the steps have shown about f.
struct PointReport {
  std::int64_t gradients = 0;
  // (|second step|/|first step|)² over points that took their first: the sum, and their number.
  double ratio_squares = 0;
  Index ratios = 0;
  [[nodiscard]] double ratio() const {
    return ratios > 0 ? std::sqrt(ratio_squares / static_cast<double>(ratios)) : 0;
  }
  double remaining_squares = 0;  // Σ of what the last steps should leave, squared
  // sᵀy/sᵀs and yᵀy/sᵀy lie between the extreme eigenvalues of averaged Hessians. +∞ and 0: unseen.
  // Where sᵀy ≤ 0 the point is in trouble: the lowest of these stands apart.
  double lowest_curvature = infinity, highest_curvature = 0, negative_curvature = infinity;
  Vector lowest_theta = {}, highest_theta = {}, negative_theta = {};
  Index unsolved = 0;          // points that were not done in most_steps or the budget
  bool out_of_budget = false;  // that was why
  std::optional<Vector> nonfinite_theta = {};   // where ∇f is not finite, and
  Vector nonfinite_x = {};                      // at which x
  std::optional<Vector> runaway_theta = {};     // where an iterate ran away: f has no minimum
  std::optional<Vector> infeasible_theta = {};  // where no x satisfies the constraints
  void add(PointReport&& other);
  auto members() {
    return std::tie(gradients, ratio_squares, ratios, remaining_squares, lowest_curvature,
                    highest_curvature, negative_curvature, lowest_theta, highest_theta,
                    negative_theta, unsolved, out_of_budget, nonfinite_theta, nonfinite_x,
                    runaway_theta, infeasible_theta);
  }
};

struct PointConstraints;  // constrained_step.h

struct PointOptions {
  // A point is done when ρ/(1 − ρ) · |next step| ≤ tolerance, where ρ is the ratio of its own last
  // two steps. That of a point that has not moved yet is taken to be `contraction`; one in
  // `probe_every` takes a step all the same, to see, and without `contraction` every point does.
  double tolerance = 0;
  std::optional<double> contraction = {};
  Index probe_every = 4;
  Index most_steps = PointwiseTuning{}.most_steps;
  double budget = infinity;     // gradients per point, on average
  double runaway_norm = 1e100;  // |x| beyond this, and far beyond the start, is a runaway
  const PointConstraints* constraints = nullptr;  // of x; the inverse Hessian is not used then
  PointwiseTuning tuning = {};
};

// ∇f at rows of x (B×q) and θ (B×d).
struct PointGradient {
  std::function<void(Block, Block, BlockOut)> call;
  Index draws = 1;  // of the noise in each: it counts as that many gradients
  Index batch = 1;  // rows of a call, and
  int calls = 0;    // calls at a time, as in ProblemFacts
};

// Evaluates ∇f at the points `first`, … where it is not known yet.
PointReport evaluate(const PointGradient& gradient, Index first, Points& points,
                     Executor& executor);

// Improves the points first, …, first + count − 1 until each is done.
struct PointRange {
  Index first = 0, count = 0;
};
PointReport polish(const PointGradient& gradient, const InverseHessian& inverse,
                   const PointOptions& options, PointRange range, Points& points,
                   Executor& executor);

}  // namespace chaosgrad::internal
