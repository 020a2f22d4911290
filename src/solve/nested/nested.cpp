// The naive method: solve for many θ one by one, then fit the expansion to the solutions.
#include "solve/nested/nested.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "chaosgrad/error.h"
#include "numeric/decompositions.h"
#include "samples/basis_table.h"
#include "samples/parameters.h"
#include "solve/common/goal.h"
#include "solve/common/momentum.h"

namespace chaosgrad::internal {
namespace {

// Origin: 2^−40 of a step is no progress; as in solve/descent.
constexpr int most_shortenings = 40;

// All points side by side: N×d germs and parameters, N×q iterates.
struct PointIterates {
  Matrix eta, theta, x, previous, average;
  std::vector<char> active;
  Index next = 1;  // iteration
  // Where ∇f was finite last at each point; by what its steps are shortened because they left the
  // domain of F, which may happen most_shortenings times at a point; half of the last that did, which
  // no other may be longer than.
  Matrix inside;
  Vector shortening, reach;

  // n points from `first` on by themselves, without germs and averages; and back to where they were.
  [[nodiscard]] PointIterates part(Index first, Index n) const {
    PointIterates part;
    for (const auto matrix : {&PointIterates::theta, &PointIterates::x, &PointIterates::previous,
                              &PointIterates::inside})
      part.*matrix = (this->*matrix).middleRows(first, n);
    part.active.assign(active.begin() + first, active.begin() + first + n);
    part.shortening = shortening.segment(first, n);
    part.reach = reach.segment(first, n);
    return part;
  }
  void replace(Index first, const PointIterates& part) {
    for (const auto matrix : {&PointIterates::x, &PointIterates::previous, &PointIterates::inside})
      (this->*matrix).middleRows(first, part.x.rows()) = part.*matrix;
    std::ranges::copy(part.active, active.begin() + first);
    shortening.segment(first, part.x.rows()) = part.shortening;
    reach.segment(first, part.x.rows()) = part.reach;
  }
  // What a step changes.
  auto members() { return std::tie(x, previous, active, inside, shortening, reach); }

