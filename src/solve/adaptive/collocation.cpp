// Deterministic gradients: separate optimisations at samples of θ, started from the expansion
// fitted so far, and weighted least squares through their results. Samples, basis and accuracy grow
// together until the error, measured on samples that the fit has not seen, is below the tolerance.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimate/kernels.h"
#include "estimate/sample_source.h"
#include "solve/adaptive/adaptive_state.h"
#include "solve/adaptive/goal.h"
#include "solve/adaptive/growth.h"
#include "solve/adaptive/inverse_model.h"
#include "solve/adaptive/mixture.h"
#include "solve/adaptive/validation.h"
#include "solve/adaptive/weighted_fit.h"
#include "solve/solvers.h"

namespace chaosgrad {
namespace {

constexpr double difference_step = 1e-5;  // relative, for the Hessian at the nominal point
constexpr double asymmetry_limit = 1e-2;
constexpr double curvature_slack = 1e-3;
constexpr double accuracy = 0.15;       // of the points, relative to the error of the expansion
constexpr double measure_share = 0.75;  // samples from π per basis function
constexpr Index first_from_measure = 12, least_from_measure = 6;
constexpr Index first_quota = 3;  // samples from each induced density
constexpr Index most_quota = 8;
constexpr double worst_condition = 1e-4;  // of the Gram matrix
constexpr Index least_test = 32;          // fresh samples that confirm convergence
constexpr double bulk = 0.7;
constexpr double significance = 4;       // of a coefficient, over the noise of the fit
constexpr double least_explained = 0.3;  // of the residual by the candidates, or more are tried
// New points are trusted after one step once this many others all shortened their next step this
// much.
constexpr Index enough_ratios = 6;
constexpr double trusted_ratio = 0.15;
constexpr Index most_stages = 400;

class Collocation {
 public:
  Collocation(const Oracle& oracle, const Options& options, Monitor& monitor, Executor& executor,
              Run& run)
      : oracle_(oracle),
        options_(options),
        monitor_(monitor),
        executor_(executor),
        run_(run),
        sampler_(oracle.parameters(), options.seed),
        validation_(oracle, options.seed),
        gradient_{[&oracle](Block x, Block theta, BlockOut g) {
                    oracle.gradient(x, theta, Matrix(x.rows(), 0), g);
                  },
                  oracle.facts().draws} {}

  void solve() {
    if (options_.resume) {
      restore(*options_.resume);
    } else if (!start()) {
      return;
    }
    for (; stage_ <= most_stages; ++stage_) {
      save();
      monitor_.checkpoint(run_, [] {});
      if (!affords(new_samples() + points_.size() / 4)) return finish();
      draw();
      if (!polish_points() || !fit()) return finish();
      if (error_.upper <= target() && confirmed()) return finish();
      if (is_failure(run_.status) || !grow()) return finish();
    }
    run_.status = Status::stalled;
    run_.stop_reason = fmt::format("the tolerance was not reached in {} stages", most_stages);
    finish();
  }

 private:
  struct StageError {
    double squared = std::numeric_limits<double>::infinity();  // leave-one-out
    double upper = std::numeric_limits<double>::infinity();    // limit of its root, with confidence
    double basis = 0, sampling = 0, optimisation = 0;          // norms
    Vector components;
  };

  [[nodiscard]] double target() const { return absolute_tolerance(options_, run_.u.norm()); }
  [[nodiscard]] Index m() const { return run_.basis.size(); }
  // Of the gradient at this many points.
  [[nodiscard]] std::int64_t price(Index points) const { return points * gradient_.draws; }
  [[nodiscard]] bool affords(Index points) {
    return monitor_.may_continue(stage_, price(points), run_);
  }

  // All that the stage to come rests on. A run that ends within a stage resumes at its beginning.
  void save() {
    SolverState& state = run_.state;
    state.set_integer("stage", stage_);
    state.set_integer("gradients", run_.gradients);
    state.arrays["u"] = run_.u;
    chaosgrad::save(run_.basis.indices(), state);
    chaosgrad::save(points_, state);
    chaosgrad::save(model_->mean(), state);
    chaosgrad::save(seen_, state);
    state.set_integer("from_measure", mixture_.from_measure);
    state.integers["induced"].assign(mixture_.induced.begin(), mixture_.induced.end());
    state.set_integer("quota", quota_);
    state.set_integer("idle_stages", idle_stages_);
    state.set_number("contraction", contraction_);
    state.set_number("far", far_);
    state.arrays["error"].resize(1, 5);
    state.arrays["error"] << error_.squared, error_.upper, error_.basis, error_.sampling,
        error_.optimisation;
    state.arrays["error_components"] = error_.components.transpose();
  }

