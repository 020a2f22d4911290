// Noisy gradients: averaged stochastic Newton steps on the coefficients. Every batch of fresh
// samples is used once: first to measure the error of the expansion so far, then to improve it,
//   Δ = mean(w H(θ)⁻¹∇F ψ),   u_i ← u_i − n/(N_i + n) Δ_i,   N_i ← N_i + n,
// where N_i is the weight of what was learnt about coefficient i: 0 for a new function, cut when
// Δ_i stands far above its own noise and goes on in the direction of the step before. The basis
// grows when a function beyond it stands clear of the noise and the basis limits the error.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimate/paired_gradients.h"
#include "random/random.h"
#include "solve/common/goal.h"
#include "solve/common/growth.h"
#include "solve/common/saved_state.h"
#include "solve/common/validation.h"
#include "solve/sieve/local_metric.h"
#include "solve/sieve/sieve_batch.h"
#include "solve/solvers.h"

namespace chaosgrad::internal {
namespace {

constexpr double asymmetry_limit = 0.2, curvature_slack = 0.1;
constexpr double far = 9;    // Δ² over its noise: not learnt yet
constexpr double clear = 3;  // a function to add, over its noise
constexpr double bulk = 0.9;
constexpr double negligible = 0.1;  // of the squared tolerance: no reason to add functions
constexpr double significance = 9;  // of a coefficient
constexpr Index most_candidates = 4000;
constexpr double path_memory = 0.7;  // from stage to stage
constexpr Index least_stages = 6, most_stages = 200;
constexpr Index least_certificate = 512;  // samples for the bound, else a tenth of the run

class Sieve {
 public:
  Sieve(const Oracle& oracle, const Options& options, Monitor& monitor, Executor& executor,
        Run& run)
      : oracle_(oracle),
        options_(options),
        monitor_(monitor),
        executor_(executor),
        run_(run),
        validation_(oracle, options.seed),
        probe_(oracle.parameters().germs()) {}

  void solve() {
    if (options_.resume) {
      restore(*options_.resume);
    } else {
      start();
    }
    for (; stage_ <= most_stages; ++stage_) {
      save();
      monitor_.checkpoint(run_, [] {});
      if (needs_metric() && !renew_metric()) return finish();
      const Index n = next_batch();
      if (!monitor_.may_continue(stage_, n, run_)) return finish();
      const Basis wide = with_candidates();
      const SieveBatch batch = sample_batch(oracle_, wide, run_.u, *metric_, probe_, options_.seed,
                                            stage_, n, executor_);
      run_.gradients += n;
      if (!accept(batch)) return finish();
      improve(batch);
      measure_error(batch);
      record(n);
      if (error_.upper <= target()) {
        run_.status = Status::converged;
        run_.stop_reason = fmt::format(
            "the error estimate {:.3g} (at most {:.3g} with confidence {:.3g}) is within the "
            "tolerance {:.3g}",
            std::sqrt(error_.squared()), error_.upper, options_.confidence, target());
        certify();
        return finish();
      }
      grow(wide, batch);
    }
    run_.status = Status::stalled;
    run_.stop_reason = fmt::format("the tolerance was not reached in {} stages", most_stages);
    finish();
  }

 private:
  struct StageError {
    double sampling = 0, basis = 0, optimisation = 0;  // squared norms
    double upper = infinity;
    [[nodiscard]] double squared() const { return sampling + basis + optimisation; }
  };

  [[nodiscard]] double target() const { return absolute_tolerance(options_, run_.u.norm()); }
  [[nodiscard]] Index m() const { return run_.u.rows(); }

  void start() {
    const auto& families = run_.basis.families();
    const auto d = static_cast<Index>(families.size());
    const auto size =
        static_cast<Index>(std::min(function_count(families), static_cast<double>(1 + d)));
    run_.basis = Basis(families, IndexSet::first(d, size, limited_order(families, options_.order)));
    run_.u = Coefficients::Zero(size, oracle_.dimension());
    run_.u.row(0) = oracle_.facts().start.transpose();
    run_.replicates.assign(sieve_groups, run_.u);
    learnt_ = Vector::Zero(size);
    previous_ = Coefficients::Zero(size, oracle_.dimension());
    path_ = path_variance_ = previous_;
  }

