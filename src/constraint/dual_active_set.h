#pragma once
// The dual active-set method behind quadratic programs, while it runs.
#include <vector>

#include "chaosgrad/types.h"
#include "constraint/quadratic_program.h"
#include "constraint/working_factor.h"

namespace chaosgrad::internal {

// The method works on the dual, whose variables are the multipliers within their limits. Rows are
// numbered 0 … p − 1 and the bounds of component j are one row more, p + j, with the normal e_j: it
// takes the side that is violated. A row is working (c_i = 0) or rests with λ_i where it is, which
// is right if c_i ≤ 0 at least_i, c_i ≥ 0 at most_i and c_i = 0 between.
class DualActiveSet {
 public:
  explicit DualActiveSet(const QuadraticProgram& program);
  QuadraticSolution run(const std::vector<Index>& guess);

 private:
  struct Violation {
    Index row = -1;
    double sign = 0;  // of the change of the multiplier
  };
  struct Blocking {
    Index position = -1;
    double length = infinity;
  };

  void start(const std::vector<Index>& guess);
  void start_with(Index row, const std::vector<Index>& guess);
  void take_side(Index j, bool upper);
  [[nodiscard]] double value(Index row) const;
  [[nodiscard]] double tolerance(Index row) const;
  void measure_extent();
  [[nodiscard]] Violation most_violated();
  [[nodiscard]] double sign_of_violation(Index row, double c) const;
  QuadraticSolution::Outcome raise(Violation violation);
  [[nodiscard]] Blocking first_block(double sign) const;
  [[nodiscard]] bool is_implied(Index row) const;
  void find_direction(Index row);
  void move(Index row, double sign, double length);
  void join(Index row);
  void leave(Index position);
  void settle();
  [[nodiscard]] double correct();
  [[nodiscard]] bool drop_outside();
  [[nodiscard]] bool is_late() const { return steps_ > 20 * (p_ + q_) + 100; }
  QuadraticSolution result(QuadraticSolution::Outcome outcome, Index violated);

  const QuadraticProgram& program_;
  Index p_, q_;
  WorkingFactor factor_;
  Vector x_;
  Vector multiplier_, least_, most_;  // p + q
  Vector side_;                       // q: the bound that the row of component j is about
  Vector norm_;                       // p + q: |L⁻¹ a_i|
  Vector values_;                     // p
  Vector extent_;                     // q: what the rounding of x_j is relative to
  double norm_of_y_;                  // |y|_M
  double distance_ = 0;               // an upper bound of |x − y|_M
  double past_ = 0;                   // the largest |x|_∞ so far
  double last_change_ = 0;            // of x by refinement, |·|_∞
  std::vector<Index> working_;
  std::vector<Index> position_;  // p + q: in working_, or −1
  std::vector<bool> implied_;    // p + q: met as far as the working rows are
  Direction direction_;
  Vector row_;            // q: a_i
  bool settled_ = false;  // x and the working multipliers solve their equations to rounding
  Index steps_ = 0;
};

}  // namespace chaosgrad::internal