  void restore(const Run& before) {
    const SolverState& state = before.state;
    stage_ = state.integer("stage");
    run_.history = before.history;
    while (!run_.history.empty() && run_.history.back().k >= stage_) run_.history.pop_back();
    // What a finished stage has spent is spent, although it is done again.
    const bool finished = before.status == Status::converged || before.status == Status::stalled;
    run_.gradients = finished ? before.gradients : state.integer("gradients");
    run_.u = state.array("u");
    run_.basis = Basis(run_.basis.families(), restore_indices(state));
    points_ = restore_points(state);
    model_.emplace(restore_curvature(state));
    seen_ = restore_seen(state);
    mixture_.from_measure = state.integer("from_measure");
    const std::vector<std::int64_t>& induced = state.integer_list("induced");
    mixture_.induced.assign(induced.begin(), induced.end());
    quota_ = state.integer("quota");
    idle_stages_ = state.integer("idle_stages");
    contraction_ = state.number("contraction");
    far_ = state.number("far");
    const Coefficients& error = state.array("error");
    error_ = {error(0), error(1), error(2),
              error(3), error(4), state.array("error_components").transpose()};
  }

  // The nominal point (the median of every germ): its Hessian, and its optimum as first prediction.
  bool start() {
    const Index d = oracle_.parameters().dimension();
    Matrix eta = Matrix::Constant(1, d, 0.5);
    oracle_.parameters().germ_from_uniform(eta, eta);
    Points nominal;
    nominal.append(eta, sampler_.parameters(eta), oracle_.facts().start.transpose());
    if (!take(evaluate(gradient_, 0, nominal, executor_))) return false;
    if (!measure(nominal)) return false;
    const double first_step = model_->mean().solve(nominal.g).norm();
    far_ = 1e8 * (1 + nominal.x.norm() + first_step);
    const PointReport report =
        polish(gradient_, *model_, {.tolerance = 1e-3 * first_step, .most_steps = 60, .far = far_},
               0, nominal, executor_);
    if (!take(report)) return false;
    if (report.worst_ratio > 0.3) {  // not quadratic: the Hessian of the start is not that here
      nominal.x = nominal.value;
      if (!measure(nominal)) return false;
    }
    run_.basis = Basis(run_.basis.families(),
                       IndexSet::first(d, 1, limited_order(run_.basis.families(), {})));
    run_.u = nominal.value;
    const auto size = static_cast<Index>(
        std::min(function_count(run_.basis.families()), static_cast<double>(1 + d)));
    run_.basis =
        Basis(run_.basis.families(),
              IndexSet::first(d, size, limited_order(run_.basis.families(), options_.order)));
    mixture_.induced.assign(static_cast<std::size_t>(size), 0);
    return true;
  }

  // The Hessian at the nominal point.
  bool measure(const Points& nominal) {
    const Matrix theta = nominal.theta;
    const auto gradient = [&](const Vector& x) -> Vector {
      Matrix g(1, x.size());
      gradient_.call(x.transpose(), theta, g);
      run_.gradients += gradient_.draws;
      return g.row(0).transpose();
    };
    Curvature curvature =
        measure_curvature(gradient, nominal.x.row(0).transpose(), difference_step, options_.seed);
    if (!curvature.eigenvalues.allFinite()) {
      run_.status = Status::bad_gradient;
      run_.stop_reason = "the gradient is not finite near the start";
      return false;
    }
    seen_.see_lowest(curvature.lowest(), place(theta.row(0).transpose()));
    seen_.see_highest(curvature.highest(), place(theta.row(0).transpose()));
    if (fails_as_gradient(curvature, asymmetry_limit, run_) || fails_convexity(seen_, run_))
      return false;
    model_.emplace(std::move(curvature));
    return true;
  }

