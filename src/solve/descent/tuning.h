#pragma once
// Every number that the descent methods were given rather than told, and where it comes from. The
// steps themselves are the paper's.
#include "chaosgrad/types.h"

namespace chaosgrad::internal {

// ‖D'‖ above this multiple of its first value and of the smallest seen is divergence. Origin: half
// of the digits of a double are lost in such a sum; the sieve has the same limit for its steps.
inline constexpr double divergence_factor = 1e8;

// Where L is only estimated, from samples, it may be too small. Under the guard L is doubled as
// soon as ‖D'‖ has grown by this factor, and the run goes on from its best iterate. Origin: steps
// that fit do not let E‖D'‖² grow, so by Markov's inequality they show this less than once in 100.
inline constexpr double growth_factor = 10;

// So often at most. Origin: an L that is 2^40 = 10^12 times its estimate is no Lipschitz constant.
inline constexpr Index most_raises = 40;

// A step that leaves the domain of F is taken again, half as long, and all that follow are; an
// iterate that is outside for new samples is drawn halfway to the start. So often at most, the latter
// in a row. Origin: 2^−40 and 2^−20 of the way are no progress.
inline constexpr Index most_shortenings = 40, most_retreats = 20;

// The guard keeps an accelerated step if the second moments contract at least this much of what
// they would without noise. Origin: docs/mathematics.md, section 5; no step of the paper is cut
// (tests/solve_test.cpp, Guard.LeavesThePapersStepsAlone).
inline constexpr double kept_contraction = 0.5;

// Halvings in search of the largest stable step, and squarings for a spectral radius. Origin: nine
// digits of the step (2^−30), and ‖A^n‖^{1/n} with n = 2^20, off by a factor of about 1 + 10^−5.
inline constexpr int step_halvings = 30;
inline constexpr int radius_squarings = 20;

// A bound below the step by no more than this is met: it often is the default step, rounded.
inline constexpr double step_rounding = 1e-12;

}  // namespace chaosgrad::internal
