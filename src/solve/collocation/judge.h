#pragma once
// How large the error is, and what follows from it. Pure functions.
#include <cstdint>

#include "solve/collocation/design/design.h"
#include "solve/collocation/state.h"

namespace chaosgrad::internal::collocation {

// The error of a fit through points that lack `optimisation` (norm). `before` is the error of the
// fit before, for designs whose limits must agree twice.
[[nodiscard]] StageError measure_error(const Fit& fit, double optimisation,
                                       const StageError& before, double confidence);

// In gradients: what is left, and what the first round of the test takes.
struct Budget {
  std::int64_t left = 0, test = 0;
};

// After a stage: `confirm` where the limit of the error meets the target, `stop` if the test that
// confirms cannot be paid for, and `go_on` otherwise.
[[nodiscard]] Verdict judge(const StageError& error, double target, const Budget& budget);

// What the squared errors of a test say.
struct TestResult {
  enum class Outcome { undecided, passed, failed };
  Outcome outcome = Outcome::undecided;
  double squared = 0, upper = 0;  // mean square of the error, and the limit of its root
};
// `rest` is what the optima themselves lack (norm).
[[nodiscard]] TestResult judge_test(const Vector& squares, double rest, double target,
                                    double confidence);

}  // namespace chaosgrad::internal::collocation