  // Takes note of what the points have shown; false if that ends the run.
  bool take(const PointReport& report) {
    run_.gradients += report.gradients;
    if (report.bad_theta) {
      run_.status = Status::bad_gradient;
      run_.stop_reason = fmt::format("the gradient is not finite {}", place(*report.bad_theta));
      return false;
    }
    if (report.far_theta.size() > 0) {
      run_.status = Status::diverged;
      run_.stop_reason = fmt::format("the iterates run away {}: has the objective a minimum there?",
                                     place(report.far_theta));
      return false;
    }
    if (report.lowest_theta.size() > 0) see_steps(report);
    return !fails_convexity(seen_, run_);
  }

  void see_steps(const PointReport& report) {
    seen_.see_lowest(report.lowest_curvature, place(report.lowest_theta));
    seen_.see_highest(report.highest_curvature, report.highest_theta.size() > 0
                                                    ? place(report.highest_theta)
                                                    : std::string{});
  }

  [[nodiscard]] Index missing_from_measure() const {
    const auto wanted = static_cast<Index>(measure_share * static_cast<double>(m()));
    return std::max(least_from_measure,
                    std::max(first_from_measure, wanted) - mixture_.from_measure);
  }

  [[nodiscard]] Index new_samples() const {
    Index count = missing_from_measure();
    for (const Index drawn : mixture_.induced) count += std::max<Index>(0, quota_ - drawn);
    return count;
  }

  // New samples, each predicted by the expansion so far.
  void draw() {
    const Index fresh = missing_from_measure();
    append(sampler_.from_measure(mixture_.from_measure, fresh));
    mixture_.from_measure += fresh;
    const Index before = mixture_.size() - mixture_.from_measure;
    std::vector<MultiIndex> densities;
    for (Index i = 0; i < m(); ++i) {
      Index& have = mixture_.induced[static_cast<std::size_t>(i)];
      for (; have < quota_; ++have) densities.push_back(run_.basis.indices()[i]);
    }
    if (!densities.empty()) append(sampler_.induced(before, run_.basis.families(), densities));
  }

  void append(const Matrix& eta) {
    const Matrix prediction = basis_table(run_.basis, eta, run_.u.rows(), executor_) * run_.u;
    points_.append(eta, sampler_.parameters(eta), prediction);
  }

  bool polish_points() {
    if (stage_ > 1) model_->fit(run_.basis, run_.u, points_);
    const PointReport first = evaluate(gradient_, 0, points_, executor_);
    if (!take(first)) return false;
    if (!std::isfinite(error_.squared)) {  // nothing measured yet: the size of the first steps
      Matrix steps(points_.size(), points_.x.cols());
      model_->apply(points_.eta, points_.g, steps);
      error_.squared = steps.squaredNorm() / static_cast<double>(points_.size()) / 9;
    }
    const double level = std::max(std::sqrt(error_.squared), 0.5 * target());
    const PointReport report = polish_from(0, accuracy * level);
    if (report.ratios >= enough_ratios)
      contraction_ = report.worst_ratio <= trusted_ratio ? report.worst_ratio : 1;
    error_.optimisation = std::sqrt(report.remaining_squares / static_cast<double>(points_.size()));
    return take(report);
  }

  PointReport polish_from(Index first, double tolerance) {
    const std::int64_t left = options_.max_gradients - run_.gradients;
    const auto affordable = static_cast<int>(
        std::clamp<std::int64_t>(left / std::max<Index>(1, price(points_.size() - first)), 0, 60));
    return polish(gradient_, *model_,
                  {.tolerance = tolerance,
                   .contraction = contraction_ < 1 ? std::optional(contraction_) : std::nullopt,
                   .most_steps = affordable,
                   .far = far_},
                  first, points_, executor_);
  }

  // Least squares on the mixture. Where its matrix is badly conditioned more samples help.
  bool fit() {
    for (;;) {
      const Matrix psi = basis_table(run_.basis, points_.eta, m(), executor_);
      weights_ = mixture_.weights(psi);
      fit_ = fit_weighted(psi, weights_, points_.value, executor_);
      if (fit_.condition >= worst_condition) break;
      if (quota_ >= most_quota) {
        run_.status = Status::stalled;
        run_.stop_reason = "the samples do not determine the coefficients";
        return false;
      }
      ++quota_;
      draw();
      if (!polish_points()) return false;
    }
    run_.u = fit_.u;
    measure_error();
    record();
    return true;
  }

