#pragma once
// Where the optimisations at new points start, how accurate the points are, and how they get there.
#include <optional>

#include "solve/collocation/context.h"
#include "solve/collocation/lifted.h"
#include "solve/collocation/state.h"

namespace chaosgrad::internal::collocation {

// Appends points with these germs (n×d), each started from the prediction of the expansion so far,
// or from the nearest known optimum where that is a wild extrapolation.
void append(const Context& context, const Matrix& eta, CollocationState& state);
// Appends points that start from the prediction wherever it leads to. Gives the predictions.
[[nodiscard]] Predicted append_at_expansion(const Context& context, const Matrix& eta,
                                            CollocationState& state);

// Where the expansion has no value at a point: another start, or the end of the run if no x satisfies
// the constraints there.
[[nodiscard]] Verdict check_feasibility(const Context& context, CollocationState& state);

// ∇f at the points that do not have it, the last ones. Where the prediction turns out to be a bad
// start, the nearest known point lends its optimum.
[[nodiscard]] Verdict evaluate_points(const Context& context, CollocationState& state);
// The second half of that, for the points from number `known` on, which have been evaluated.
[[nodiscard]] Verdict replace_bad_starts(const Context& context, Index known,
                                         CollocationState& state);

// The point without trouble that is nearest to point i; empty if there is none.
[[nodiscard]] std::optional<Index> nearest_solved(const Points& points, Index i);

// The points need not be much better than the expansion. But where its error does not go down they
// may be what holds it up, for their own errors are estimates: then they become better.
void choose_accuracy(const CollocationTuning& tuning, CollocationState& state);

// The common curvature of all points, from what they have shown so far.
void learn_curvature(const Context& context, CollocationState& state);

// Polishes all points. Gives what they still lack, √(mean square); empty if the run is over.
[[nodiscard]] std::optional<double> polish_points(const Context& context, CollocationState& state);

// Polishes a range of points as far as the budget goes. A stage that the budget cuts short is done
// again, and whole, when the run is resumed.
[[nodiscard]] Verdict polish_range(const Context& context, PointRange range, double tolerance,
                                   Index probe_every, CollocationState& state, PointReport& report);

// A point that the fit hardly explains takes another step, whatever its own account: two steps may
// shrink because the first went along the stiff directions. One bad point would make the error look
// large, and thereby all points good enough. Whether there was one.
[[nodiscard]] bool doubt_outliers(const CollocationTuning& tuning, const Vector& squares,
                                  Points& points);

// A point that still stands out after that, and whose gradient says that it is not solved, is
// handed to rescue(): its own secants, made far from its optimum, may call any step a short one.
[[nodiscard]] bool doubt_solutions(const Context& context, CollocationState& state);

// The mean square of the steps that the common model makes of the gradients at the optima of the
// points; 0 where x is constrained, and gradients do not vanish. If it is far more than the points say
// that they lack, they are not solved.
[[nodiscard]] double unsolved_squares(const Context& context, CollocationState& state);

}  // namespace chaosgrad::internal::collocation
