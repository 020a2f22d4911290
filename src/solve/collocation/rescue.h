#pragma once
// Points at which the quick method fails: a descent that arrives from any start in the domain takes
// over, where values of F are known. What it finds instead of a minimum ends the run, in true words.
#include <string>
#include <vector>

#include "solve/collocation/context.h"
#include "solve/collocation/state.h"
#include "solve/pointwise/trust_region.h"

namespace chaosgrad::internal::collocation {

// The minimum at one θ from the first of the starts that leads to one; if none does, what the most
// telling of them met with.
[[nodiscard]] Minimum find_minimum(const Context& context, const Vector& theta,
                                   const std::vector<Vector>& starts);

// Solves the points that are in trouble. Where F has no values, or no minimum there, the run ends;
// but where gradients may fail (ProblemFacts) points at which they do are taken out, if they are few.
[[nodiscard]] Verdict rescue(const Context& context, CollocationState& state);

// Ends the run: there is no minimum at this θ.
[[nodiscard]] Verdict stop_without_minimum(const Context& context, const Vector& theta,
                                           const Minimum& found, CollocationState& state);

// x as text, with the names of its components: "w[0] = 0.2, w[1] = -3".
[[nodiscard]] std::string describe(const ProblemFacts& facts, const Vector& x);

// Whether two minima at θ are not the same: apart, and with a rise between them.
[[nodiscard]] bool differ(const Context& context, const Vector& theta, const Minimum& a,
                          const Minimum& b, const CollocationState& state);

}  // namespace chaosgrad::internal::collocation