  // All that the stage to come rests on. A run that ends within a stage resumes at its beginning.
  void save() {
    SolverState& state = run_.state;
    state.set_integer("stage", stage_);
    state.set_integer("gradients", run_.gradients);
    state.set_integer("metric_made_at", metric_made_at_);
    state.arrays["u"] = run_.u;
    for (Index g = 0; g < sieve_groups; ++g)
      state.arrays[fmt::format("replicate_{}", g)] = run_.replicates[static_cast<std::size_t>(g)];
    internal::save(run_.basis.indices(), state);
    internal::save(seen_, state);
    state.arrays["learnt"] = learnt_;
    state.arrays["variances"] = variances_;
    state.arrays["previous"] = previous_;
    state.arrays["path"] = path_;
    state.arrays["path_variance"] = path_variance_;
    state.arrays["error"].resize(1, 7);
    state.arrays["error"] << error_.sampling, error_.basis, error_.optimisation, error_.upper,
        upper_factor_, smallest_, damping_;
    if (metric_) internal::save(*metric_, state);
  }

  void restore(const Run& before) {
    const SolverState& state = before.state;
    stage_ = restore_stages(before, run_);
    metric_made_at_ = state.integer("metric_made_at");
    run_.u = state.array("u");
    for (Index g = 0; g < sieve_groups; ++g)
      run_.replicates.push_back(state.array(fmt::format("replicate_{}", g)));
    run_.basis = Basis(run_.basis.families(), restore_indices(state));
    seen_ = restore_seen(state);
    learnt_ = state.array("learnt");
    variances_ = state.array("variances");
    const Coefficients& error = state.array("error");
    error_ = {error(0), error(1), error(2), error(3)};
    upper_factor_ = error(4);
    smallest_ = error(5);
    damping_ = error(6);
    previous_ = state.array("previous");
    path_ = state.array("path");
    path_variance_ = state.array("path_variance");
    if (stage_ > 1) metric_ = restore_metric(state, run_.basis.families());
  }

  // At the start, and whenever the run has become four times as long: the Hessian moves with the
  // coefficients, and a longer run deserves a better one.
  [[nodiscard]] bool needs_metric() const {
    return stage_ <= 2 || run_.gradients >= 4 * metric_made_at_;
  }

  bool renew_metric() {
    const Index q = run_.u.cols(),
                blocks = metric_blocks(run_.basis.dimension(), q, run_.gradients);
    if (!monitor_.may_continue(stage_, metric_cost(q, blocks), run_)) return false;
    metric_ = measure_metric(oracle_, run_.basis, run_.u, options_.seed, stage_, blocks, executor_);
    run_.gradients += metric_cost(q, blocks);
    metric_made_at_ = run_.gradients;
    const Curvature& mean = metric_->mean();
    if (!mean.eigenvalues.allFinite()) {
      run_.status = Status::bad_gradient;
      run_.stop_reason = "the gradient is not finite near the start";
      return false;
    }
    seen_ = {};
    seen_.see_lowest(mean.lowest(), "on average over theta and the noise");
    seen_.see_highest(mean.highest(), "on average over theta and the noise");
    return !fails_as_gradient(mean, asymmetry_limit, run_) && !fails_convexity(seen_, run_);
  }

  // Half of all samples so far, or what seems to be missing.
  [[nodiscard]] Index next_batch() const {
    const double half = 0.5 * static_cast<double>(run_.gradients);
    double wanted = half;
    const double room = std::pow(target(), 2) - error_.basis;
    if (std::isfinite(error_.upper) && room > 0) {
      const double needed = learnt_.maxCoeff() * (upper_factor_ * error_.sampling / room - 1);
      wanted = std::clamp(1.05 * needed, half / 4, half);
    }
    const auto left = static_cast<double>(options_.max_gradients - run_.gradients);
    if (wanted > left && left > half / 8) wanted = left;  // the last batch
    return std::max<Index>(1, static_cast<Index>(wanted / static_cast<double>(sieve_chunk))) *
           sieve_chunk;
  }

