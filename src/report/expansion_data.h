#pragma once
// An expansion as the page evaluates it, and how its values are distributed.
#include <string>
#include <vector>

#include "chaosgrad/solution.h"
#include "io/export/evaluator.h"
#include "io/run_statistics.h"
#include "report/page.h"

namespace chaosgrad::internal {

// Coefficients, indices, and per parameter the points at which it can be set (a grid over the bulk
// of its distribution; the values of a discrete one), the recurrence of its polynomials, and with
// dependence z = Φ⁻¹(F(θ)) at those points. From these the page computes what eval computes.
[[nodiscard]] Json expansion_data(const Expansion& expansion,
                                  const std::vector<std::string>& parameter_names);

// Of every sampled component and every quantity: mean, standard deviation and quantiles as [value,
// error], and a histogram; of all components the errors of their Sobol' indices.
[[nodiscard]] Json distribution_data(const Record& record, const Digest& digest);

// Where x is constrained: how often each component of a constraint binds ([value, error]), in each
// tenth of every parameter too, and its multiplier; those that bind most often of many.
[[nodiscard]] Json constraint_data(const Record& record, const Digest& digest);
// The metric and the constraints, for the page to find x from y; {"coded": true} for constraints
// that are C++ code.
[[nodiscard]] Json lift_data(const EvaluatorLift& lift);

}  // namespace chaosgrad::internal
