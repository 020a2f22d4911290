#include <algorithm>
#include <cmath>

#include "paper/theory_report.h"
#include "solve/common/plan.h"

#include "solve/pilot.h"

namespace chaosgrad::internal {
namespace {

constexpr std::size_t shown_levels = 5;

// The first, the last, and some between, each with the samples of the first iteration there.
std::vector<Level> representative_levels(const Plan& plan) {
  std::vector<Level> distinct;
  for (const Level& level : plan.levels) {
    if (distinct.empty() || distinct.back().m != level.m) distinct.push_back(level);
  }
  if (distinct.size() <= shown_levels) return distinct;
  std::vector<Level> chosen;
  for (std::size_t i = 0; i < shown_levels; ++i) {
    chosen.push_back(distinct[i * (distinct.size() - 1) / (shown_levels - 1)]);
  }
  return chosen;
}

// Functions over which the remainders are followed. One-dimensional polynomials of a high degree
// are hard to integrate, trigonometric functions are not.
Index remainder_size(const Oracle& oracle) {
  if (oracle.parameters().dimension() > 1) return 256;
  return oracle.facts().bases[0] == Family::Kind::fourier ? 512 : 128;
}

Plan wider_plan(const Oracle& oracle, const Options& options, const ProblemConstants& constants,
                Index size) {
  Options wide = options;
  wide.method = Method::gd;
  wide.gradient = GradientRule::quadrature;  // leaves Q_m to be asked for one level at a time
  wide.sampling = Sampling::automatic;
  wide.iterations = 1;
  wide.basis_size = static_cast<double>(size);
  wide.samples = 1.0;
  return make_plan(oracle, wide, constants, pilot_chooser(oracle, wide));
}

}  // namespace

TheoryReport theory_report(const Oracle& oracle, const Options& options,
                           const ProblemConstants& constants, const Expansion* solution) {
  const TheoryConstants theory = theory_constants(constants);
  const Plan plan = make_plan(oracle, options, constants, pilot_chooser(oracle, options));
  TheoryReport report;
  report.remainders =
      reference_remainders(oracle, options, std::max(remainder_size(oracle), plan.basis.size()));
  if (!report.remainders && solution) {
    report.remainders = solution_remainders(*solution, oracle.facts().start);
  }
  for (const Level& level : representative_levels(plan)) {
    const SampledLevel sampled{level.Q, static_cast<double>(level.M)};
    LevelReport entry{.m = level.m,
                      .M = sampled.M,
                      .Q = level.Q,
                      .noise_growth = noise_growth(theory, sampled),
                      .steps = largest_steps(theory, sampled),
                      .remainder = {},
                      .curvature = level_curvature(oracle, plan.basis, level.m)};
    const auto m = static_cast<std::size_t>(level.m);
    if (report.remainders && m < report.remainders->squared.size()) {
      entry.remainder = std::sqrt(report.remainders->squared[m]);
    }
    report.levels.push_back(entry);
  }
  if (!report.remainders) return report;

  const auto size = static_cast<Index>(report.remainders->squared.size()) - 1;
  const Plan wide = wider_plan(oracle, options, constants, size);
  const auto Q = [&](Index m) {
    const double plain = wide.basis.Q(m);
    return std::isinf(plain) || options.sampling == Sampling::christoffel ? static_cast<double>(m)
                                                                          : plain;
  };
  for (const double tolerance : {1e-1, 1e-2, 1e-3}) {
    report.tolerances.push_back(
        {.tolerance = tolerance,
         .condition = report.remainders->condition(tolerance),
         .gd = predict_cost(Method::gd, theory, *report.remainders, Q, tolerance),
         .agd = predict_cost(Method::agd, theory, *report.remainders, Q, tolerance)});
  }
  return report;
}

}  // namespace chaosgrad::internal