  [[nodiscard]] Basis with_candidates() const {
    std::vector<char> significant;
    for (Index i = 0; i < m(); ++i) {
      const double noise = variances_.rows() > i ? variances_.row(i).sum() : 0;
      significant.push_back(i == 0 || run_.u.row(i).squaredNorm() > significance * noise);
    }
    std::vector<MultiIndex> beyond =
        candidates(run_.basis.indices(), significant, run_.basis.families(), 2);
    if (static_cast<Index>(beyond.size()) > most_candidates) beyond.resize(most_candidates);
    return widened(run_.basis, beyond);
  }

  bool accept(const SieveBatch& batch) {
    if (batch.bad_theta) {
      run_.status = Status::bad_gradient;
      run_.stop_reason = fmt::format("the gradient is not finite {}", place(*batch.bad_theta));
      return false;
    }
    const double size = batch.mean().norm();
    smallest_ = std::min(smallest_, size);
    if (std::isfinite(size) && size < 1e8 * smallest_) return true;
    run_.status = Status::diverged;
    run_.stop_reason = fmt::format(
        "the iterates run away at stage {}: has the objective a minimum for every theta?", stage_);
    return false;
  }

  // One averaged Newton step; the replicates take the steps of their groups.
  void improve(const SieveBatch& batch) {
    const auto n = static_cast<double>(batch.samples);
    const Coefficients step = batch.mean();
    scatter_ = Coefficients::Zero(m(), step.cols());
    for (const Coefficients& group : batch.groups) scatter_ += (group - step).cwiseAbs2();
    scatter_ /= static_cast<double>(sieve_groups * (sieve_groups - 1));  // variance of `step`
    systematic_ = 0;
    adapt_damping(step);
    drifting_ = drifts(step, n);
    if (drifting_) learnt_ *= scatter_.sum() / step.squaredNorm();
    const Coefficients before = run_.u;
    for (Index i = 0; i < m(); ++i) {
      // Noise of this step, and of what it is compared with.
      const double noise = scatter_.row(i).sum();
      const double expected = noise * (1 + n / std::max(learnt_(i), 1e-9));
      const double signal = step.row(i).squaredNorm();
      const bool onward = step.row(i).dot(previous_.row(i)) >= 0;
      if (signal > far * expected && onward) learnt_(i) *= noise / signal;
      const double gain = damping_ * n / (learnt_(i) + n);
      systematic_ += std::max(0.0, signal - expected) * std::pow(1 - gain, 2);
      for (std::size_t g = 0; g < run_.replicates.size(); ++g) {
        Coefficients& replicate = run_.replicates[g];
        replicate.row(i) += gain * (before.row(i) - batch.groups[g].row(i) - replicate.row(i));
      }
      run_.u.row(i) -= gain * step.row(i);
      learnt_(i) += n;
    }
    previous_ = step;
  }

  // Whether the coefficients together still move on, although none stands out. Averages of all
  // samples so far leave steps that are not correlated with those before; so Δ·D, D the sum of the
  // steps before with fading memory, has mean 0 and variance Σ Var Δ_i Var D_i unless they do.
  [[nodiscard]] bool drifts(const Coefficients& step, double n) {
    Coefficients variance = scatter_;  // of Δ: its own noise, and that of the coefficients
    for (Index i = 0; i < m(); ++i) {
      if (learnt_(i) > 0) variance.row(i) *= 1 + n / learnt_(i);
    }
    const double along = step.cwiseProduct(path_).sum();
    const bool moving = along > 3 * std::sqrt(variance.cwiseProduct(path_variance_).sum());
    path_ = step + path_memory * path_;
    path_variance_ = variance + path_memory * path_memory * path_variance_;
    return moving;
  }

