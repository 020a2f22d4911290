// The naive method: solve for many θ one by one, then fit the expansion to the solutions.
#include <fmt/format.h>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <vector>

#include "chaosgrad/error.h"
#include "samples/parameters.h"
#include "solve/descent/guard.h"
#include "solve/solvers.h"

namespace chaosgrad::internal {
namespace {

// All points side by side: N×d germs and parameters, N×q iterates.
struct Points {
  Matrix eta, theta, x, previous, average;
  std::vector<char> active;
  Index next = 1;  // iteration

  [[nodiscard]] Index active_count() const {
    return std::count(active.begin(), active.end(), char{1});
  }
};

Points draw_points(const Oracle& oracle, const Options& options) {
  const Index n = options.points;
  Points points;
  ParameterSamples at =
      draw_parameters(oracle.parameters(), make_stream(options.seed, Purpose::parameters), 0, n);
  points.eta = std::move(at.eta);
  points.theta = std::move(at.theta);
  points.x = oracle.facts().start.transpose().replicate(n, 1);
  points.previous = points.x;
  points.average = points.x;
  points.active.assign(static_cast<std::size_t>(n), 1);
  return points;
}

void save(const Points& points, const Options& options, SolverState& state) {
  state.set_integer("next", points.next);
  state.set_integer("iterations", options.iterations);
  state.arrays["x"] = points.x;
  state.arrays["previous"] = points.previous;
  state.arrays["average"] = points.average;
  state.integers["active"].assign(points.active.begin(), points.active.end());
}

// With noise the iterates of the second half are averaged, so their number is part of the method.
void restore(Points& points, const Options& options, bool noisy, const SolverState& state) {
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
}

struct Sweep {
  double squared_norm = 0;  // Σ |∇f|² over the points
  Index active = 0;         // points that took a step
  bool finite = true;
  auto members() { return std::tie(squared_norm, active, finite); }
};

// One accelerated step (β = 0 where the gradient is noisy) at every active point of one block;
// `draws` gradients each.
Sweep step_block(const Oracle& oracle, const Options& options, Points& points, Index first, Index k,
                 Index draws, double alpha, double beta, double stop_norm) {
  const Index n = std::min(block_size, options.points - first), q = oracle.dimension(),
              r = oracle.noise_dimension();
  std::vector<Index> rows;
  for (Index i = first; i < first + n; ++i) {
    if (points.active[static_cast<std::size_t>(i)]) rows.push_back(i);
  }
  const auto count = static_cast<Index>(rows.size());
  Sweep sweep;
  if (count == 0) return sweep;
  const Matrix theta = points.theta(rows, Eigen::all);
  const Matrix x = points.x(rows, Eigen::all);
  const Matrix y = x + beta * (x - points.previous(rows, Eigen::all));
  Matrix mean = Matrix::Zero(count, q), g(count, q), noise(n, r);
  for (Index draw = 0; draw < draws; ++draw) {
    if (r > 0) {
      const auto step = static_cast<std::uint64_t>(k) << 24 | static_cast<std::uint64_t>(draw);
      fill_uniform(make_stream(options.seed, Purpose::noise, step), first, noise);
    }
    Matrix active_noise(count, r);
    for (Index i = 0; i < count; ++i)
      active_noise.row(i) = noise.row(rows[static_cast<std::size_t>(i)] - first);
    oracle.gradient(y, theta, active_noise, g);
    mean += g / static_cast<double>(draws);
  }
  sweep.finite = mean.allFinite();
  sweep.squared_norm = mean.squaredNorm();
  sweep.active = count;
  for (Index i = 0; i < count; ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    points.previous.row(row) = points.x.row(row);
    points.x.row(row) = y.row(i) - alpha * mean.row(i);
    if (r == 0 && mean.row(i).norm() <= stop_norm) points.active[static_cast<std::size_t>(row)] = 0;
  }
  return sweep;
}

// Both fits to x (N×q) at the germs eta (N×d).
NestedFits fit(const Oracle& oracle, const Plan& plan, const Matrix& eta, const Matrix& x, Index m,
               Executor& executor) {
  const Index n = eta.rows();
  Matrix psi(n, m);
  executor.for_each((n + block_size - 1) / block_size, [&](Index block) {
    const Index first = block * block_size, count = std::min(block_size, n - first);
    BasisBlock values;
    plan.basis.evaluate(eta.middleRows(first, count), m, values);
    for (Index i = 0; i < count; ++i) {
      for (Index j = 0; j < m; ++j) psi(first + i, j) = values(i, j);
    }
  });
  NestedFits fits;
  fits.projection = psi.transpose() * x / static_cast<double>(n);
  fits.least_squares = Coefficients(m, oracle.dimension());
  fits.least_squares = psi.householderQr().solve(x);
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
  const double alpha = noisy ? 2 / ((mu + L) * run.constants.VG.value) : 1 / L;
  const double beta = noisy ? 0 : paired_momentum(alpha, mu);
  const Index averaged_from =
      options.iterations / 2 + 1;  // with noise: the mean of the second half of the iterates
  Points points = draw_points(oracle, options);
  if (options.resume) restore(points, options, noisy, options.resume->state);
  const Index blocks = (options.points + block_size - 1) / block_size;

  run.status = Status::completed;
  run.stop_reason =
      fmt::format("{} points, {} iterations each at most", options.points, options.iterations);
  Index active = points.active_count();
  // Coefficients from where the points are now, and all that is needed to go on.
  const auto conclude = [&] {
    save(points, options, run.state);
    const bool averaged = noisy && static_cast<Index>(run.history.size()) >= averaged_from;
    NestedFits fits =
        fit(oracle, plan, points.eta, averaged ? points.average : points.x, m, executor);
    if (reference) {
      fits.least_squares_error = reference->true_error(fits.least_squares);
      fits.projection_error = reference->true_error(fits.projection);
    }
    run.u = options.fit == Fit::least_squares ? fits.least_squares : fits.projection;
    run.fits = std::move(fits);
  };
  for (Index k = points.next; k <= options.iterations && active > 0; ++k) {
    const Index draws = noisy ? plan.level(k).M : 1;
    if (!monitor.may_continue(k, active * draws, run)) break;
    points.next = k + 1;
    const Sweep sweep = executor.reduce(
        blocks,
        [&](Index block) {
          return step_block(oracle, options, points, block * block_size, k, draws, alpha, beta,
                            mu * options.point_tolerance);
        },
        [](Sweep& left, Sweep&& right) {
          left.squared_norm += right.squared_norm;
          left.active += right.active;
          left.finite = left.finite && right.finite;
        });
    run.gradients += sweep.active * draws;
    if (!sweep.finite) {
      run.status = Status::bad_gradient;
      run.stop_reason = fmt::format("a gradient is not finite at iteration {}", k);
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
         .step = alpha,
         .gradient_norm = std::sqrt(sweep.squared_norm / static_cast<double>(sweep.active))},
        {}, run, "points");
    monitor.checkpoint(run, conclude);
  }
  if (active > 0 && !noisy && run.status == Status::completed) {
    run.notes.push_back(
        fmt::format("{} of {} points did not reach point_tolerance in {} iterations", active,
                    options.points, options.iterations));
  }
  conclude();
}

}  // namespace chaosgrad::internal
