#include "solve/collocation/collocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "random/random.h"
#include "solve/common/saved_state.h"

namespace chaosgrad::internal {
namespace {

constexpr double asymmetry_limit = 1e-2;
constexpr double curvature_slack = 1e-3;
constexpr double accuracy = 0.15;  // of the points, relative to the error of the expansion
constexpr double stagnation = 0.8, tightening = 0.3;
// Fresh samples that confirm convergence: as many as it takes to be sure, between these.
constexpr Index first_test = 8, most_test = 32;
constexpr double contradiction = 4;  // of squared errors
constexpr double outlier = 6;        // squared error, relative to the mean
constexpr char most_doubts = 2;      // of a point: optima with kinks have outliers of their own
constexpr double wildest = 3;  // a prediction, relative to all that is known: else extrapolation
// New points are trusted after one step once enough others all shortened their next step this much:
// a few where the Hessian hardly varies, more otherwise. Some still take a second step, to see.
constexpr Index scouts = 4, few_ratios = 3, enough_ratios = 6;
constexpr double tiny_ratio = 0.01, trusted_ratio = 0.15;
constexpr Index most_stages = 400;
constexpr double never = 1e-9;  // a probability

}  // namespace

Collocation::Collocation(const Oracle& oracle, const Options& options, Monitor& monitor,
                         Executor& executor, Run& run)
    : oracle_(oracle),
      options_(options),
      executor_(executor),
      run_(run),
      sampler_(oracle.parameters(), options.seed),
      monitor_(monitor),
      validation_(oracle, options.seed),
      gradient_{[&oracle](Block x, Block theta, BlockOut g) {
                  oracle.gradient(x, theta, Matrix(x.rows(), 0), g);
                },
                oracle.facts().draws} {}

void Collocation::solve() {
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
    if (stage_ > 1) choose_level();
    do {
      if (!polish_points() || !fit()) return finish();
    } while (doubt_outliers());
    record();
    if (error_.upper <= target() && confirmed()) return finish();
    if (is_failure(run_.status) || !grow()) return finish();
  }
  stall(fmt::format("the tolerance was not reached in {} stages", most_stages));
  finish();
}

bool Collocation::affords(Index points) {
  return monitor_.may_continue(stage_, price(points), run_);
}

bool Collocation::stall(std::string reason) {
  run_.status = Status::stalled;
  run_.stop_reason = std::move(reason);
  return false;
}

// All that the stage to come rests on. A run that ends within a stage resumes at its beginning.
void Collocation::save() {
  SolverState& state = run_.state;
  state.set_integer("stage", stage_);
  state.set_integer("gradients", run_.gradients);
  state.arrays["u"] = run_.u;
  internal::save(run_.basis.indices(), state);
  internal::save(points_, state);
  internal::save(model_->mean(), state);
  internal::save(seen_, state);
  state.set_number("contraction", contraction_);
  state.set_number("level", level_);
  state.set_number("error_before", error_before_);
  state.set_number("far", far_);
  state.arrays["error"].resize(1, 5);
  state.arrays["error"] << error_.squared, error_.upper, error_.basis, error_.sampling,
      error_.optimisation;
  state.arrays["error_components"] = error_.components.transpose();
  save_design(state);
}

void Collocation::restore(const Run& before) {
  const SolverState& state = before.state;
  stage_ = restore_stages(before, run_);
  run_.u = state.array("u");
  run_.basis = Basis(run_.basis.families(), restore_indices(state));
  points_ = restore_points(state);
  model_.emplace(restore_curvature(state));
  seen_ = restore_seen(state);
  contraction_ = state.number("contraction");
  level_ = state.number("level");
  error_before_ = state.number("error_before");
  far_ = state.number("far");
  const Coefficients& error = state.array("error");
  error_ = {.squares = {},
            .squared = error(0),
            .upper = error(1),
            .basis = error(2),
            .sampling = error(3),
            .optimisation = error(4),
            .components = state.array("error_components").transpose()};
  restore_design(state);
}

