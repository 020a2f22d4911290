#pragma once
// What the basis and the quadrature of a problem are made from.
#include "chaosgrad/problem.h"
#include "samples/sample_source.h"

namespace chaosgrad::internal {

// The families of a problem, one per germ.
[[nodiscard]] std::vector<Family> make_families(const Oracle& oracle);

// The grid over the germ, and over the noise unless that is left out.
[[nodiscard]] QuadratureSource problem_quadrature(const Oracle& oracle,
                                                  const std::vector<Family>& families, Index nodes,
                                                  bool with_noise = true);

}  // namespace chaosgrad::internal
