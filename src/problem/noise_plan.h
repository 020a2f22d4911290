#pragma once
// How E_v is taken where a problem shows F as a function of its noise: rules along noise numbers,
// between kinks, and scrambled Sobol' points for what is left.
#include <vector>

#include "chaosgrad/problem.h"
#include "problem/noise_lines.h"

namespace chaosgrad::internal {

// One noise number in a rule. Cases are summed; the others are cut at kinks, with a Gauss rule on
// each piece.
struct AxisPlan {
  NoiseCoordinate coordinate;
  bool cases = false;
  bool exact = false;  // the degrees between kinks are known, and the rule has them
  Index gradient_nodes = 1, value_nodes = 1;  // on each piece
};

// A group of noise numbers, outermost first. The first `sobol_axes` that are no cases are taken
// together, by `points` Sobol' points.
struct GroupPlan {
  std::vector<AxisPlan> axes;
  Index sobol_axes = 0, points = 0;
};

struct NoisePlan {
  std::vector<GroupPlan> groups;
  bool exact = false;
  [[nodiscard]] bool uses_sobol() const;
};

// Choices of a rule: Gauss rules on all axes, or Sobol' points on all but the innermost; how fine;
// whether numbers on the uniform scale that are not known to be polynomials are taken on the
// normal one; and which number of a group is innermost: the best by what is known of its kinks, the
// second best, ….
struct NoiseChoice {
  bool sobol = false;
  Index level = 0;
  bool scores = false;
  Index innermost = 0;
};
inline constexpr Index gauss_levels = 11, sobol_levels = 13;

// More Gauss axes than this in a group are too many for a grid.
inline constexpr Index most_gauss_axes = 3;

// Whether there is such a rule: the noise is not opaque, and the groups are not too large.
[[nodiscard]] bool can_plan(const ProblemFacts& facts, const NoiseChoice& choice);
[[nodiscard]] NoisePlan make_noise_plan(const ProblemFacts& facts, const NoiseChoice& choice);

// How many numbers of one group might be innermost: those along which kinks are found.
[[nodiscard]] Index innermost_choices(const ProblemFacts& facts);

// Kinks that depend on a number, and on none (or on some) of those after it in the group.
struct AxisKinks {
  std::vector<Index> own, coupled;
};
[[nodiscard]] AxisKinks kinks_along(const NoiseShape& shape, const GroupPlan& group,
                                    std::size_t depth);

}  // namespace chaosgrad::internal
