#pragma once
// How accurate the points are, and how they get there.
#include <optional>

#include "solve/collocation/context.h"
#include "solve/collocation/state.h"

namespace chaosgrad::internal::collocation {

// The points need not be much better than the expansion. But where its error does not go down they
// may be what holds it up, for their own errors are estimates: then they become better.
void choose_accuracy(const CollocationTuning& tuning, CollocationState& state);

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

}  // namespace chaosgrad::internal::collocation