  // A step that turns back most of the one before went too far: where f is flatter at the iterate
  // than on the way, Newton steps overshoot. Steps that go on, or are noise, may be full again.
  void adapt_damping(const Coefficients& step) {
    const double along = step.cwiseProduct(previous_).sum(), before = previous_.squaredNorm();
    const bool noise = step.squaredNorm() < far * scatter_.sum();
    if (noise || (before > 0 && along > 0.3 * before)) {
      damping_ = std::min(1.0, 1.5 * damping_);
    } else if (along < -0.3 * before) {
      damping_ = std::max(0.05, 0.5 * damping_);
    }
  }

  // Sampling: the scatter of the replicates. Basis: the functions beyond, less their noise, or what
  // the probe shows.
  // Optimisation: what of Δ is not noise and is still there after the step.
  void measure_error(const SieveBatch& batch) {
    variances_ = Coefficients::Zero(m(), run_.u.cols());
    for (const Coefficients& replicate : run_.replicates)
      variances_ += (replicate - run_.u).cwiseAbs2();
    variances_ /= static_cast<double>(sieve_groups * (sieve_groups - 1));
    error_.sampling = variances_.sum();
    const Index beyond = batch.noise.size() - m();
    const double gain = batch.beyond.squaredNorm() - batch.noise.tail(beyond).sum();
    error_.basis = std::max({0.0, gain, unseen(batch)});
    // The sum over many functions is uncertain itself: Var |c|² ≤ 2 noise² + 4 |c|² noise each.
    const double z = normal_quantile(options_.confidence);
    const auto beyond_noise = batch.noise.tail(beyond);
    const double doubt =
        z * std::sqrt(2 * beyond_noise.squaredNorm() +
                      4 * std::max(0.0, gain) * (beyond > 0 ? beyond_noise.maxCoeff() : 0.0));
    error_.optimisation = systematic_;
    upper_factor_ = chi_squared_factor();
    // Early stages still move, and the last one may show that.
    error_.upper = stage_ < least_stages || drifting_
                       ? infinity
                       : std::sqrt(upper_factor_ * error_.sampling + error_.basis + doubt +
                                   error_.optimisation);
  }

  // The part of the error beyond the basis that the probe shows with confidence, whether or not any
  // function next to the basis does: its share of the residual, less that of the basis itself.
  [[nodiscard]] double unseen(const SieveBatch& batch) const {
    const double found = batch.probed.squaredNorm() - batch.probe_noise.sum();
    const double inside = previous_.squaredNorm() - batch.noise.head(m()).sum();
    const double doubt =
        std::sqrt(2 * (batch.probe_noise.squaredNorm() + batch.noise.head(m()).squaredNorm()) +
                  4 * std::max(0.0, found) * batch.probe_noise.maxCoeff());
    const double beyond = found - std::max(0.0, inside);
    return beyond > normal_quantile(options_.confidence) * doubt ? beyond : 0;
  }

  // Upper quantile of a sum of squared normal errors of these variances, relative to its mean: that
  // of χ²/k with Satterthwaite's k, by Wilson and Hilferty's approximation. The squares of
  // estimated variances are too large by 1 + 2/(groups − 1).
  [[nodiscard]] double chi_squared_factor() const {
    const double z = normal_quantile(options_.confidence);
    const double k = (1 + 2.0 / (sieve_groups - 1)) * std::pow(variances_.sum(), 2) /
                     std::max(variances_.squaredNorm(), 1e-300);
    const double part = 2 / (9 * std::max(1.0, k));
    return std::pow(1 - part + z * std::sqrt(part), 3);
  }

  void record(Index samples) {
    IterationRecord stage{.k = stage_,
                          .basis_size = m(),
                          .samples = samples,
                          .step = damping_,
                          .gradient_norm = previous_.norm()};
    stage.true_error = validation_.error(run_.basis, run_.u, executor_);
    stage.estimate = std::sqrt(error_.squared());
    stage.basis = std::sqrt(error_.basis);
    stage.sampling = std::sqrt(error_.sampling);
    stage.optimisation = std::sqrt(error_.optimisation);
    monitor_.record(std::move(stage), {}, run_, "sieve");
  }