// The nominal point (the median of every germ): its Hessian, and its optimum as first prediction.
bool Collocation::start() {
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
      polish(gradient_, *model_, {.tolerance = 1e-3 * first_step, .far = far_}, {0, 1}, nominal,
             executor_);
  if (!take(report)) return false;
  if (report.worst_ratio > 0.3) {  // not quadratic: the Hessian of the start is not that here
    nominal.x = nominal.value;
    nominal.evaluated[0] = 0;
    if (!take(evaluate(gradient_, 0, nominal, executor_)) || !measure(nominal)) return false;
  }
  run_.u = nominal.value;
  begin(nominal);
  return true;
}

// The Hessian at the nominal point, whose gradient is known.
bool Collocation::measure(const Points& nominal) {
  const Matrix theta = nominal.theta;
  const Vector centre = nominal.x.row(0).transpose();
  const auto gradient = [&](const Vector& x) -> Vector {
    if (x == centre) return nominal.g.row(0).transpose();
    Matrix g(1, x.size());
    gradient_.call(x.transpose(), theta, g);
    run_.gradients += gradient_.draws;
    return g.row(0).transpose();
  };
  Curvature curvature =
      measure_curvature(gradient, centre, false, make_stream(options_.seed, Purpose::krylov));
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

// High degrees need points where θ practically never is. A failure there ends the run, but does not
// spoil what it has.
bool Collocation::fail(Status status, const Vector& theta, std::string reason) {
  for (Index k = 0; k < theta.size() && !run_.history.empty(); ++k) {
    const Distribution& marginal = oracle_.parameters().marginals()[static_cast<std::size_t>(k)];
    const double below = marginal.cdf(theta(k));
    if (std::min(below, 1 - below) < never && !marginal.is_discrete())
      return stall(reason + "; more functions would need points so far out");
  }
  run_.status = status;
  run_.stop_reason = std::move(reason);
  return false;
}

// Takes note of what the points have shown; false if that ends the run.
bool Collocation::take(const PointReport& report) {
  run_.gradients += report.gradients;
  if (report.bad_theta) {
    return fail(Status::bad_gradient, *report.bad_theta,
                fmt::format("the gradient is not finite {}", place(*report.bad_theta)));
  }
  if (report.far_theta.size() > 0) {
    return fail(Status::diverged, report.far_theta,
                fmt::format("the iterates run away {}: has the objective a minimum there?",
                            place(report.far_theta)));
  }
  if (report.lowest_theta.size() > 0) {
    seen_.see_lowest(report.lowest_curvature, place(report.lowest_theta));
    seen_.see_highest(report.highest_curvature, report.highest_theta.size() > 0
                                                    ? place(report.highest_theta)
                                                    : std::string{});
  }
  return !fails_convexity(seen_, run_);
}

Matrix Collocation::append(const Matrix& eta) {
  const Matrix prediction = basis_table(run_.basis, eta, run_.u.rows(), executor_) * run_.u;
  Matrix start = prediction;
  const double known =
      points_.size() > 0 ? points_.value.rowwise().norm().maxCoeff() : prediction.norm();
  for (Index i = 0; i < start.rows(); ++i) {
    if (start.row(i).norm() <= wildest * known || points_.size() == 0) continue;
    start.row(i) = points_.value.row(nearest(eta.row(i), points_.size()));
  }
  points_.append(eta, sampler_.parameters(eta), start);
  return prediction;
}

// The nearest of the first `count` points.
Index Collocation::nearest(const Matrix& eta, Index count) const {
  Index found = 0;
  (points_.eta.topRows(count).rowwise() - eta.row(0)).rowwise().squaredNorm().minCoeff(&found);
  return found;
}

// ∇f at the points that do not have it, the last ones. Where the prediction was a bad start, the
// nearest point that is known lends its optimum. False if that ends the run.
bool Collocation::evaluate_points() {
  const auto known =
      static_cast<Index>(std::count(points_.evaluated.begin(), points_.evaluated.end(), char{1}));
  PointReport report = evaluate(gradient_, known, points_, executor_);
  const std::vector<Index> bad = bad_starts(known);
  if (bad.empty()) return take(report);
  run_.gradients += report.gradients;
  for (const Index i : bad) {
    points_.value.row(i) = points_.value.row(nearest(points_.eta.row(i), known));
    points_.evaluated[static_cast<std::size_t>(i)] = 0;
  }
  return take(evaluate(gradient_, known, points_, executor_));
}

// Points beyond the known ones where ∇f is not finite, or the first step would lead far beyond all
// known optima.
std::vector<Index> Collocation::bad_starts(Index known) const {
  const Index fresh = points_.size() - known;
  if (known == 0 || fresh == 0) return {};
  const double size = points_.value.topRows(known).rowwise().norm().maxCoeff();
  const double longest = size > 0 ? wildest * size : infinity;
  Matrix steps(fresh, points_.x.cols());
  model_->apply(points_.eta.bottomRows(fresh), points_.g.bottomRows(fresh), steps);
  std::vector<Index> bad;
  for (Index i = 0; i < fresh; ++i) {
    const bool finite = points_.evaluated[static_cast<std::size_t>(known + i)];
    if (!finite || steps.row(i).norm() > longest) bad.push_back(known + i);
  }
  return bad;
}

// The points need not be much better than the expansion. But where its error does not go down they
// may be what holds it up: their own errors are estimates.
void Collocation::choose_level() {
  const double error = std::sqrt(error_.squared);
  if (error > stagnation * error_before_) level_ *= tightening;
  level_ = std::min(level_, error);
  error_before_ = error;
}

bool Collocation::polish_points() {
  if (stage_ > 1) model_->fit(run_.basis, run_.u, points_);
  if (!evaluate_points()) return false;
  if (!std::isfinite(error_.squared)) {  // nothing measured yet: the size of the first steps
    Matrix steps(points_.size(), points_.x.cols());
    model_->apply(points_.eta, points_.g, steps);
    error_.squared = steps.squaredNorm() / static_cast<double>(points_.size()) / 9;
  }
  if (stage_ == 1) level_ = std::sqrt(error_.squared);
  const double tolerance = accuracy * std::max(level_, 0.5 * target());
  PointReport report;
  if (contraction_ == 1 &&
      !polish_range({0, std::min(scouts, points_.size())}, tolerance, 1, report))
    return false;
  const Index probe_every = contraction_ <= tiny_ratio ? 12 : 4;
  if (!polish_range({0, points_.size()}, tolerance, probe_every, report)) return false;
  error_.optimisation = std::sqrt(report.remaining_squares / static_cast<double>(points_.size()));
  return true;
}

// A point that the fit hardly explains takes another step, whatever its own account: two steps may
// shrink because the first went along the stiff directions. One bad point would make the error look
// large, and thereby all points good enough.
bool Collocation::doubt_outliers() {
  const double limit = outlier * error_.squares.mean();
  bool found = false;
  for (Index i = 0; i < error_.squares.size(); ++i) {
    const auto point = static_cast<std::size_t>(i);
    if (points_.doubts[point] == most_doubts || !(error_.squares(i) > limit)) continue;
    points_.ratios[point] = Points::doubted;
    ++points_.doubts[point];
    found = true;
  }
  return found;
}

void Collocation::learn_contraction(const PointReport& report) {
  double worst = report.worst_ratio;
  if (report.ratios < enough_ratios) {
    const bool known = contraction_ < 1;
    if (!known && !(report.ratios >= few_ratios && worst <= tiny_ratio)) return;
    if (known) worst = std::max(worst, contraction_);
  }
  contraction_ = worst <= trusted_ratio ? worst : 1;
}

// As far as the budget goes; false if that, or what the points show, ends the run. A stage that the
// budget cuts short is done again, and whole, when the run is resumed.
bool Collocation::polish_range(PointRange range, double tolerance, Index probe_every,
                               PointReport& report) {
  const auto left = static_cast<double>(options_.max_gradients - run_.gradients);
  report = polish(gradient_, *model_,
                  {.tolerance = tolerance,
                   .contraction = contraction_ < 1 ? std::optional(contraction_) : std::nullopt,
                   .probe_every = probe_every,
                   .budget = left / static_cast<double>(range.count),
                   .far = far_},
                  range, points_, executor_);
  learn_contraction(report);
  if (!take(report)) return false;
  if (!report.out_of_budget) return true;
  run_.status = Status::out_of_gradients;
  run_.stop_reason =
      fmt::format("max_gradients = {} do not suffice for stage {}", options_.max_gradients, stage_);
  return false;
}

void Collocation::record() {
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
// also give the bound. The test goes on while it is undecided.
bool Collocation::confirmed() {
  const Index before = points_.size(), most = std::max(most_test, before / 8);
  Vector gradients, tested;
  for (Index n = std::min(first_test, most); tested.size() < most;
       n = std::min(tested.size(), most - tested.size())) {
    const Index first = points_.size();
    if (!affords(2 * n)) return true;
    const Matrix predicted = append(test_samples(first - before, n));
    if (!evaluate_points()) return true;
    gradients.conservativeResize(tested.size() + n);
    gradients.tail(n) = points_.g.bottomRows(n).rowwise().squaredNorm();
    PointReport report;
    if (!polish_range({first, n}, accuracy * target(), 4, report)) return true;
    tested.conservativeResize(tested.size() + n);
    tested.tail(n) = (points_.value.bottomRows(n) - predicted).rowwise().squaredNorm();
    // A test that contradicts the fit's own account of itself stands alone.
    const bool agree = tested.mean() <= contradiction * error_.squares.mean();
    Vector pooled(agree ? error_.squares.size() + tested.size() : tested.size());
    if (agree) {
      pooled << error_.squares, tested;
    } else {
      pooled = tested;
    }
    const double rest = std::pow(error_.optimisation, 2);
    const double upper = std::sqrt(upper_mean(pooled, options_.confidence) + rest);
    const double found = std::sqrt(tested.mean());
    if (found > target()) break;
    if (upper > target()) continue;
    error_.squared = pooled.mean() + rest;
    run_.status = Status::converged;
    run_.stop_reason = fmt::format(
        "the error estimate {:.3g} (at most {:.3g} with confidence {:.3g}) is within the tolerance "
        "{:.3g}; {} fresh samples agree",
        std::sqrt(error_.squared), upper, options_.confidence, target(), tested.size());
    gradient_upper_ = std::sqrt(upper_mean(gradients, options_.confidence));
    return true;
  }
  join(points_.size() - before);
  return false;
}

// The basis as far as there are coefficients, the error, the constants.
void Collocation::finish() {
  const std::vector<MultiIndex>& all = run_.basis.indices().indices();
  run_.basis =
      Basis(run_.basis.families(), IndexSet::from({all.begin(), all.begin() + run_.u.rows()}));
  set_constants(oracle_.facts(), seen_, run_);
  if (is_failure(run_.status) || run_.history.empty()) return;
  set_error({.estimate = std::sqrt(error_.squared),
             .basis = error_.basis,
             .sampling = error_.sampling,
             .optimisation = error_.optimisation,
             .bound = {},
             .components = error_.components,
             .confidence = options_.confidence},
            oracle_.facts(), seen_, curvature_slack, gradient_upper_, run_);
}

void solve_collocation(const Oracle& oracle, const Options& options, Monitor& monitor,
                       Executor& executor, Run& run) {
  const bool line = oracle.parameters().dimension() == 1;
  (line ? make_line_collocation : make_mixture_collocation)(oracle, options, monitor, executor, run)
      ->solve();
}

}  // namespace chaosgrad::internal
