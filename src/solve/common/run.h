#pragma once
// What a solver works on: coefficients on a basis, and how they came about. Solution, the public
// result, is made from it.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chaosgrad/solution.h"

namespace chaosgrad::internal {

struct Run {
  Basis basis;
  Coefficients u;                         // m × q, m ≤ basis.size()
  std::shared_ptr<const Lift> lift = {};  // where x is constrained: u are coefficients of y
  Status status = Status::completed;
  std::string stop_reason = {};
  std::vector<IterationRecord> history = {};
  ProblemConstants constants = {};
  std::int64_t gradients = 0;
  std::int64_t hessians = 0;          // see Solution
  std::int64_t test_gradients = 0;    // spent on tests: they do not count against the budget
  std::optional<double> unseen = {};  // see Solution
  std::int64_t skipped = 0;           // see Solution
  double skipped_share = 0;
  bool skipped_together = false;
  double seconds = 0;
  std::vector<std::string> notes = {};
  std::optional<NestedFits> fits = {};
  std::vector<Coefficients> replicates = {};
  std::optional<ErrorEstimate> error = {};  // of the methods that measure it as they go
  SolverState state = {};
  Vector multiplier_errors = {};  // see Solution
};

// The run as a Solution; an error that the solver did not measure is left empty.
[[nodiscard]] Solution as_solution(const Measure& measure, const Options& options, Run run);

}  // namespace chaosgrad::internal
