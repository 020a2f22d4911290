#pragma once
// An expansion as the page evaluates it, and the distribution of its components.
#include <string>
#include <vector>

#include "chaosgrad/solution.h"
#include "report/page.h"

namespace chaosgrad {

// Coefficients, indices, and per parameter the points at which it can be set (a grid over the bulk
// of its distribution; the values of a discrete one), the recurrence of its polynomials, and with
// dependence z = Φ⁻¹(F(θ)) at those points. From these the page computes what eval computes.
[[nodiscard]] Json expansion_data(const Expansion& expansion,
                                  const std::vector<std::string>& parameter_names);

// Mean, standard deviation (± the error of the component), quantiles and histograms of every
// component, the last two from points of a Sobol' sequence.
[[nodiscard]] Json distribution_data(const Expansion& expansion,
                                     const std::vector<std::string>& names, const Vector& errors,
                                     std::uint64_t seed);

}  // namespace chaosgrad
