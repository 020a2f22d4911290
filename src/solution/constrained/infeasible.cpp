#include "solution/constrained/infeasible.h"

#include <fmt/format.h>

#include "constraint/projection.h"

namespace chaosgrad::internal {

std::string why_infeasible(const Constraints& constraints, const Vector& theta) {
  // C(θ) does not depend on the metric.
  const Index q = constraints.dimension();
  const Projection found = project(constraints, theta, Matrix::Identity(q, q), Vector::Zero(q));
  if (found.outcome == QuadraticSolution::Outcome::solved) return {};
  if (found.violated < 0) return "the projection onto the constraints did not finish";
  return fmt::format("no x satisfies the constraints: '{}' cannot be met together with the others",
                     name_of(constraints, found.violated));
}

}  // namespace chaosgrad::internal
