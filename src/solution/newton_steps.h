#pragma once
// Newton steps from an expansion to the optimum. They are as long as the optimum is far where f is
// quadratic; elsewhere they say nothing. Beside the border of its domain −log x has x for a step,
// wherever the minimum is.
#include <cstdint>
#include <string>
#include <vector>

#include "chaosgrad/problem.h"

namespace chaosgrad::internal {

// A second step may be this share of the first in each component, up to rounding. Origin: the
// geometric series that steps of this ratio make is 1/(1 − 1/4) = 1.3 first steps.
inline constexpr double second_step_share = 0.25, newton_rounding = 1e-9;

// What was found at samples whose first steps are no distances.
struct DoubtfulSteps {
  Index solved = 0, unsolved = 0;  // optimised one by one, and in vain
  Index outside = 0;               // of them where ∇f is not a number at the expansion
  std::string outside_place;       // the first of those: θ, x and why
  std::int64_t gradients = 0;
};

// Without noise. x (B×q) and ∇f there, H at each row, and r = H⁻¹∇f: where a step from x by −r leaves
// much of ∇f, or ∇f is not a number, r becomes x − x* from an optimisation at that θ.
void correct_steps(const Oracle& oracle, const Matrix& x, const Matrix& theta, const Matrix& g,
                   const std::vector<Matrix>& hessians, Matrix& r, DoubtfulSteps& doubtful);

// Counts the rows where ∇F is not a number, with their noise.
void note_outside(const Oracle& oracle, const Matrix& x, const Matrix& theta, const Matrix& noise,
                  const Matrix& g, DoubtfulSteps& doubtful);

}  // namespace chaosgrad::internal
