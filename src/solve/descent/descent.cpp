// Descent on the coefficients with a growing basis: one loop for gd, agd, masg and uqsa, which
// differ in step and momentum only.
#include "solve/descent/descent.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "estimate/gradient_estimator.h"
#include "problem/problem_samples.h"
#include "solve/common/goal.h"
#include "solve/common/momentum.h"
#include "solve/descent/step_policy.h"
#include "solve/descent/tuning.h"

namespace chaosgrad::internal {
namespace {

// Fresh samples for each iteration.
class Samples {
 public:
  Samples(const Oracle& oracle, const Options& options, const Plan& plan)
      : oracle_(oracle), options_(options), plan_(plan) {
    if (options.gradient == GradientRule::quadrature) {
      quadrature_ = std::make_unique<QuadratureSource>(
          problem_quadrature(oracle, plan.basis.families(), options.nodes));
    }
  }

  [[nodiscard]] Index count(Index k) const {
    return quadrature_ ? quadrature_->size() : plan_.level(k).M;
  }

  // use(source) with the samples of iteration k.
  template <class Use>
  auto with(Index k, const Use& use) const {
    const auto step = static_cast<std::uint64_t>(k);
    const Level& level = plan_.level(k);
    if (quadrature_) return use(*quadrature_);
    const Measure& measure = oracle_.parameters();
    if (options_.gradient == GradientRule::sobol) {
      return use(SobolSource(measure, oracle_.noise_dimension(), level.M,
                             make_stream(options_.seed, Purpose::scramble, step)));
    }
    const Stream parameters = make_stream(options_.seed, Purpose::parameters, step);
    const Stream noise = make_stream(options_.seed, Purpose::noise, step);
    if (plan_.christoffel)
      return use(ChristoffelSource(measure, plan_.basis, level.m, level.M, parameters, noise));
    return use(MonteCarloSource(measure, level.M, parameters, noise));
  }

 private:
  const Oracle& oracle_;
  const Options& options_;
  const Plan& plan_;
  std::unique_ptr<QuadratureSource> quadrature_;
};

void grow(Coefficients& u, Index m) {
  const Index before = u.rows();
  if (m == before) return;
  u.conservativeResize(m, Eigen::NoChange);
  u.bottomRows(m - before).setZero();
}

// An earlier iterate. Several names may stand for the same one, which is kept once: coefficients
// are what fills the memory.
using Earlier = std::shared_ptr<const Coefficients>;

Earlier keep(Coefficients&& u) { return std::make_shared<const Coefficients>(std::move(u)); }

// All that an iteration hands to the next.
struct Iterate {
  Index next = 1;  // iteration
  Coefficients u;
  Earlier previous;
  Earlier best;  // the iterate with the smallest ‖D'‖ so far
  double first_norm = 0, best_norm = infinity;
  Index raises = 0;               // of an estimated L
  Index cuts = 0, first_cut = 0;  // of the step, by the guard
  // The last place where D' was finite; whether iterates have left the domain of F, how often steps
  // were halved for good because of that, and how often in a row iterates were drawn to the start.
  Earlier inside;
  bool left = false;
  double reach = infinity;  // half of the last step that left it: none may be longer
  Index shortenings = 0, first_shortening = 0, retreats = 0;

  explicit Iterate(const Vector& start)  // the constant function
      : u(start.transpose()), previous(std::make_shared<const Coefficients>(u)), best(previous) {}

  // As save() left it.
  explicit Iterate(const Solution& run)
      : next(run.state.integer("next")),
        u(run.expansion.coefficients()),
        previous(std::make_shared<const Coefficients>(run.state.array("previous"))),
        best(run.state.arrays.contains("best")
                 ? std::make_shared<const Coefficients>(run.state.array("best"))
                 : previous),
        first_norm(run.state.number("first_norm")),
        best_norm(run.state.number("best_norm")),
        raises(run.state.integer("raises")),
        cuts(run.state.integer("cuts")),
        first_cut(run.state.integer("first_cut")) {
    left = run.state.arrays.contains("inside");
    if (!left) return;
    u = run.state.array("u");
    inside = std::make_shared<const Coefficients>(run.state.array("inside"));
    reach = run.state.number("reach");
    shortenings = run.state.integer("shortenings");
    first_shortening = run.state.integer("first_shortening");
    retreats = run.state.integer("retreats");
  }

  void save(Run& run) const {
    run.u = u;
    save_others(run);
  }

  // The same at the end, when nobody needs u any more.
  void hand_over(Run& run) {
    if (!left) inside.reset();
    run.u = std::move(u);
    save_others(run);
  }

