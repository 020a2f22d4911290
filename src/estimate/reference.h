#pragma once
// The coefficients of a known optimum, to measure a run against.
#include <optional>

#include "chaosgrad/basis.h"
#include "chaosgrad/problem.h"
#include "parallel/executor.h"

namespace chaosgrad::internal {

struct ReferenceExpansion {
  Coefficients u;            // P_m u* for m = basis.size()
  double norm_squared = 0;   // ‖x*‖²_π
  Vector remainder_squared;  // ‖R_m u*‖² at [m]

  // ‖u − P_m u*‖² for an m×q u, and ‖x_u − x*‖_π = (that + ‖R_m u*‖²)^½.
  [[nodiscard]] double error_squared(const Coefficients& coefficients) const;
  [[nodiscard]] double true_error(const Coefficients& coefficients) const;
};

// By tensor quadrature with `nodes` nodes per dimension and piece; 0: as many as the basis needs.
// Empty if the problem has no reference, or if a sufficient grid would be too large (many
// parameters).
[[nodiscard]] std::optional<ReferenceExpansion> expand_reference(const Oracle& oracle,
                                                                 const Basis& basis, Index nodes,
                                                                 Executor& executor);

}  // namespace chaosgrad::internal
