// The bounds of a run: the one-step statements, chained along its history.
#include <cmath>

#include "paper/theory.h"
#include "paper/theory_levels.h"
#include "solve/common/plan.h"
#include "solve/descent/step_policy.h"

#include "solve/pilot.h"

namespace chaosgrad::internal {
namespace {

constexpr double slack = 1 + 1e-9;  // default steps meet their limits exactly
constexpr double rounding = 1e-13;  // relative to ‖x*‖: no computed iterate comes closer

double square(double value) { return value * value; }

// d ≥ E‖u_k − u*_m‖² for gd and uqsa.
class GradientBound {
 public:
  GradientBound(const TheoryConstants& constants, double initial)
      : constants_(constants), distance_(initial) {}

  // (‖u − u*_m‖ ≤ √d) → ‖u − P_m u*‖, then the orthogonal part of u* that enters, then u*_{m'}.
  void change_level(const LevelFacts& from, const LevelFacts& to) {
    const double entered = std::max(0.0, from.remainder_squared - to.remainder_squared);
    const double projected = square(std::sqrt(distance_) + from.deviation) + entered;
    distance_ = square(std::sqrt(projected) + to.deviation);
  }

  [[nodiscard]] bool step(const SampledLevel& level, double gamma, bool /*restart*/, double C) {
    if (gamma > slack * largest_steps(constants_, level).gd) return false;
    distance_ = gd_contraction(constants_, gamma) * distance_ + gamma * gamma * C;
    return true;
  }

  [[nodiscard]] double distance_squared() const { return distance_; }

 private:
  TheoryConstants constants_;
  double distance_;
};

// Λ of the accelerated method, for agd and masg.
class LyapunovBound {
 public:
  LyapunovBound(const TheoryConstants& constants, double initial)
      : constants_(constants), value_((constants.mu + constants.L) / 2 * initial) {}

  // With c = u*_m − u*_{m'}: e and e_prev move by c, h by f(x*_m) − f(x*_{m'}) ≤ L/2 ‖c‖²; only the
  // part of c inside the old span (at most both deviations) is not orthogonal to e.
  void change_level(const LevelFacts& from, const LevelFacts& to) {
    const double entered = std::max(0.0, from.remainder_squared - to.remainder_squared);
    const double inside = from.deviation + to.deviation;
    const double moved = square(std::sqrt(entered) + inside);
    value_ +=
        std::sqrt(2 * value_ * constants_.mu) * inside + (constants_.mu + constants_.L) / 2 * moved;
  }

  [[nodiscard]] bool step(const SampledLevel& level, double alpha, bool restart, double C) {
    if (alpha * constants_.L > slack) return false;
    if (restart && alpha_ > 0) {
      value_ *= 2;  // at rest the first term is μ/2‖e‖² ≤ h
    } else if (alpha_ > 0 && alpha != alpha_) {
      value_ *= change_of_step(alpha);
    }
    alpha_ = alpha;
    const auto [rate, source] = accelerated_contraction(constants_, level, alpha, C);
    if (!(rate < 1)) return false;
    value_ = rate * value_ + source;
    return true;
  }

  [[nodiscard]] double distance_squared() const { return 2 / constants_.mu * value_; }

 private:
  // Λ_{α'} ≤ factor · Λ_α. With z = (e − e_prev)/√α + √μ e_prev the new z' has norm at most
  // p‖e‖ + q‖z‖, and h ≥ μ/2‖e‖²: the factor is the larger eigenvalue of
  // [1 + p²/μ, pq/√μ; pq/√μ, q²].
  [[nodiscard]] double change_of_step(double alpha) const {
    const double root_mu = std::sqrt(constants_.mu), s = std::sqrt(alpha_) * root_mu;
    const double p = std::abs(root_mu - s / std::sqrt(alpha)) / (1 - s) / root_mu;
    const double q = std::abs(std::sqrt(alpha_ / alpha) - s) / (1 - s);
    const double trace = 1 + p * p + q * q;
    return 0.5 * (trace + std::sqrt(std::max(0.0, trace * trace - 4 * q * q)));
  }

  TheoryConstants constants_;
  double value_;
  double alpha_ = 0;
};

bool has_statement(const Options& options) {
  const bool unbiased = options.gradient != GradientRule::sobol;
  switch (options.method) {
    case Method::gd:
    case Method::masg:
      return unbiased;
    case Method::agd:
      return unbiased && !options.momentum;
    case Method::uqsa:
      return unbiased && !options.radius;
    case Method::nested:
    case Method::automatic:
    case Method::collocation:
    case Method::sieve:
      return false;
  }
  return false;
}

template <class Bound>
void follow(const Oracle& oracle, const Options& options, const TheoryConstants& constants,
            const std::vector<IterationRecord>& history, const Plan& plan,
            const ReferenceExpansion& reference, Executor& executor,
            std::vector<std::optional<double>>& bounds) {
  const LevelAnalysis analysis(oracle, plan.basis, reference, constants, executor);
  LevelFacts facts = analysis(1);
  Index m = 1;
  const double from_projection = reference.error_squared(oracle.facts().start.transpose());
  Bound bound(constants, square(std::sqrt(from_projection) + facts.deviation));
  for (std::size_t i = 0; i < history.size(); ++i) {
    const IterationRecord& record = history[i];
    if (record.basis_size != m) {
      const LevelFacts next = analysis(record.basis_size);
      bound.change_level(facts, next);
      facts = next;
      m = record.basis_size;
    }
    const Level& planned = plan.level(record.k);
    const SampledLevel level{planned.Q, static_cast<double>(planned.M)};
    const bool restart =
        options.method == Method::masg && stage_of(record.k, constants.kappa()).first_iteration;
    const double C = noise_floor(constants, level, facts.gradient_squared);
    if (!bound.step(level, record.step, restart, C)) return;
    bounds[i] = square(std::sqrt(bound.distance_squared()) + facts.deviation) +
                square(rounding) * reference.norm_squared;
  }
}

}  // namespace

std::vector<std::optional<double>> run_bounds(const Oracle& oracle, const Options& options,
                                              const ProblemConstants& constants,
                                              const std::vector<IterationRecord>& history) {
  std::vector<std::optional<double>> bounds(history.size());
  if (!has_statement(options) || !(constants.mu.value > 0)) return bounds;
  const Plan plan = make_plan(oracle, options, constants, pilot_chooser(oracle, options));
  Executor executor(options.threads);
  const bool exact = options.gradient == GradientRule::quadrature;
  const auto reference = expand_reference(oracle, plan.basis, exact ? options.nodes : 0, executor);
  if (!reference) return bounds;
  const bool accelerated = options.method == Method::agd || options.method == Method::masg;
  if (accelerated) {
    follow<LyapunovBound>(oracle, options, theory_constants(constants), history, plan, *reference,
                          executor, bounds);
  } else {
    follow<GradientBound>(oracle, options, theory_constants(constants), history, plan, *reference,
                          executor, bounds);
  }
  return bounds;
}

}  // namespace chaosgrad::internal
