#pragma once
// Between the norms of y and of x = P(y), for methods that descend on coefficients of y.
#include "chaosgrad/lift.h"
#include "chaosgrad/measure.h"

namespace chaosgrad::internal {

struct LiftedScale {
  double norm = 0;  // ‖x_u‖_π
  // How much of an error of y reaches x: the ratio of the scatters of the replicates in L²_π, within
  // [0.3, 1]: other errors than noise may reach it more easily. 1 without replicates.
  double share = 1;
};

// By sampling, at the same θ for a seed.
[[nodiscard]] LiftedScale lifted_scale(const Measure& measure, const Lift& lift, const Basis& basis,
                                       const Coefficients& u,
                                       const std::vector<Coefficients>& replicates,
                                       std::uint64_t seed);

}  // namespace chaosgrad::internal