  void measure_error() {
    const auto n = static_cast<double>(points_.size()), free = n - static_cast<double>(m());
    const Vector squares = fit_.left_out_squares(weights_);
    const Vector slack = (1 - fit_.leverages.array()).max(0.02).square();
    error_.squared = squares.mean() + std::pow(error_.optimisation, 2);
    error_.upper =
        std::sqrt(upper_mean(squares, options_.confidence) + std::pow(error_.optimisation, 2));
    const double residual =
        (weights_.array() * fit_.residuals.rowwise().squaredNorm().array()).sum() /
        std::max(1.0, free);
    error_.basis = std::sqrt(std::min(residual, squares.mean()));
    error_.sampling = std::sqrt(std::max(0.0, squares.mean() - residual));
    error_.components =
        ((weights_.array() / slack.array()).matrix().asDiagonal() * fit_.residuals.cwiseAbs2())
            .colwise()
            .mean()
            .cwiseSqrt()
            .transpose();
  }

  void record() {
    IterationRecord stage{
        .k = stage_,
        .basis_size = m(),
        .samples = points_.size(),
        .step = 1,
        .gradient_norm = std::sqrt(points_.g.squaredNorm() / static_cast<double>(points_.size()))};
    stage.true_error = validation_.error(run_.basis, run_.u, executor_);
    stage.estimate = std::sqrt(error_.squared);
    stage.basis = error_.basis;
    stage.sampling = error_.sampling;
    stage.optimisation = error_.optimisation;
    monitor_.record(std::move(stage), {}, run_, "collocation");
  }

  // Fresh samples from π confirm the error, or join the others. Their gradients at the expansion
  // also give the bound.
  bool confirmed() {
    const Index n = std::max(least_test, points_.size() / 8), first = points_.size();
    if (!affords(2 * n)) return true;
    append(sampler_.from_measure(mixture_.from_measure, n));
    const Matrix predicted = points_.value.bottomRows(n);
    if (!take(evaluate(gradient_, first, points_, executor_))) return true;
    const Vector gradients = points_.g.bottomRows(n).rowwise().squaredNorm();
    if (!take(polish_from(first, accuracy * target()))) return true;
    const Vector tested = (points_.value.bottomRows(n) - predicted).rowwise().squaredNorm();
    Vector pooled(first + n);
    pooled << fit_.left_out_squares(weights_), tested;
    const double upper =
        std::sqrt(upper_mean(pooled, options_.confidence) + std::pow(error_.optimisation, 2));
    if (!(upper <= target()) || !(std::sqrt(tested.mean()) <= target())) {
      mixture_.from_measure += n;
      return false;
    }
    error_.squared = pooled.mean() + std::pow(error_.optimisation, 2);
    run_.status = Status::converged;
    run_.stop_reason = fmt::format(
        "the error estimate {:.3g} (at most {:.3g} with confidence {:.3g}) is within the tolerance "
        "{:.3g}; {} fresh samples agree",
        std::sqrt(error_.squared), upper, options_.confidence, target(), n);
    gradient_upper_ = std::sqrt(upper_mean(gradients, options_.confidence));
    return true;
  }

  // Adds the functions that the residual asks for. Where it asks for none, more samples.
  bool grow() {
    const double noise_floor = error_.squared / static_cast<double>(points_.size());
    struct Search {
      double limit;
      int reach;
    };
    for (const auto& [limit, reach] : {Search{significance, 1}, {significance, 2}, {0, 2}}) {
      std::vector<char> significant;
      for (Index i = 0; i < m(); ++i)
        significant.push_back(i == 0 || run_.u.row(i).squaredNorm() >= limit * noise_floor);
      const std::vector<MultiIndex> beyond =
          candidates(run_.basis.indices(), significant, run_.basis.families(), reach);
      if (beyond.empty()) continue;
      const Basis wide = widened(run_.basis, beyond);
      const Gains gains = score(wide);
      const std::vector<Index> marked =
          mark(gains, {.clear = noise_maximum(gains.signal.size(), run_.u.cols()),
                       .bulk = bulk,
                       .always = std::max<Index>(2, m() / 8),
                       .most = m() / 2 + 8});
      const bool enough = gains.total() > least_explained * std::pow(error_.basis, 2);
      if (marked.empty() || (!enough && limit > 0)) continue;
      extend(wide, marked);
      idle_stages_ = 0;
      return true;
    }
    quota_ = std::min(quota_ + 1, most_quota);
    if (++idle_stages_ <= 6) return true;
    run_.status = Status::stalled;
    run_.stop_reason = fmt::format(
        "the error estimate stays at {:.3g}: neither more functions nor more samples lower it "
        "(the families end, or the gradient is not accurate enough)",
        std::sqrt(error_.squared));
    return false;
  }

