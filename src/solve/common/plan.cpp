#include "solve/common/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chaosgrad/error.h"
#include "problem/problem_samples.h"
#include "solve/common/option_table.h"

namespace chaosgrad::internal {
namespace {

constexpr double max_count = 1e12;

void forbid(const Schedule& schedule, const char* option,
            std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (schedule.uses(name) && schedule.text() != "function") {
      throw InputError(std::string("solve.") + option, fmt::format("must not depend on {}", name));
    }
  }
}

Index whole_number(double value, const char* option, Index k) {
  if (!(value >= 1 && value <= max_count)) {
    throw InputError(
        std::string("solve.") + option,
        fmt::format("must be at least 1 (the floor is taken), found {:.6g} at iteration {}", value,
                    k));
  }
  return static_cast<Index>(std::floor(value));
}

IndexSet make_indices(const IndexChoice& choice, const std::vector<Family>& families, Index m,
                      const IndexChooser& choose) {
  const auto d = static_cast<Index>(families.size());
  if (const auto* given = std::get_if<IndexSet>(&choice)) {
    if (given->dimension() == d) return *given;
    throw InputError("solve.index_set",
                     fmt::format("expected indices with {} entries, one per parameter, found {}", d,
                                 given->dimension()));
  }
  if (std::holds_alternative<AdaptiveIndices>(choice)) return choose(families, m);
  const IndexOrder order = index_order(choice);
  if (order.weights.size() != 0 && order.weights.size() != d) {
    throw InputError(
        "solve.index_weights",
        fmt::format("expected {} weights, one per parameter, found {}", d, order.weights.size()));
  }
  return IndexSet::first(d, m, limited_order(families, order));
}

}  // namespace

ScheduleInputs schedule_inputs(Index k, const Level& level, const ProblemConstants& constants) {
  return {static_cast<double>(k),
          static_cast<double>(level.m),
          static_cast<double>(level.M),
          level.Q,
          constants.mu.value,
          constants.L.value,
          constants.V.value,
          constants.VG.value};
}

Plan make_plan(const Oracle& oracle, const Options& options, const ProblemConstants& constants,
               const IndexChooser& choose) {
  const Schedule basis_size =
      options.basis_size.value_or(default_schedule("basis_size", options.method));
  const Schedule samples = options.samples.value_or(default_schedule("samples", options.method));
  forbid(basis_size, "basis_size", {"m", "M", "Q"});
  forbid(samples, "samples", {"M"});
  const std::vector<Family> families = make_families(oracle);

  std::vector<Level> levels(static_cast<std::size_t>(options.iterations));
  std::vector<std::string> notes;
  const auto* given = std::get_if<IndexSet>(&options.indices);
  const double available = given ? static_cast<double>(given->size()) : function_count(families);
  Index largest = 1;
  for (Index k = 1; k <= options.iterations; ++k) {
    Level& level = levels[static_cast<std::size_t>(k - 1)];
    level.m = whole_number(basis_size(schedule_inputs(k, {}, constants)), "basis_size", k);
    if (static_cast<double>(level.m) > available) {
      if (notes.empty()) {
        notes.push_back(
            fmt::format("basis_size is limited to {}: no more functions exist", available));
      }
      level.m = static_cast<Index>(available);
    }
    if (level.m < largest) {
      throw InputError(
          "solve.basis_size",
          fmt::format("must not decrease, found {} after {} at iteration {}", level.m, largest, k));
    }
    largest = level.m;
  }

  IndexSet indices = make_indices(options.indices, families, largest, choose);
  Plan plan{Basis(families, std::move(indices)), std::move(levels), false, std::move(notes)};
  const bool random =
      options.gradient != GradientRule::quadrature && options.method != Method::nested;
  plan.christoffel =
      options.sampling == Sampling::christoffel ||
      (options.sampling == Sampling::automatic && options.gradient == GradientRule::monte_carlo &&
       options.method != Method::nested && largest > 1 && std::isinf(plan.basis.Q(largest)));
  if (plan.christoffel && options.gradient != GradientRule::monte_carlo) {
    throw InputError("solve.sampling", "christoffel sampling needs gradient = \"monte-carlo\"");
  }
  const Level* previous = nullptr;
  for (Index k = 1; k <= options.iterations; ++k) {
    Level& level = plan.levels[static_cast<std::size_t>(k - 1)];
    if (previous && previous->m == level.m) {
      level.Q = previous->Q;
    } else if (random) {
      level.Q = plan.christoffel ? static_cast<double>(level.m) : plan.basis.Q(level.m);
    } else {
      level.Q = 0;
    }
    level.M = whole_number(samples(schedule_inputs(k, level, constants)), "samples", k);
    previous = &level;
  }
  if (plan.christoffel && options.sampling == Sampling::automatic) {
    plan.notes.emplace_back(
        "Q_m is infinite for this basis: parameters are drawn by Christoffel sampling");
  }
  return plan;
}

}  // namespace chaosgrad::internal
