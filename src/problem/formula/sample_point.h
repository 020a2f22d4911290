#pragma once
// Samples at which a formula problem is tried out before anything is solved.
#include <array>
#include <string>
#include <vector>

#include "problem/formula/formula_data.h"

namespace chaosgrad::internal {

// One sample (x, θ, noise) with everything a program reads, as blocks of one row.
struct Point {
  Matrix x, theta, noise, table;
  [[nodiscard]] std::array<Block, 4> inputs() const { return {x, theta, noise, table}; }
};

// Sample number i with x = facts.start, moved between its bounds there.
[[nodiscard]] Point sample_point(const FormulaData& data, Index i);

// "x = 1, theta = 0.3": the first few of each.
[[nodiscard]] std::string describe(const FormulaData& data, const Point& point);

// The outputs of a program, side by side in `out`.
void evaluate_at(const Program& program, const Point& point, const std::vector<Index>& widths,
                 Matrix& out, Program::Workspace& workspace);

// Moves the x of sample i by about `size` times its own, as a place to begin a search.
void scatter(const FormulaData& data, Index i, Point& point, double size = 1);

// Walks to the surface s(x) = 0 by Newton steps x ← x − s ∇s/|∇s|²; true if it got there. The
// outputs of `switching` are s and ∇s; `normal` receives the last direction.
[[nodiscard]] bool walk_to_kink(const FormulaData& data, const Program& switching, Point& point,
                                Matrix& normal, Program::Workspace& workspace);

// x between its bounds at the θ of the point. `inside`: components that end up at one are moved away
// from it, to the middle of two bounds, or by a tenth of their size.
[[nodiscard]] Vector between_bounds(const FormulaData& data, const Vector& x, const Matrix& theta,
                                    bool inside = false);

// Where a start at a bound is outside of the domain, or on its border (log x at 0 ≤ x), takes one
// between the bounds that is inside, if there is one. Whether it moved: the domain may be another.
[[nodiscard]] bool move_start_inside(FormulaData& data);

}  // namespace chaosgrad::internal
