#pragma once
// The truncated problem of each level by quadrature: how far its optimum is from P_m u*, and its
// curvature.
#include <memory>
#include <optional>

#include "estimate/gradient_estimator.h"
#include "estimate/reference.h"
#include "paper/theory.h"

namespace chaosgrad::internal {

// A rule over germ and noise that is fine enough for the basis, with at most `points` points; null
// if there is none.
[[nodiscard]] std::unique_ptr<QuadratureSource> affordable_quadrature(const Oracle& oracle,
                                                                      const Basis& basis,
                                                                      double points);

struct LevelFacts {
  double remainder_squared = 0;  // ‖R_m u*‖²
  double deviation = 0;          // at least ‖u*_m − P_m u*‖
  double gradient_squared = 0;   // at least ‖∇f(x*_m)‖²_π
};

// Strong convexity of the truncated problem gives ‖u*_m − P_m u*‖ ≤ ‖D_m f(P_m x*)‖/μ, with D_m by
// quadrature; where that is too expensive, or larger, the sharp remainder lemma takes over.
class LevelAnalysis {
 public:
  LevelAnalysis(const Oracle& oracle, const Basis& basis, const ReferenceExpansion& reference,
                const TheoryConstants& constants, Executor& executor);
  [[nodiscard]] LevelFacts operator()(Index m) const;

 private:
  const ReferenceExpansion& reference_;
  const TheoryConstants constants_;
  GradientEstimator estimator_;
  std::unique_ptr<QuadratureSource> quadrature_;
};

}  // namespace chaosgrad::internal