  // Residual against the functions beyond the basis, over the points of the fit.
  [[nodiscard]] Gains score(const Basis& wide) const {
    struct Sums {
      Coefficients signal;
      Vector noise;
    };
    const Index n = fit_.residuals.rows(), total = wide.size(), q = fit_.residuals.cols();
    const Sums sums = executor_.reduce(
        (n + block_size - 1) / block_size,
        [&](Index block) {
          const Index first = block * block_size, count = std::min(block_size, n - first);
          BasisBlock psi;
          wide.evaluate(points_.eta.middleRows(first, count), total, psi);
          Sums part{Coefficients::Zero(total, q), Vector::Zero(total)};
          const Matrix weighted =
              weights_.segment(first, count).asDiagonal() * fit_.residuals.middleRows(first, count);
          project(psi, weighted, part.signal);
          const Vector squares = weighted.rowwise().squaredNorm();
          for (Index j = m(); j < total; ++j) {
            for (Index i = 0; i < count; ++i) part.noise(j) += squares(i) * psi(i, j) * psi(i, j);
          }
          return part;
        },
        [](Sums& left, Sums&& right) {
          left.signal += right.signal;
          left.noise += right.noise;
        });
    const Index beyond = total - m();
    const auto count = static_cast<double>(n);
    return {sums.signal.bottomRows(beyond).rowwise().squaredNorm() / (count * count),
            sums.noise.tail(beyond) / (count * count)};
  }

  void extend(const Basis& wide, const std::vector<Index>& marked) {
    IndexSet indices = run_.basis.indices();
    const Index before = m();
    for (const Index i : marked) indices.add_closed(wide.indices()[before + i]);
    run_.basis = Basis(run_.basis.families(), std::move(indices));
    mixture_.induced.resize(static_cast<std::size_t>(m()), 0);
  }

  // The basis as far as there are coefficients, the error, the constants.
  void finish() {
    const std::vector<MultiIndex>& all = run_.basis.indices().indices();
    run_.basis =
        Basis(run_.basis.families(), IndexSet::from({all.begin(), all.begin() + run_.u.rows()}));
    set_constants(oracle_.facts(), seen_, run_);
    if (is_failure(run_.status) || run_.history.empty()) return;
    ErrorEstimate error{.estimate = std::sqrt(error_.squared),
                        .basis = error_.basis,
                        .sampling = error_.sampling,
                        .optimisation = error_.optimisation,
                        .bound = {},
                        .components = error_.components,
                        .confidence = options_.confidence};
    if (!contradicts_facts(oracle_.facts(), seen_, curvature_slack, run_) &&
        oracle_.facts().strong_convexity && gradient_upper_) {
      error.bound = std::max(*gradient_upper_ / *oracle_.facts().strong_convexity, *error.estimate);
    }
    run_.error = std::move(error);
  }

  const Oracle& oracle_;
  const Options& options_;
  Monitor& monitor_;
  Executor& executor_;
  Run& run_;
  MixtureSampler sampler_;
  Validation validation_;
  PointGradient gradient_;

  Index stage_ = 1;
  Points points_;
  Mixture mixture_;
  Index quota_ = first_quota, idle_stages_ = 0;
  double contraction_ = 1, far_ = 1e100;
  std::optional<InverseModel> model_;
  WeightedFit fit_;
  Vector weights_;
  StageError error_;
  CurvatureSeen seen_;
  std::optional<double> gradient_upper_;  // of ‖∇f(x_u)‖_π, with confidence
};

}  // namespace

void solve_collocation(const Oracle& oracle, const Options& options, Monitor& monitor,
                       Executor& executor, Run& run) {
  Collocation(oracle, options, monitor, executor, run).solve();
}

}  // namespace chaosgrad