  void grow(const Basis& wide, const SieveBatch& batch) {
    if (error_.basis <= std::max(0.5 * error_.sampling, negligible * std::pow(target(), 2))) return;
    const Index before = m(), beyond = wide.size() - before;
    const Gains gains{batch.beyond.rowwise().squaredNorm(), batch.noise.tail(beyond)};
    const std::vector<Index> marked =
        mark(gains, {.clear = std::max(clear, noise_maximum(beyond, run_.u.cols())),
                     .bulk = bulk,
                     .always = 0,
                     .most = std::max<Index>(1, before / 2)});
    if (marked.empty()) return;
    IndexSet indices = run_.basis.indices();
    for (const Index i : marked) indices.add_closed(wide.indices()[before + i]);
    run_.basis = Basis(run_.basis.families(), std::move(indices));
    const auto extend = [&](Coefficients& u) {
      u.conservativeResize(run_.basis.size(), Eigen::NoChange);
      u.bottomRows(run_.basis.size() - before).setZero();
    };
    extend(run_.u);
    extend(previous_);
    extend(path_);
    extend(path_variance_);
    for (Coefficients& replicate : run_.replicates) extend(replicate);
    learnt_.conservativeResize(run_.basis.size());
    learnt_.tail(run_.basis.size() - before).setZero();
  }

  // ‖∇f(x_u)‖_π from fresh samples of π with two independent draws of the noise each: the product
  // of the two gradients has no bias from the noise.
  void certify() {
    if (!oracle_.facts().strong_convexity) return;
    const Index blocks = std::max(least_certificate, run_.gradients / 20) / block_size;
    if (run_.gradients + 2 * blocks * block_size > options_.max_gradients) return;
    const Vector products =
        paired_products(oracle_, run_.basis, run_.u, options_.seed, blocks, executor_);
    run_.gradients += 2 * products.size();
    gradient_upper_ = std::sqrt(std::max(0.0, upper_mean(products, options_.confidence)));
  }

  void finish() {
    set_constants(oracle_.facts(), seen_, run_);
    if (is_failure(run_.status) || run_.history.empty()) return;
    const double rest = error_.basis + error_.optimisation;
    set_error({.estimate = std::sqrt(error_.squared()),
               .basis = std::sqrt(error_.basis),
               .sampling = std::sqrt(error_.sampling),
               .optimisation = std::sqrt(error_.optimisation),
               .bound = {},
               .components =
                   (variances_.colwise().sum().array() + rest / static_cast<double>(run_.u.cols()))
                       .sqrt()
                       .matrix()
                       .transpose(),
               .confidence = options_.confidence},
              oracle_.facts(), seen_, curvature_slack, gradient_upper_, run_);
  }

  const Oracle& oracle_;
  const Options& options_;
  Monitor& monitor_;
  Executor& executor_;
  Run& run_;
  Validation validation_;
  Probe probe_;

  Index stage_ = 1;
  std::optional<LocalMetric> metric_;
  std::int64_t metric_made_at_ = 0;    // gradients
  Vector learnt_;                      // N_i
  Coefficients variances_;             // of u
  Coefficients scatter_;               // variances of the last step
  Coefficients previous_;              // Δ of the stage before
  Coefficients path_, path_variance_;  // D, and the variances of its entries
  double damping_ = 1;
  bool drifting_ = false;  // the last step went on in the direction of the one before
  double systematic_ = 0;  // of the last step, what is still to come
  double upper_factor_ = 1, smallest_ = infinity;
  StageError error_;
  CurvatureSeen seen_;
  std::optional<double> gradient_upper_;
};

}  // namespace

void solve_sieve(const Oracle& oracle, const Options& options, Monitor& monitor, Executor& executor,
                 Run& run) {
  Sieve(oracle, options, monitor, executor, run).solve();
}

}  // namespace chaosgrad::internal
