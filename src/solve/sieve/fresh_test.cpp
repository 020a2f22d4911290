#include "solve/sieve/fresh_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "basis/kernels.h"
#include "estimate/mean_limit.h"
#include "estimate/repeated_gradients.h"
#include "random/random.h"
#include "solve/common/growth.h"
#include "solve/sieve/error.h"

namespace chaosgrad::internal {
namespace {

struct TestSums {
  Coefficients sums;
  Vector squares;
  std::optional<OutsidePoint> outside = {};
  Matrix terms = {};  // one row per θ, in their order: steps, gradients, spreads
  auto members() { return std::tie(sums, squares, outside, terms); }
};

void add(TestSums& left, TestSums&& right) {
  left.sums += right.sums;
  left.squares += right.squares;
  if (!left.outside) left.outside = std::move(right.outside);
  const Index before = left.terms.rows();
  left.terms.conservativeResize(before + right.terms.rows(), Eigen::NoChange);
  left.terms.bottomRows(right.terms.rows()) = right.terms;
}

// Σ_i ψ_i²/N_i at each row.
Vector spread_of(const BasisBlock& psi, const Vector& averaged) {
  Vector spread = Vector::Zero(block_size);
  for (Index i = 0; i < averaged.size(); ++i) {
    const double share = 1 / std::max(1.0, averaged(i));
    for (Index j = 0; j < block_size; ++j) spread(j) += psi(j, i) * psi(j, i) * share;
  }
  return spread;
}

// A point of the unit cube, moved by each row of `rotation` modulo 1.
void rotate(const Eigen::RowVectorXd& point, const Matrix& rotation, Matrix& noise) {
  constexpr double least = 0x1p-53;
  for (Index j = 0; j < noise.cols(); ++j) {
    for (Index i = 0; i < noise.rows(); ++i) {
      const double sum = point(j) + rotation(i, j);
      noise(i, j) = std::clamp(sum - std::floor(sum), least, 1 - least);
    }
  }
}

// One block of θ.
TestSums test_block(const Oracle& oracle, const Basis& wide, const SieveState& state,
                    std::uint64_t seed, Index look, Index block, const FreshTest& test) {
  const Index m = state.u.rows(), q = state.u.cols(), total = wide.size();
  const SieveSamples at = mixture_samples(
      oracle, wide, m,
      make_stream(seed, Purpose::sieve_test_parameters, static_cast<std::uint64_t>(look)), block);
  BasisBlock psi;
  Matrix x(block_size, q), g(block_size, q);
  wide.evaluate(at.eta, m, psi);
  expand(psi, state.u, x);
  TestSums sums{
      Coefficients::Zero(total - m, q), Vector::Zero(total - m), {}, Matrix::Zero(block_size, 3)};
  PairProducts gradients(block_size, q), steps(block_size, q);
  Matrix noise(block_size, oracle.noise_dimension());
  Matrix rotation(block_size, noise.cols());  // of a half of Sobol' points, for each θ
  for (Index draw = 0; draw < test.draws; ++draw) {
    const auto fill = [&](Index step, Matrix& u) {
      fill_uniform(make_stream(seed, Purpose::sieve_test_noise,
                               static_cast<std::uint64_t>(look * most_test_draws + step)),
                   block * block_size, u);
    };
    if (test.points.size() == 0) {
      if (noise.cols() > 0) fill(draw, noise);
    } else {
      const bool second = 2 * draw == test.draws;
      if (draw == 0 || second) fill(second ? 1 : 0, rotation);
      if (second) {
        gradients.end_half();
        steps.end_half();
      }
      rotate(test.points.row(draw), rotation, noise);
    }
    oracle.gradient(x, at.theta, noise, g);
    if (!g.allFinite() && !sums.outside) sums.outside = outside_point(x, at.theta, noise, g);
    if (sums.outside) return sums;
    gradients.add(g);
    steps.add(state.metric->steps(at.eta, g));
  }
  const Vector weighted_squares = at.weights.cwiseProduct(steps.mean_squares());
  sums.terms.col(0) = at.weights.cwiseProduct(steps.products());
  sums.terms.col(1) = at.weights.cwiseProduct(gradients.products());
  sums.terms.col(2) =
      at.weights.cwiseProduct(weighted_squares).cwiseProduct(spread_of(psi, state.averaged));
  const Matrix r = at.weights.asDiagonal() * steps.mean();
  const Vector squares = r.rowwise().squaredNorm();
  wide.evaluate(at.eta, total, psi);
  Coefficients projection = Coefficients::Zero(total, q);
  project(psi, r, projection);
  sums.sums = projection.bottomRows(total - m);
  for (Index j = m; j < total; ++j) {
    for (Index i = 0; i < block_size; ++i)
      sums.squares(j - m) += squares(i) * psi(i, j) * psi(i, j);
  }
  return sums;
}

int total_degree(const MultiIndex& index) { return std::accumulate(index.begin(), index.end(), 0); }

double standard_error(const Vector& terms) {
  const auto n = static_cast<double>(terms.size());
  return std::sqrt((terms.array() - terms.mean()).square().sum() / (n * (n - 1)));
}

}  // namespace

Coefficients FreshTest::coefficients() const { return sums / static_cast<double>(samples()); }

Vector FreshTest::noise() const {
  const auto n = static_cast<double>(samples());
  return (squares / n - coefficients().rowwise().squaredNorm()).cwiseMax(0) / n;
}

Basis test_basis(const Basis& basis, const SieveTuning& tuning) {
  int highest = 0;
  for (const MultiIndex& index : basis.indices().indices())
    highest = std::max(highest, total_degree(index));
  const std::vector<Family>& families = basis.families();
  const auto size = static_cast<Index>(
      std::min(function_count(families), static_cast<double>(tuning.test_functions)));
  const IndexSet first = IndexSet::first(basis.dimension(), size, limited_order(families, {}));
  std::vector<MultiIndex> beyond;
  for (const MultiIndex& index : first.indices()) {
    if (total_degree(index) <= highest + tuning.test_degrees && !basis.indices().contains(index))
      beyond.push_back(index);
  }
  return widened(basis, beyond);
}

int complete_degree(const Basis& wide) {
  const IndexOrder order = limited_order(wide.families(), {});
  const double all = function_count(wide.families());
  const IndexSet first = IndexSet::first(
      wide.dimension(), static_cast<Index>(std::min(all, static_cast<double>(wide.size()) + 1)),
      order);
  int degree = 0;
  for (const MultiIndex& index : first.indices()) {
    if (!wide.indices().contains(index)) return total_degree(index) - 1;
    degree = total_degree(index);
  }
  return degree;
}

Matrix test_points(const Oracle& oracle, std::uint64_t seed, Index look, Index draws) {
  Matrix points(draws, oracle.noise_dimension());
  for (const Index half : {0, 1}) {
    const auto step = static_cast<std::uint64_t>(look * most_test_draws + 2 + half);
    SobolSequence(oracle.noise_dimension(), make_stream(seed, Purpose::sieve_test_noise, step))
        .fill(0, points.middleRows(half * draws / 2, draws / 2));
  }
  return points;
}

Index test_draws(double variance, double tolerance, std::int64_t spent, bool sobol,
                 const SieveTuning& tuning) {
  const double wanted = variance / (tuning.test_noise * tolerance * tolerance);
  const auto affordable = static_cast<double>(spent / (tuning.least_test_blocks * block_size));
  const auto draws = static_cast<Index>(
      std::clamp(std::min(wanted, affordable), 2.0,
                 static_cast<double>(sobol ? most_sobol_draws : most_test_draws)));
  return sobol ? static_cast<Index>(std::bit_floor(static_cast<std::size_t>(draws))) : draws;
}

void add(const Oracle& oracle, const Basis& wide, const SieveState& state, std::uint64_t seed,
         Index look, Index blocks, Executor& executor, FreshTest& test) {
  const Index before = test.samples() / block_size, rows = blocks * block_size;
  TestSums sums = executor.reduce(
      blocks,
      [&](Index b) { return test_block(oracle, wide, state, seed, look, before + b, test); },
      [](TestSums& left, TestSums&& right) { add(left, std::move(right)); });
  Index column = 0;
  for (Vector* terms : {&test.steps, &test.gradients, &test.spreads}) {
    terms->conservativeResize(terms->size() + rows);
    terms->tail(rows) = sums.terms.col(column++);
  }
  if (before == 0) {
    test.sums = sums.sums;
    test.squares = sums.squares;
  } else {
    test.sums += sums.sums;
    test.squares += sums.squares;
  }
  if (!test.outside) test.outside = std::move(sums.outside);
}

TestReport judge_test(const FreshTest& test, const SieveError& error, double tolerance,
                      double confidence, Index look, const SieveTuning& tuning) {
  const double own = confidence_of_look(look, confidence), z = normal_quantile(own);
  const double squared = tolerance * tolerance;
  TestReport report;
  report.measured = test.steps.mean();
  report.limit = mean_limit(test.steps, own);
  report.gradient_limit = mean_limit(test.gradients, own);
  report.spread = mean_limit(test.spreads, own);
  const Vector noise = test.noise();
  const double beyond = test.coefficients().squaredNorm() - noise.sum();
  if (beyond > squared_margin(z, 0, noise)) report.found = beyond;

  const double error_of_mean = standard_error(test.steps);
  const double least = report.measured - z * error_of_mean;
  const bool above =
      report.measured > squared && error_of_mean <= tuning.coarse_resolution * squared;
  // Up to a tenth beyond what was aimed at.
  const bool sharp = error_of_mean <= 1.1 * tuning.test_resolution * squared;
  const double inside = std::max(error.sampling, report.spread) + error.optimisation;
  const bool contradicts =
      least > squared || above || inside + std::max(error.basis, report.found) > squared;
  using enum TestReport::Finding;
  if (contradicts) {
    report.finding = refuted;
  } else if (report.limit <= squared) {
    report.finding = confirmed;
  } else {
    const double weakest = std::pow(tuning.weakest_test, 2) * squared;
    report.finding = sharp ? refuted : report.limit <= weakest ? assumed : too_weak;
  }
  return report;
}

Index first_test_blocks(std::int64_t spent, Index draws, bool cheap, const SieveTuning& tuning) {
  const auto share = static_cast<Index>(tuning.test_share * static_cast<double>(spent));
  const Index least = cheap ? tuning.cheap_test : std::min<Index>(tuning.least_test, spent);
  const Index blocks = std::max(least, share) / (draws * block_size);
  return std::max<Index>(blocks, cheap ? tuning.least_test_blocks : 2);
}

Index all_test_blocks(const FreshTest& test, double tolerance, std::int64_t spent,
                      const SieveTuning& tuning) {
  const Index first = test.samples() / block_size;
  const double error = standard_error(test.steps) / (tolerance * tolerance);
  const auto blocks_for = [&](double resolution) {
    return std::ceil(std::pow(error / resolution, 2) * static_cast<double>(first));
  };
  const double most = std::floor(static_cast<double>(std::max<std::int64_t>(spent, test.cost())) /
                                 static_cast<double>(block_size * test.draws));
  const double deciding = blocks_for(tuning.test_resolution);
  if (deciding <= most) return std::max(first, static_cast<Index>(deciding));
  if (blocks_for(tuning.coarse_resolution) <= most) return static_cast<Index>(most);
  // A quarter of the squared weakest limit, so that its quantile is within it.
  const double least = blocks_for(0.25 * std::pow(tuning.weakest_test, 2));
  return std::max(first, static_cast<Index>(std::min(least, most)));
}

std::vector<MultiIndex> functions_found(const Basis& wide, const FreshTest& test,
                                        const SieveTuning& tuning) {
  const Coefficients c = test.coefficients();
  const Index m = wide.size() - c.rows();
  const Gains gains{c.rowwise().squaredNorm(), test.noise()};
  const auto most = static_cast<Index>(tuning.most_growth * static_cast<double>(m));
  std::vector<MultiIndex> added;
  for (const Index i : mark(
           gains, {.noise_factor = std::max(tuning.growth_signal,
                                            noise_maximum(c.rows(), static_cast<double>(c.cols()))),
                  .bulk = tuning.bulk,
                  .always = 0,
                  .most = std::max<Index>(1, most)}))
    added.push_back(wide.indices()[m + i]);
  return added;
}

std::string assumption(const TestReport& report, const Basis& wide, double tolerance) {
  return fmt::format(
      "the noise is too large for a test of the whole error: {} functions of the parameters were "
      "looked for (all up to degree {}), and no error above the tolerance {:.3g} is left in them; "
      "of any other function an error of up to {:.3g} is not excluded (a run with more gradients, "
      "or a larger tolerance, tests more)",
      wide.size(), complete_degree(wide), tolerance, std::sqrt(report.limit));
}

}  // namespace chaosgrad::internal