 private:
  void save_others(Run& run) const {
    run.state.set_integer("next", next);
    run.state.arrays["previous"] = *previous;
    run.state.arrays.erase("best");  // of a checkpoint before
    if (best != previous) run.state.arrays["best"] = *best;
    run.state.set_number("first_norm", first_norm);
    run.state.set_number("best_norm", best_norm);
    run.state.set_integer("raises", raises);
    run.state.set_integer("cuts", cuts);
    run.state.set_integer("first_cut", first_cut);
    if (!left || !inside) return;
    run.state.arrays["u"] = run.u;
    run.u = *inside;  // nobody has looked at the step from there yet
    run.state.arrays["inside"] = *inside;
    run.state.set_number("reach", reach);
    run.state.set_integer("shortenings", shortenings);
    run.state.set_integer("first_shortening", first_shortening);
    run.state.set_integer("retreats", retreats);
  }
};

std::string stage_name(const Options& options, const ProblemConstants& constants, Index k) {
  if (options.method != Method::masg) return "descent";
  return fmt::format("stage {}", stage_of(k, constants.kappa()).number);
}

// What the length of D' says about the steps so far.
enum class Growth {
  bounded,
  fast,      // L is estimated, and too small
  exploded,  // divergence
  not_finite
};

Growth judge(double norm, bool may_raise, const Iterate& at) {
  const double largest_expected = std::max(at.first_norm, at.best_norm);
  if (may_raise && norm > growth_factor * largest_expected) return Growth::fast;
  if (norm > divergence_factor * largest_expected) return Growth::exploded;
  return std::isfinite(norm) ? Growth::bounded : Growth::not_finite;
}

// Doubles L; the run goes on from its best iterate.
void raise_smoothness(Index m, Iterate& at, Run& run) {
  ++at.raises;
  run.constants.L.value *= 2;
  at.u = *at.best;
  grow(at.u, m);
  at.previous = std::make_shared<const Coefficients>(at.u);
}

// Why D' is not finite, or far too large.
void explain_failure(const Oracle& oracle, const GradientEstimator& estimator,
                     const Samples& samples, const Coefficients& y, Index k, Growth growth,
                     Run& run) {
  if (growth == Growth::not_finite) {
    const auto bad = samples.with(
        k, [&](const SampleSource& source) { return estimator.find_bad_sample(source, y); });
    if (bad && bad->x.allFinite()) {
      const std::string reason =
          oracle.explain(bad->x.transpose(), bad->theta.transpose(), bad->noise.transpose());
      run.status = reason.empty() ? Status::bad_gradient : Status::outside_domain;
      run.stop_reason =
          fmt::format("the gradient is not finite at iteration {}, at {}, {}{}{}", k,
                      place(oracle.facts(), bad->theta), variables_at(oracle.facts(), bad->x),
                      reason.empty() ? "" : ": ", reason);
      return;
    }
  }
  run.status = Status::diverged;
  run.stop_reason = fmt::format(
      "the iterates diverge at iteration {}: the step is too long for this problem and noise", k);
}

void note_corrections(const Iterate& at, const Options& options, Run& run) {
  if (at.raises > 0) {
    run.notes.push_back(
        fmt::format("the estimated L was too small: the iterates grew, and it was raised to {:.4g}",
                    run.constants.L.value));
  }
  if (at.cuts > 0) {
    run.notes.push_back(
        fmt::format("the guard cut the step in {} of {} iterations, first at iteration {}", at.cuts,
                    options.iterations, at.first_cut));
  }
  if (at.shortenings > 0) {
    run.notes.push_back(
        fmt::format("steps left the domain of the objective: they were halved {} times, first at "
                    "iteration {}",
                    at.shortenings, at.first_shortening));
  }
}

// Steps as long as the domain allows.
void shorten(Index times, const Options& options, double mu, Step& step) {
  if (times == 0) return;
  step.alpha = std::ldexp(step.alpha, -static_cast<int>(times));
  if (options.method == Method::masg || (options.method == Method::agd && !options.momentum))
    step.beta = paired_momentum(step.alpha, mu);
}

// D' is not finite at y. If it is where it was finite last, with the samples of now, the step from
// there was too long: D holds it, and half of the step may be taken. Otherwise the iterate is drawn
// to the start. (The domain of a convex function is convex: the way to a point inside leads inside.)
enum class Return { step_again, retreated, lost };

Return come_back(const GradientEstimator& estimator, const Samples& samples, Index k,
                 const Coefficients& outside, const Vector& start, Iterate& at, Coefficients& D) {
  if (!at.inside || at.shortenings == most_shortenings || at.retreats == most_retreats)
    return Return::lost;
  Coefficients inside = *at.inside;
  grow(inside, outside.rows());
  samples.with(k, [&](const SampleSource& source) { estimator.estimate(source, inside, D); });
  if (D.allFinite()) {
    if (at.shortenings++ == 0) at.first_shortening = k;
    at.reach = 0.5 * (outside - inside).norm();
    at.retreats = 0;
    at.u = inside;
    at.inside = keep(std::move(inside));
    return Return::step_again;
  }
  ++at.retreats;
  inside *= 0.5;
  inside.row(0) += 0.5 * start.transpose();
  at.u = inside;
  at.previous = at.inside = keep(std::move(inside));
  return Return::retreated;
}

}  // namespace

void solve_descent(const Oracle& oracle, const Options& options, const Plan& plan, Monitor& monitor,
                   Executor& executor, Run& run) {
  const GradientEstimator estimator(oracle, plan.basis, executor);
  const Samples samples(oracle, options, plan);
  StepPolicy policy(options, run.constants);

  Iterate at = options.resume ? Iterate(*options.resume) : Iterate(oracle.facts().start);
  Coefficients extrapolated, D;
  std::optional<double> now;  // what the clock showed at the end of the iteration before

  run.history.reserve(static_cast<std::size_t>(options.iterations));
  run.status = Status::completed;
  run.stop_reason = fmt::format("all {} iterations done", options.iterations);
  for (Index k = at.next; k <= options.iterations; ++k) {
    const Level& level = plan.level(k);
    if (!monitor.may_continue(k, samples.count(k), run, std::exchange(now, {}))) break;
    at.next = k + 1;
    Step step = policy(k, level);
    shorten(at.shortenings, options, run.constants.mu.value, step);
    if (step.cut && at.cuts++ == 0) at.first_cut = k;

    grow(at.u, level.m);
    if (step.restart) at.previous = std::make_shared<const Coefficients>(at.u);
    if (step.beta != 0) {
      const Index before = at.previous->rows();  // what came after was 0 then
      extrapolated = at.u;
      extrapolated.topRows(before) += step.beta * (at.u.topRows(before) - *at.previous);
      extrapolated.bottomRows(level.m - before) += step.beta * at.u.bottomRows(level.m - before);
    }
    const Coefficients& y = step.beta == 0 ? at.u : extrapolated;
    samples.with(k, [&](const SampleSource& source) { estimator.estimate(source, y, D); });
    run.gradients += samples.count(k);
    if (!D.allFinite() && y.allFinite()) {
      at.left = true;
      if (!monitor.may_continue(k, samples.count(k), run)) {
        at.next = k;
        break;
      }
      const Coefficients outside = y;
      const Return back = come_back(estimator, samples, k, outside, oracle.facts().start, at, D);
      if (back == Return::lost) {
        explain_failure(oracle, estimator, samples, outside, k, Growth::not_finite, run);
        break;
      }
      run.gradients += samples.count(k);
      if (back == Return::retreated) continue;
      step.alpha *= 0.5;
      extrapolated = at.u;
    }

    const double norm = D.norm();
    if (k == 1) at.first_norm = norm;
    const bool may_raise =
        options.guard && !run.constants.L.given && y.allFinite() && at.raises < most_raises;
    const Growth growth = judge(norm, may_raise, at);
    if (growth == Growth::fast) {
      raise_smoothness(level.m, at, run);
      continue;
    }
    if (growth != Growth::bounded) {
      explain_failure(oracle, estimator, samples, y, k, growth, run);
      if (run.status == Status::diverged) at.u = *at.best;
      break;
    }
    at.previous.reset();
    const Earlier now_earlier = keep(std::move(at.u));
    if (norm < at.best_norm) {
      at.best_norm = norm;
      at.best = now_earlier;
    }
    at.inside = step.beta == 0 ? now_earlier : keep(std::move(extrapolated));
    at.retreats = 0;
    if (step.alpha * norm > at.reach) step.alpha = at.reach / norm;
    at.u = *at.inside - step.alpha * D;
    at.previous = now_earlier;
    if (options.method == Method::uqsa && options.radius && at.u.norm() > *options.radius)
      at.u *= *options.radius / at.u.norm();
    now = monitor.record({.k = k,
                          .basis_size = level.m,
                          .samples = samples.count(k),
                          .step = step.alpha,
                          .gradient_norm = norm},
                         at.u, run, stage_name(options, run.constants, k));
    monitor.checkpoint(run, [&] { at.save(run); });
  }
  note_corrections(at, options, run);
  D.resize(0, 0);
  at.hand_over(run);
}

}  // namespace chaosgrad::internal
