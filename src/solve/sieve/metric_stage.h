#pragma once
// The metric at a stage: measured when it is due, with more samples where it is uncertain, and what
// it says about the problem.
#include "solve/common/monitor.h"
#include "solve/sieve/context.h"

namespace chaosgrad::internal {

// Measures H(θ) at the expansion so far, if it is time to. Fails if ∇F is clearly no gradient, or f
// clearly not convex although the run should be near the optimum by now.
[[nodiscard]] SieveVerdict renew_metric(const SieveContext& context, Monitor& monitor,
                                        SieveState& state, Run& run);

// not_strongly_convex, for the reason `what`, seen around the expansion of this mean.
SieveVerdict fail_concave(const Oracle& oracle, const std::string& what, const Vector& mean_x,
                          Run& run);

// "its curvature is -0.7 ± 0.02 along x, on average over the quarter of theta where t is lowest".
[[nodiscard]] std::string describe(const Concavity& concavity, const ProblemFacts& facts);

// The components of a unit vector that matter, by name: "0.8 x + 0.6 y".
[[nodiscard]] std::string describe_direction(const Vector& direction, const ProblemFacts& facts);

}  // namespace chaosgrad::internal