  [[nodiscard]] bool has_left() const { return shortening.minCoeff() < 1; }
  // The iterates; at points that have left the domain the last ones inside, as nobody has looked at
  // the steps from there yet.
  [[nodiscard]] Matrix values() const {
    Matrix result = x;
    for (Index i = 0; i < x.rows(); ++i) {
      if (shortening(i) < 1) result.row(i) = inside.row(i);
    }
    return result;
  }
  [[nodiscard]] Index active_count() const {
    return std::count(active.begin(), active.end(), char{1});
  }
};

PointIterates draw_points(const Oracle& oracle, const Options& options) {
  const Index n = options.points;
  PointIterates points;
  ParameterSamples at =
      draw_parameters(oracle.parameters(), make_stream(options.seed, Purpose::parameters), 0, n);
  points.eta = std::move(at.eta);
  points.theta = std::move(at.theta);
  points.x = oracle.facts().start.transpose().replicate(n, 1);
  points.previous = points.x;
  points.average = points.x;
  points.active.assign(static_cast<std::size_t>(n), 1);
  points.inside = Matrix::Constant(n, oracle.dimension(), std::nan(""));
  points.shortening = Vector::Ones(n);
  points.reach = Vector::Constant(n, infinity);
  return points;
}

void save(const PointIterates& points, const Options& options, SolverState& state) {
  state.set_integer("next", points.next);
  state.set_integer("iterations", options.iterations);
  state.arrays["x"] = points.x;
  state.arrays["previous"] = points.previous;
  state.arrays["average"] = points.average;
  state.integers["active"].assign(points.active.begin(), points.active.end());
  if (!points.has_left()) return;
  state.arrays["inside"] = points.inside;
  state.arrays["shortening"] = points.shortening;
  state.arrays["reach"] = points.reach;
}

// With noise the iterates of the second half are averaged, so their number is part of the method.
void restore(PointIterates& points, const Options& options, bool noisy, const SolverState& state) {
  if (const std::int64_t asked = state.integer("iterations");
      noisy && asked != options.iterations) {
    throw InputError(
        "solve.iterations",
        fmt::format("cannot change midway ({} so far): with noise, nested averages the second half "
                    "of its iterations",
                    asked));
  }
  points.next = state.integer("next");
  points.x = state.array("x");
  points.previous = state.array("previous");
  points.average = state.array("average");
  const std::vector<std::int64_t>& active = state.integer_list("active");
  points.active.assign(active.begin(), active.end());
  points.inside = points.x;
  if (!state.arrays.contains("inside")) return;
  points.inside = state.array("inside");
  points.shortening = state.array("shortening");
  points.reach = state.array("reach");
}

struct Sweep {
  double squared_norm = 0;  // Σ |∇f|² over the points
  Index active = 0;         // points that took a step
  Index bad = -1;           // the first point whose gradient is not finite, and stays so
  auto members() { return std::tie(squared_norm, active, bad); }
};

// What iteration k does at every point.
struct PointStep {
  Index k = 1;
  Index draws = 1;  // gradients at each point
  double alpha = 0;
  double beta = 0;  // 0 where the gradient is noisy
  double mu = 0;
  double stop_norm = 0;  // |∇f| at which a point is done, without noise
};

// The mean of `draws` gradients at y and theta (rows of them), those of a block of n points. The
// noise of a point depends on its number, first + its row in the block, not on which points are
// still active.
Matrix mean_gradient(const Oracle& oracle, const Options& options, const PointStep& step,
                     const Matrix& y, const Matrix& theta, const std::vector<Index>& rows,
                     Index first, Index n) {
  const Index count = y.rows(), r = oracle.noise_dimension();
  Matrix mean = Matrix::Zero(count, y.cols()), g(count, y.cols()), noise(n, r);
  for (Index draw = 0; draw < step.draws; ++draw) {
    if (r > 0) {
      const auto number =
          static_cast<std::uint64_t>(step.k) << 24 | static_cast<std::uint64_t>(draw);
      fill_uniform(make_stream(options.seed, Purpose::noise, number), first, noise);
    }
    Matrix active_noise(count, r);
    for (Index i = 0; i < count; ++i)
      active_noise.row(i) = noise.row(rows[static_cast<std::size_t>(i)]);
    oracle.gradient(y, theta, active_noise, g);
    mean += g / static_cast<double>(step.draws);
  }
  return mean;
}

// The step of a point is half as long from now on, and goes on from halfway back. False if that has
// been tried in vain.
bool come_back(Index row, const Matrix& y, Index i, PointIterates& points) {
  if (!points.inside.row(row).allFinite() || !y.row(i).allFinite() ||
      points.shortening(row) < std::ldexp(1.0, -most_shortenings))
    return false;
  points.shortening(row) *= 0.5;
  points.reach(row) = 0.5 * (y.row(i) - points.inside.row(row)).norm();
  points.x.row(row) = 0.5 * (y.row(i) + points.inside.row(row));
  points.previous.row(row) = points.x.row(row);
  return true;
}

// One accelerated step at every active point of a block, whose first point has the number `first`.
Sweep step_block(const Oracle& oracle, const Options& options, const PointStep& step, Index first,
                 PointIterates& points) {
  const Index n = points.x.rows();
  std::vector<Index> rows;
  for (Index i = 0; i < n; ++i) {
    if (points.active[static_cast<std::size_t>(i)]) rows.push_back(i);
  }
  if (rows.empty()) return {};
  const Matrix theta = points.theta(rows, Eigen::all);
  const Matrix x = points.x(rows, Eigen::all);
  Matrix y = x + step.beta * (x - points.previous(rows, Eigen::all));
  for (Index i = 0; i < y.rows() && step.beta > 0; ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    const double alpha = points.shortening(row) * step.alpha;
    if (alpha < step.alpha)
      y.row(i) = x.row(i) + paired_momentum(alpha, step.mu) * (x.row(i) - points.previous.row(row));
  }
  Matrix mean = mean_gradient(oracle, options, step, y, theta, rows, first, n);
  Index bad = -1;
  for (Index i = 0; i < mean.rows(); ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    if (!mean.row(i).allFinite()) {
      if (!come_back(row, y, i, points) && bad < 0) bad = first + row;
      mean.row(i).setZero();
      continue;
    }
    points.inside.row(row) = y.row(i);
    points.previous.row(row) = points.x.row(row);
    double alpha = points.shortening(row) * step.alpha;
    if (alpha * mean.row(i).norm() > points.reach(row))
      alpha = points.reach(row) / mean.row(i).norm();
    points.x.row(row) = y.row(i) - alpha * mean.row(i);
    if (oracle.noise_dimension() == 0 && mean.row(i).norm() <= step.stop_norm)
      points.active[static_cast<std::size_t>(row)] = 0;
  }
  return {.squared_norm = mean.squaredNorm(), .active = mean.rows(), .bad = bad};
}

Sweep step_all(const Oracle& oracle, const Options& options, const PointStep& step,
               PointIterates& points, Executor& executor) {
  struct SteppedBlock {
    Sweep sweep;
    PointIterates points;
    auto members() { return std::tie(sweep, points); }
  };
  std::vector<SteppedBlock> blocks =
      executor.map((options.points + block_size - 1) / block_size, [&](Index block) {
        const Index first = block * block_size;
        SteppedBlock result{{}, points.part(first, std::min(block_size, options.points - first))};
        result.sweep = step_block(oracle, options, step, first, result.points);
        return result;
      });
  for (std::size_t b = 0; b < blocks.size(); ++b)
    points.replace(static_cast<Index>(b) * block_size, blocks[b].points);
  return sum_in_tree(
      static_cast<Index>(blocks.size()),
      [&](Index b) { return blocks[static_cast<std::size_t>(b)].sweep; },
      [](Sweep& left, Sweep&& right) {
        left.squared_norm += right.squared_norm;
        left.active += right.active;
        if (left.bad < 0) left.bad = right.bad;
      });
}

// Both fits to x (N×q) at the germs eta (N×d).
NestedFits fit(const Basis& basis, const Matrix& eta, const Matrix& x, Index m,
               const std::optional<ReferenceExpansion>& reference, Executor& executor) {
  const Matrix psi = basis_table(basis, eta, m, executor);
  NestedFits fits;
  fits.projection = psi.transpose() * x / static_cast<double>(eta.rows());
  fits.least_squares = Coefficients(m, x.cols());
  fits.least_squares = least_squares(psi, x);
  if (reference) {
    fits.least_squares_error = reference->true_error(fits.least_squares);
    fits.projection_error = reference->true_error(fits.projection);
  }
  return fits;
}

}  // namespace

void solve_nested(const Oracle& oracle, const Options& options, const Plan& plan, Monitor& monitor,
                  const std::optional<ReferenceExpansion>& reference, Executor& executor,
                  Run& run) {
  const Index m = plan.levels.back().m;
  if (options.points < m) {
    throw InputError(
        "solve.points",
        fmt::format("least squares on {} functions needs at least as many points, found {}", m,
                    options.points));
  }
  const bool noisy = oracle.noise_dimension() > 0;
  const double mu = run.constants.mu.value, L = run.constants.L.value;
  PointStep step;
  step.alpha = noisy ? 2 / ((mu + L) * run.constants.VG.value) : 1 / L;
  step.beta = noisy ? 0 : paired_momentum(step.alpha, mu);
  step.mu = mu;
  step.stop_norm = mu * options.point_tolerance;
  // With noise: the mean of the second half of the iterates.
  const Index averaged_from = options.iterations / 2 + 1;
  PointIterates points = draw_points(oracle, options);
  if (options.resume) restore(points, options, noisy, options.resume->state);

  run.status = Status::completed;
  run.stop_reason =
      fmt::format("{} points, {} iterations each at most", options.points, options.iterations);
  // Coefficients from where the points are now, and all that is needed to go on.
  const auto conclude = [&] {
    save(points, options, run.state);
    const bool averaged = noisy && static_cast<Index>(run.history.size()) >= averaged_from;
    run.fits = fit(plan.basis, points.eta, averaged ? points.average : points.values(), m,
                   reference, executor);
    run.u = options.fit == Fit::least_squares ? run.fits->least_squares : run.fits->projection;
  };
  Index active = points.active_count();
  for (Index k = points.next; k <= options.iterations && active > 0; ++k) {
    step.k = k;
    step.draws = noisy ? plan.level(k).M : 1;
    if (!monitor.may_continue(k, active * step.draws, run)) break;
    points.next = k + 1;
    const Sweep sweep = step_all(oracle, options, step, points, executor);
    run.gradients += sweep.active * step.draws;
    if (sweep.bad >= 0) {
      const Vector theta = points.theta.row(sweep.bad).transpose();
      const Vector x = points.x.row(sweep.bad).transpose();
      const std::string reason = oracle.explain(x.transpose(), theta.transpose(),
                                                Matrix::Constant(1, oracle.noise_dimension(), 0.5));
      run.status = reason.empty() ? Status::bad_gradient : Status::outside_domain;
      run.stop_reason =
          fmt::format("the gradient is not finite at iteration {}, at {}, near {}{}{}", k,
                      place(oracle.facts(), theta), variables_at(oracle.facts(), x),
                      reason.empty() ? "" : ": ", reason);
      run.u = Coefficients::Zero(m, oracle.dimension());
      return;
    }
    if (noisy && k >= averaged_from) {
      points.average += (points.x - points.average) / static_cast<double>(k - averaged_from + 1);
    }
    active = points.active_count();
    monitor.record(
        {.k = k,
         .basis_size = m,
         .samples = sweep.active,
         .step = step.alpha,
         .gradient_norm = std::sqrt(sweep.squared_norm / static_cast<double>(sweep.active))},
        {}, run, "points");
    monitor.checkpoint(run, conclude);
  }
  if (active > 0 && !noisy && run.status == Status::completed) {
    run.notes.push_back(
        fmt::format("{} of {} points did not reach point_tolerance in {} iterations", active,
                    options.points, options.iterations));
  }
  if (const auto left = (points.shortening.array() < 1).count(); left > 0) {
    run.notes.push_back(
        fmt::format("steps left the domain of the objective at {} of {} points: they were halved",
                    left, options.points));
  }
  conclude();
}

}  // namespace chaosgrad::internal
