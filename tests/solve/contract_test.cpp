// What every method promises, one suite for all of them: the same bits for any number of threads
// and over any interruption, the optimum of a quadratic, and a status that tells what went wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chaosgrad/chaosgrad.h"
#include "support/thread_ranks.h"

namespace chaosgrad {
namespace {

// ---- How the suite speaks to the library: the one place that knows how a run is watched, stopped,
// saved and gone on with.

using Snapshot = std::shared_ptr<const Solution>;  // what a run can go on from

struct Outcome {
  Solution solution;
  Snapshot end;
  std::vector<Snapshot> checkpoints;  // one per iteration, where asked for

  [[nodiscard]] Status status() const { return solution.status; }
  [[nodiscard]] const std::string& message() const { return solution.message; }
  [[nodiscard]] const Coefficients& u() const { return solution.expansion.coefficients(); }
  [[nodiscard]] std::int64_t gradients() const { return solution.gradients; }
  [[nodiscard]] std::size_t iterations() const { return solution.history.size(); }
};

struct Watch {
  std::optional<Index> stop_after = {};  // interrupts after so many iterations of the session
  bool checkpoints = false;
  Snapshot resume = {};
};

Outcome solve_watched(const Oracle& oracle, Options options, const Watch& watch = {}) {
  std::vector<Snapshot> checkpoints;
  const Index before =
      watch.resume && !watch.resume->history.empty() ? watch.resume->history.back().k : 0;
  Index seen = before;
  if (watch.checkpoints || watch.stop_after) {
    options.callback = [&](const Progress& progress) {
      if (watch.checkpoints && progress.iteration > seen && progress.solution)
        checkpoints.push_back(std::make_shared<const Solution>(progress.solution()));
      seen = progress.iteration;
      const bool stop = watch.stop_after && progress.iteration - before >= *watch.stop_after;
      return stop ? Action::stop : Action::go_on;
    };
  }
  options.resume = watch.resume;
  Solution solution = solve(oracle, options);
  Snapshot end = std::make_shared<const Solution>(solution);
  return {std::move(solution), std::move(end), std::move(checkpoints)};
}

void expect_same_bits(const Outcome& a, const Outcome& b) {
  const Solution &x = a.solution, &y = b.solution;
  EXPECT_EQ(x.status, y.status);
  EXPECT_EQ(x.message, y.message);
  EXPECT_EQ(a.u(), b.u());
  EXPECT_EQ(x.replicates, y.replicates);
  EXPECT_EQ(x.expansion.basis().indices().indices(), y.expansion.basis().indices().indices());
  EXPECT_EQ(x.gradients, y.gradients);
  EXPECT_EQ(x.diagnostic_gradients, y.diagnostic_gradients);
  EXPECT_EQ(x.constants.L.value, y.constants.L.value);
  EXPECT_EQ(x.notes, y.notes);
  ASSERT_EQ(x.history.size(), y.history.size());
  for (std::size_t i = 0; i < x.history.size(); ++i) {
    const IterationRecord &p = x.history[i], &q = y.history[i];
    EXPECT_EQ(std::tuple(p.k, p.basis_size, p.samples, p.step, p.gradients, p.gradient_norm,
                         p.error_squared, p.true_error, p.estimate),
              std::tuple(q.k, q.basis_size, q.samples, q.step, q.gradients, q.gradient_norm,
                         q.error_squared, q.true_error, q.estimate));
  }
  EXPECT_EQ(x.state.arrays, y.state.arrays);
  EXPECT_EQ(x.state.integers, y.state.integers);
  EXPECT_EQ(x.state.texts, y.state.texts);
  EXPECT_EQ(a.solution.error.estimate, b.solution.error.estimate);
  EXPECT_EQ(a.solution.error.bound, b.solution.error.bound);
}

// ---- The problems.

constexpr double mu = 1, L = 4, kappa = L / mu;
constexpr double noise_deviation = 0.5;
constexpr double V = 2 * noise_deviation * noise_deviation;  // E|v(1, 1)|²

Measure one_uniform() { return Measure({Distribution(Uniform{-1, 1})}); }

enum class Optimum { cubic, exponential };

Vector optimum(Optimum kind, double t) {
  if (kind == Optimum::cubic) return Vector{{1 + t, t * t - t / 2}};
  return Vector{{std::exp(t), t * std::exp(t)}};
}

// ‖x − x*‖_π, by the midpoint rule: second differences of the squared error over n² are left out.
double distance_to_optimum(const Outcome& outcome, Optimum kind) {
  constexpr int n = 1000;
  double squared = 0;
  for (int i = 0; i < n; ++i) {
    const double t = -1 + (2 * i + 1.0) / n;
    squared += (outcome.solution(Vector::Constant(1, t)) - optimum(kind, t)).squaredNorm() / n;
  }
  return std::sqrt(squared);
}

// ‖x*‖_π² of the cubic one: E(1 + θ)² + E(θ² − θ/2)² = (1 + 1/3) + (1/5 + 1/12).
const double cubic_norm = std::sqrt(4.0 / 3 + 17.0 / 60);

// ∇F = H(θ) (x − x*(θ)) + v (1, 1), H with the eigenvalues μ and L in directions that turn with θ.
auto quadratic(bool noisy, Optimum kind) {
  PerSampleProblem problem(2, one_uniform(), noisy ? 1 : 0,
                           [=](const Vector& x, const Vector& theta, const Vector& noise) {
                             const double t = theta(0), c = std::cos(t), s = std::sin(t);
                             const Vector away = x - optimum(kind, t), stiff{{c, s}};
                             Vector g = mu * away + (L - mu) * stiff.dot(away) * stiff;
                             if (noise.size() > 0)
                               g.array() += noise_deviation * std::sqrt(12.0) * (noise(0) - 0.5);
                             return g;
                           });
  problem.known.strong_convexity = mu;
  problem.known.smoothness = L;
  problem.known.noise_variance = noisy ? V : 0;
  problem.known.noise_growth = 1;
  problem.known.reference = [=](Block theta, BlockOut x) {
    for (Index i = 0; i < theta.rows(); ++i) x.row(i) = optimum(kind, theta(i, 0)).transpose();
  };
  return problem;
}

// Nothing known beyond the gradient slope(θ) x − θ (+ v).
template <class Slope>
auto scalar_problem(bool noisy, const Slope& slope) {
  return PerSampleProblem(1, one_uniform(), noisy ? 1 : 0,
                          [=](const Vector& x, const Vector& theta, const Vector& noise) {
                            const double v = noise.size() > 0 ? noise(0) - 0.5 : 0;
                            return Vector{{slope(theta(0)) * x(0) - theta(0) + v}};
                          });
}

// ---- The methods.

struct Case {
  Method method;
  bool noisy;
};

// collocation has no use for noise that cannot be integrated out, sieve is there for noise.
const std::vector<Case> cases = {
    {Method::automatic, false}, {Method::automatic, true}, {Method::collocation, false},
    {Method::sieve, true},      {Method::gd, false},       {Method::gd, true},
    {Method::agd, false},       {Method::agd, true},       {Method::masg, false},
    {Method::masg, true},       {Method::uqsa, false},     {Method::uqsa, true},
    {Method::nested, false},    {Method::nested, true}};

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  return std::string(to_string(info.param.method)) + (info.param.noisy ? "_noisy" : "");
}

class Contract : public ::testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] static Method method() { return GetParam().method; }
  [[nodiscard]] static bool noisy() { return GetParam().noisy; }
  [[nodiscard]] static bool adaptive() { return is_adaptive(method()); }

  // Short, with several chunks of samples and a basis that grows.
  [[nodiscard]] static Options short_run() {
    Options options{.method = method(), .iterations = 30};
    options.points = 600;
    if (adaptive())
      options.tolerance = noisy() ? 0.02 : 1e-6;
    else
      options.samples = method() == Method::nested ? 2.0 : 1500.0;
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(Methods, Contract, ::testing::ValuesIn(cases), name_of);

// ---- Bits.

TEST_P(Contract, SameBitsForEveryNumberOfThreads) {
  const auto problem = quadratic(noisy(), Optimum::exponential);
  Options options = short_run();
  options.threads = 1;
  const Outcome one = solve_watched(problem, options);
  for (const int threads : {2, 4}) {
    options.threads = threads;
    expect_same_bits(solve_watched(problem, options), one);
  }
  options.seed = 2;
  const Outcome other = solve_watched(problem, options);
  EXPECT_TRUE(other.u().rows() != one.u().rows() || other.u() != one.u());
}

TEST_P(Contract, KilledAndResumedFromACheckpointToTheSameBits) {
  const auto problem = quadratic(noisy(), Optimum::exponential);
  Options options = short_run();
  options.threads = 1;
  const Outcome whole = solve_watched(problem, options);
  const Outcome watched = solve_watched(problem, options, {.checkpoints = true});
  expect_same_bits(watched, whole);
  const std::vector<Snapshot>& taken = watched.checkpoints;
  ASSERT_GE(taken.size(), 2U);
  options.threads = 2;
  // The first, one midway, and the one before the last iteration.
  const std::size_t before_last = taken.size() - 2;
  for (const std::size_t i : {std::size_t{0}, before_last / 2, before_last}) {
    const Snapshot& checkpoint = taken[i];
    EXPECT_EQ(checkpoint->status, Status::interrupted);
    expect_same_bits(solve_watched(problem, options, {.resume = checkpoint}), whole);
  }
  EXPECT_LT(taken.front()->gradients, whole.gradients());
}

TEST_P(Contract, InterruptedAgainAndAgainToTheSameBits) {
  const auto problem = quadratic(noisy(), Optimum::exponential);
  Options options = short_run();
  const Outcome whole = solve_watched(problem, options);
  Snapshot last;
  for (int session = 0; session < 100; ++session) {
    options.threads = 1 + session % 2;
    const Outcome part = solve_watched(problem, options, {.stop_after = 2, .resume = last});
    if (part.status() != Status::interrupted) {
      EXPECT_GT(session, 0);
      return expect_same_bits(part, whole);
    }
    last = part.end;
  }
  FAIL() << "the sessions make no progress";
}

// All ranks get the solution of one process, whatever their number and that of their threads.
TEST_P(Contract, SameBitsOnEveryNumberOfRanks) {
  const auto problem = quadratic(noisy(), Optimum::exponential);
  Options options = short_run();
  options.threads = 1;
  const Outcome alone = solve_watched(problem, options);
  for (const int size : {2, 3}) {
    testing::on_ranks(size, [&](const std::shared_ptr<internal::Ranks>& ranks) {
      Options shared = options;
      shared.ranks = ranks;
      shared.threads = size - 1;
      expect_same_bits(solve_watched(problem, shared), alone);
    });
  }
}

// Rank 0 alone is asked; when it stops, all do, and any number of ranks goes on from there.
TEST_P(Contract, StoppedByTheFirstRankAndResumedOnOthers) {
  const auto problem = quadratic(noisy(), Optimum::exponential);
  Options options = short_run();
  options.threads = 1;
  const Outcome whole = solve_watched(problem, options);
  Snapshot last;
  testing::on_ranks(3, [&](const std::shared_ptr<internal::Ranks>& ranks) {
    Options shared = options;
    shared.ranks = ranks;
    const Watch watch{.stop_after = ranks->is_first() ? Index{2} : Index{1}};
    const Outcome part = solve_watched(problem, shared, watch);
    EXPECT_EQ(part.status(), Status::interrupted);
    EXPECT_EQ(part.iterations(), 2U);
    if (ranks->rank() == 1) last = part.end;
  });
  expect_same_bits(solve_watched(problem, options, {.resume = last}), whole);
  testing::on_ranks(2, [&](const std::shared_ptr<internal::Ranks>& ranks) {
    Options shared = options;
    shared.ranks = ranks;
    expect_same_bits(solve_watched(problem, shared, {.resume = last}), whole);
  });
}

// Failures are those of all ranks, whoever met them.
TEST(Ranks, CountWhatIsSkipped) {
  auto problem = scalar_problem(true, [](double t) {
    return std::fmod(std::abs(t), 0.01) < 1e-5 ? std::numeric_limits<double>::quiet_NaN() : 1.0;
  });
  problem.known.strong_convexity = 1;
  problem.known.smoothness = 1;
  problem.known.may_fail = true;
  Options options{.method = Method::gd, .iterations = 10};
  options.samples = 5000.0;
  options.threads = 1;
  const Outcome alone = solve_watched(problem, options);
  EXPECT_GT(alone.solution.skipped, 10);
  testing::on_ranks(3, [&](const std::shared_ptr<internal::Ranks>& ranks) {
    Options shared = options;
    shared.ranks = ranks;
    const Outcome outcome = solve_watched(problem, shared);
    expect_same_bits(outcome, alone);
    EXPECT_EQ(outcome.solution.skipped, alone.solution.skipped);
  });
}

// ---- The optimum of a quadratic.

// The asked error is reached, and known to be.
void expect_tolerance_met(const Case& which) {
  const double tolerance = which.noisy ? 0.02 : 1e-6;
  const Outcome outcome = solve_watched(quadratic(which.noisy, Optimum::exponential),
                                        {.method = which.method, .tolerance = tolerance});
  EXPECT_EQ(outcome.status(), Status::converged) << outcome.message();
  EXPECT_LE(*outcome.solution.error.estimate, tolerance);
  const double error = distance_to_optimum(outcome, Optimum::exponential);
  EXPECT_LE(error, tolerance);
  EXPECT_GE(*outcome.solution.error.bound, error);
}

// Without noise and with exact expectations: an upper limit of ‖x_k − x*‖ after k iterations from
// x = 0, x* in the span of the basis.
double quiet_limit(Method method, double k, const Options& options) {
  switch (method) {
    case Method::gd:  // |1 − γλ| ≤ (κ − 1)/(κ + 1) for γ = 2/(μ + L)
      return std::pow((kappa - 1) / (kappa + 1), k) * cubic_norm;
    case Method::agd:  // ‖u_k − u*‖² ≤ (κ + 1) (1 − 1/√κ)^k ‖u*‖²
      return std::sqrt((kappa + 1) * std::pow(1 - 1 / std::sqrt(kappa), k)) * cubic_norm;
    case Method::masg:  // 3 + 20 + 40 + 80 iterations end four stages, of which each but the first
                        // divides the squared error by 8, and its restart doubles it
      return std::sqrt((kappa + 1) / kappa / std::pow(4, 3)) * cubic_norm;
    case Method::uqsa:  // ∏ (1 − γ_j μ), γ_j = (2/μ)/(2κ + j)
      return (2 * kappa - 1) * 2 * kappa / ((2 * kappa + k - 1) * (2 * kappa + k)) * cubic_norm;
    default:  // each point within point_tolerance, the fit of 500 of them nearly an isometry
      return 2 * options.point_tolerance;
  }
}

// With noise: E‖x − x*‖² in the long run, for constant steps; σ² = Q V/M is the variance of D'.
double noise_floor(Method method, double m, double Q, double M, const Options& options) {
  const double variance = Q * V / M;
  switch (method) {
    case Method::gd:
    case Method::uqsa: {  // γσ²/(μ(2 − γL)); the steps of uqsa fall below this γ
      const double step = 2 / (mu + L);
      return step * variance / (mu * (2 - step * L));
    }
    case Method::agd:
    case Method::masg:  // 2σ²√(α/μ)/μ, α = 1/L
      return 2 * variance * std::sqrt(1 / kappa) / mu;
    default: {  // the mean of half the iterates at each point, averaged by the fit over the points
      const double averaged = static_cast<double>(options.iterations) / 2 * M;
      return m / static_cast<double>(options.points) * V / (mu * mu * averaged);
    }
  }
}

TEST_P(Contract, SolvesTheQuadratic) {
  if (adaptive()) return expect_tolerance_met(GetParam());
  constexpr Index m = 4;
  constexpr double Q = m * m;  // Σ (2i + 1), Legendre
  Options options{.method = method(), .iterations = 143};
  options.basis_size = static_cast<double>(m);
  const double samples = method() == Method::nested ? 1 : 2000;
  options.samples = samples;
  if (!noisy() && method() != Method::nested) options.gradient = GradientRule::quadrature;
  const Outcome outcome = solve_watched(quadratic(noisy(), Optimum::cubic), options);
  EXPECT_EQ(outcome.status(), Status::completed) << outcome.message();
  const double rounding = 1e-14;
  double limit = quiet_limit(method(), static_cast<double>(options.iterations), options) + rounding;
  if (noisy()) {
    // A sum of about 2m squares: 4 times its mean is beyond its 99.9 % quantile.
    limit += std::sqrt(4 * noise_floor(method(), m, Q, samples, options));
  }
  EXPECT_LE(distance_to_optimum(outcome, Optimum::cubic), limit);
}

// ---- What goes wrong.

TEST_P(Contract, AGradientThatIsNotFiniteIsNamed) {
  auto problem = scalar_problem(
      noisy(), [](double t) { return t > 0.9 ? std::numeric_limits<double>::quiet_NaN() : 1; });
  problem.known.strong_convexity = 1;
  problem.known.smoothness = 1;
  const Outcome outcome = solve_watched(problem, {.method = method(), .iterations = 40});
  EXPECT_EQ(outcome.status(), Status::bad_gradient) << outcome.message();
  EXPECT_NE(outcome.message().find("finite"), std::string::npos) << outcome.message();
  EXPECT_TRUE(outcome.u().allFinite());
}

// Curvature θ: convex for one half of the parameters, concave for the other.
TEST_P(Contract, AnObjectiveThatIsNotConvexForEveryParameterIsNoticed) {
  const auto problem = scalar_problem(noisy(), [](double t) { return t; });
  const Outcome outcome =
      solve_watched(problem, {.method = method(), .tolerance = 0.05, .max_gradients = 200'000});
  EXPECT_EQ(outcome.status(), Status::not_strongly_convex) << outcome.message();
  EXPECT_TRUE(outcome.u().allFinite());
}

// Curvature −1: unbounded below.
TEST_P(Contract, AnUnboundedObjectiveIsNoticed) {
  const auto problem = scalar_problem(noisy(), [](double) { return -1.0; });
  const Outcome outcome =
      solve_watched(problem, {.method = method(), .tolerance = 0.05, .max_gradients = 200'000});
  EXPECT_EQ(outcome.status(), Status::not_strongly_convex) << outcome.message();
  EXPECT_TRUE(outcome.u().allFinite());
}

// ---- What runs out. The result is the last iterate, and usable.

void expect_usable(const Outcome& outcome) {
  EXPECT_FALSE(outcome.message().empty());
  EXPECT_TRUE(outcome.u().allFinite());
  EXPECT_TRUE(outcome.solution(Vector::Constant(1, 0.3)).allFinite());
}

TEST_P(Contract, OutOfGradients) {
  const auto problem = quadratic(noisy(), Optimum::exponential);
  Options options = short_run();
  options.max_gradients = solve_watched(problem, options).gradients() / 4;
  const Outcome outcome = solve_watched(problem, options);
  EXPECT_EQ(outcome.status(), Status::out_of_gradients) << outcome.message();
  EXPECT_GT(outcome.gradients(), 0);
  EXPECT_LE(outcome.gradients(), options.max_gradients);
  expect_usable(outcome);
}

TEST_P(Contract, OutOfTime) {
  Options options = short_run();
  options.max_seconds = 1e-9;
  const Outcome outcome = solve_watched(quadratic(noisy(), Optimum::exponential), options);
  EXPECT_EQ(outcome.status(), Status::out_of_time) << outcome.message();
  expect_usable(outcome);
}

TEST_P(Contract, Interrupted) {
  const Outcome outcome =
      solve_watched(quadratic(noisy(), Optimum::exponential), short_run(), {.stop_after = 2});
  EXPECT_EQ(outcome.status(), Status::interrupted) << outcome.message();
  EXPECT_EQ(outcome.iterations(), 2U);
  expect_usable(outcome);
}

}  // namespace
}  // namespace chaosgrad
