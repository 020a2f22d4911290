#pragma once
// What can be said about a problem before solving it.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "chaosgrad/constants.h"
#include "chaosgrad/problem.h"
#include "chaosgrad/theory.h"

namespace chaosgrad {

struct ProblemCheck {
  ProblemConstants constants;  // given ones as given, the others estimated
  ProblemConstants measured;   // all estimated, to compare with the given ones
  // Largest relative difference of ∇F and differences of F; none without values of F.
  std::optional<double> gradient_error;
  std::vector<std::string> problems;  // what is wrong, in plain words; empty: nothing was found
};

// value(x, theta, noise, values) fills values (B×1) with F; empty where F is not known.
using ProblemValue = std::function<void(Block, Block, Block, BlockOut)>;
[[nodiscard]] ProblemCheck check_problem(const Oracle& oracle, const ProblemValue& value,
                                         std::uint64_t seed);

// What theory says before the first step, at the levels that the options will visit.
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

}  // namespace chaosgrad
