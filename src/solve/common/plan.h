#pragma once
// The levels m_k and sample numbers M_k of a whole run, known before it starts, and the basis that
// they need.
#include <functional>
#include <string>
#include <vector>

#include "chaosgrad/basis.h"
#include "chaosgrad/options.h"
#include "chaosgrad/problem.h"
#include "estimate/constants.h"

namespace chaosgrad::internal {

struct Level {
  Index m = 1;  // basis size
  Index M = 1;  // samples
  double Q =
      1;  // noise factor of the estimate: Q_m, or m under Christoffel sampling; 0 for quadrature
  bool operator==(const Level&) const = default;
};

struct Plan {
  Basis basis;
  std::vector<Level> levels;  // of iteration k at [k − 1]
  bool christoffel = false;
  std::vector<std::string> notes;

  [[nodiscard]] const Level& level(Index k) const {
    return levels[static_cast<std::size_t>(k - 1)];
  }
};

// Chooses the first m functions where Options::indices asks for AdaptiveIndices.
using IndexChooser = std::function<IndexSet(const std::vector<Family>& families, Index m)>;

// Throws InputError naming the option.
[[nodiscard]] Plan make_plan(const Oracle& oracle, const Options& options,
                             const ProblemConstants& constants, const IndexChooser& choose);

// What schedules see at iteration k.
[[nodiscard]] ScheduleInputs schedule_inputs(Index k, const Level& level,
                                             const ProblemConstants& constants);

}  // namespace chaosgrad::internal
