#pragma once
// What theory says about a problem before the first step.
#include <optional>
#include <vector>

#include "estimate/constants.h"
#include "paper/theory.h"

namespace chaosgrad::internal {

// At the levels that the options will visit.
struct LevelReport {
  Index m = 1;
  double M = 1, Q = 0, noise_growth = 1;  // C_G
  LargestSteps steps;
  std::optional<double> remainder;          // ‖R_m u*‖
  std::optional<LevelCurvature> curvature;  // μ_m, L_m
};
struct ToleranceReport {
  double tolerance = 0;
  std::optional<Index> condition;  // κ_ε at ε = tolerance
  std::optional<CostPrediction> gd, agd;
};
struct TheoryReport {
  std::vector<LevelReport> levels;
  std::optional<RemainderCurve> remainders;
  std::vector<ToleranceReport> tolerances;  // 1e-1, 1e-2, 1e-3; empty without remainders
};

// The remainders come from the reference, or else from the solution where one is given. Throws
// InputError as a run with these options would.
[[nodiscard]] TheoryReport theory_report(const Oracle& oracle, const Options& options,
                                         const ProblemConstants& constants,
                                         const Expansion* solution = nullptr);

}  // namespace chaosgrad::internal
