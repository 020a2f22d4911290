#include "problem/noise_plan.h"

#include <algorithm>
#include <array>

#include "random/random.h"

namespace chaosgrad::internal {
namespace {

// Nodes on a piece. Origin: steps of about 1.4, so that the next level but one is twice as fine.
constexpr std::array<Index, gauss_levels> piece_nodes = {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
// Values decide between points that differ little, and are asked for rarely.
constexpr Index least_value_nodes = 16;
constexpr Index fewest_points = 64;  // Sobol', doubled from level to level

Index exact_nodes(int degree) { return degree / 2 + 1; }

Index nodes_of(const NoiseChoice& choice) {
  return piece_nodes[static_cast<std::size_t>(std::min(choice.level, gauss_levels - 1))];
}

bool depends_on(const NoiseShape::Kink& kink, Index axis) {
  return std::ranges::find(kink.numbers, axis) != kink.numbers.end();
}

AxisPlan plan_axis(const ProblemFacts& facts, Index axis, const NoiseChoice& choice) {
  const auto k = static_cast<std::size_t>(axis);
  const NoiseAxis& law = facts.noise_axes[k];
  AxisPlan plan{.coordinate = {axis, NoiseChart::uniform}};
  if (law.kind == NoiseAxis::Kind::cases) {
    plan.cases = plan.exact = true;
    return plan;
  }
  const std::optional<int>& gradient = facts.noise_shape->gradient_degrees[k];
  const std::optional<int>& value = facts.noise_shape->value_degrees[k];
  plan.exact = gradient.has_value();
  const bool normal = law.kind == NoiseAxis::Kind::normal || (choice.scores && !plan.exact);
  if (normal) plan.coordinate.chart = NoiseChart::normal;
  plan.gradient_nodes = plan.exact ? exact_nodes(*gradient) : nodes_of(choice);
  // An inexact gradient and its values are of one function if their nodes are the same.
  plan.value_nodes = value        ? exact_nodes(*value)
                     : plan.exact ? least_value_nodes
                                  : plan.gradient_nodes;
  return plan;
}

// The innermost number is that along which most kinks can be found, and integrated exactly.
double merit(const NoiseShape& shape, const AxisPlan& plan) {
  double merit = plan.exact ? 0.5 : 0;
  // Where F is a polynomial on the chart its kinks are found in one step.
  if (!plan.cases && shape.value_degrees[static_cast<std::size_t>(plan.coordinate.axis)])
    merit += 0.25;
  for (const NoiseShape::Kink& kink : shape.kinks) {
    const auto at = std::ranges::find(kink.numbers, plan.coordinate.axis);
    if (at == kink.numbers.end()) continue;
    merit += kink.straight[static_cast<std::size_t>(at - kink.numbers.begin())] ? 2 : 1;
  }
  return merit;
}

// Numbers of a group, cases aside, that kinks depend on.
Index kinked_numbers(const NoiseShape& shape, const std::vector<Index>& group,
                     const ProblemFacts& facts) {
  return static_cast<Index>(std::ranges::count_if(group, [&](Index axis) {
    return facts.noise_axes[static_cast<std::size_t>(axis)].kind != NoiseAxis::Kind::cases &&
           std::ranges::any_of(
               shape.kinks, [&](const NoiseShape::Kink& kink) { return depends_on(kink, axis); });
  }));
}

GroupPlan plan_group(const ProblemFacts& facts, const std::vector<Index>& numbers,
                     const NoiseChoice& choice) {
  const NoiseShape& shape = *facts.noise_shape;
  GroupPlan group;
  for (const Index axis : numbers) group.axes.push_back(plan_axis(facts, axis, choice));
  std::stable_sort(group.axes.begin(), group.axes.end(), [&](const AxisPlan& a, const AxisPlan& b) {
    if (a.cases != b.cases) return a.cases;
    return !a.cases && merit(shape, a) < merit(shape, b);
  });
  if (choice.innermost > 0 && choice.innermost < kinked_numbers(shape, numbers, facts)) {
    const auto chosen = group.axes.end() - 1 - choice.innermost;
    std::rotate(chosen, chosen + 1, group.axes.end());
  }
  // What is left of kinks that are integrated along a later number is smooth, but no polynomial.
  for (std::size_t depth = 0; depth < group.axes.size(); ++depth) {
    AxisPlan& axis = group.axes[depth];
    if (axis.cases || kinks_along(shape, group, depth).coupled.empty()) continue;
    axis.exact = false;
    axis.gradient_nodes = axis.value_nodes = nodes_of(choice);
  }
  const auto lines = static_cast<Index>(
      std::ranges::count_if(group.axes, [](const AxisPlan& axis) { return !axis.cases; }));
  if (!choice.sobol || lines < 2) return group;
  const bool has_kinks = std::ranges::any_of(shape.kinks, [&](const NoiseShape::Kink& kink) {
    return depends_on(kink, group.axes.back().coordinate.axis);
  });
  // Without a kink the innermost number gains nothing by a rule of its own, unless one node does.
  const bool own_line =
      has_kinks || (group.axes.back().exact && group.axes.back().gradient_nodes == 1);
  group.sobol_axes = own_line ? lines - 1 : lines;
  group.points = fewest_points << choice.level;
  return group;
}

bool is_exact(const NoiseShape& shape, const GroupPlan& group) {
  if (group.sobol_axes > 0) return false;
  for (std::size_t depth = 0; depth < group.axes.size(); ++depth) {
    if (!group.axes[depth].exact) return false;
    if (!group.axes[depth].cases && !kinks_along(shape, group, depth).coupled.empty()) return false;
  }
  return true;
}

}  // namespace

AxisKinks kinks_along(const NoiseShape& shape, const GroupPlan& group, std::size_t depth) {
  AxisKinks found;
  for (std::size_t k = 0; k < shape.kinks.size(); ++k) {
    if (!depends_on(shape.kinks[k], group.axes[depth].coordinate.axis)) continue;
    bool coupled = false;
    for (std::size_t i = depth + 1; i < group.axes.size(); ++i)
      coupled = coupled || depends_on(shape.kinks[k], group.axes[i].coordinate.axis);
    (coupled ? found.coupled : found.own).push_back(static_cast<Index>(k));
  }
  return found;
}

bool NoisePlan::uses_sobol() const {
  return std::ranges::any_of(groups, [](const GroupPlan& group) { return group.sobol_axes > 0; });
}

bool can_plan(const ProblemFacts& facts, const NoiseChoice& choice) {
  if (!facts.noise_shape) return false;
  return std::ranges::all_of(facts.noise_shape->groups, [&](const std::vector<Index>& group) {
    const auto lines = std::ranges::count_if(group, [&](Index axis) {
      return facts.noise_axes[static_cast<std::size_t>(axis)].kind != NoiseAxis::Kind::cases;
    });
    return choice.sobol ? lines <= SobolSequence::max_dimension() : lines <= most_gauss_axes;
  });
}

Index innermost_choices(const ProblemFacts& facts) {
  Index most = 1;
  for (const std::vector<Index>& group : facts.noise_shape->groups)
    most = std::max(most, kinked_numbers(*facts.noise_shape, group, facts));
  return most;
}

NoisePlan make_noise_plan(const ProblemFacts& facts, const NoiseChoice& choice) {
  NoisePlan plan;
  plan.exact = true;
  for (const std::vector<Index>& numbers : facts.noise_shape->groups) {
    plan.groups.push_back(plan_group(facts, numbers, choice));
    plan.exact = plan.exact && is_exact(*facts.noise_shape, plan.groups.back());
  }
  return plan;
}

}  // namespace chaosgrad::internal
