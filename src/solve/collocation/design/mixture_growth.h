#pragma once
// Which functions a basis of many parameters gets next: those of which the prior expects most, and
// those that the residual asks for.
#include "solve/collocation/design/design.h"

namespace chaosgrad::internal::collocation {

struct Grown {
  IndexSet indices;
  Prior prior;  // for them
};

// The basis of the fit by `design` and further functions, `size` in all, as far as there are so many.
// eta: the points of the fit (n×d).
[[nodiscard]] Grown grow_basis(const Fit& fit, const WeightedDesign& design, const Matrix& eta,
                               Index size, const DesignTuning& tuning, Executor& executor);

}  // namespace chaosgrad::internal::collocation
