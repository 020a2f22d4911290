#include "solve/sieve/fresh_test.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "basis/kernels.h"
#include "estimate/repeated_gradients.h"
#include "random/random.h"
#include "solve/common/growth.h"

namespace chaosgrad::internal {
namespace {

struct TestSums {
  Coefficients sums;
  Vector squares;
  std::optional<OutsidePoint> outside = {};
  auto members() { return std::tie(sums, squares, outside); }
};

void add(TestSums& left, TestSums&& right) {
  left.sums += right.sums;
  left.squares += right.squares;
  if (!left.outside) left.outside = std::move(right.outside);
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

// One block of θ: fills its entries of the test, returns its sums.
TestSums test_block(const Oracle& oracle, const Basis& wide, const SieveState& state,
                    std::uint64_t seed, Index look, Index block, FreshTest& test) {
  const Index m = state.u.rows(), q = state.u.cols(), total = wide.size();
  const SieveSamples at = mixture_samples(
      oracle, wide, m,
      make_stream(seed, Purpose::sieve_test_parameters, static_cast<std::uint64_t>(look)), block);
  BasisBlock psi;
  Matrix x(block_size, q), g(block_size, q);
  wide.evaluate(at.eta, m, psi);
  expand(psi, state.u, x);
  TestSums sums{Coefficients::Zero(total - m, q), Vector::Zero(total - m), {}};
  PairProducts gradients(block_size, q), steps(block_size, q);
  Matrix noise(block_size, oracle.noise_dimension());
  for (Index draw = 0; draw < test.draws; ++draw) {
    if (noise.cols() > 0)
      fill_uniform(make_stream(seed, Purpose::sieve_test_noise,
                               static_cast<std::uint64_t>(look * most_test_draws + draw)),
                   block * block_size, noise);
    oracle.gradient(x, at.theta, noise, g);
    if (!g.allFinite() && !sums.outside) sums.outside = outside_point(x, at.theta, noise, g);
    if (sums.outside) return sums;
    gradients.add(g);
    steps.add(state.metric->steps(at.eta, g));
  }
  const auto rows = Eigen::seqN(block * block_size, block_size);
  const Vector weighted_squares = at.weights.cwiseProduct(steps.mean_squares());
  test.steps(rows) = at.weights.cwiseProduct(steps.products());
  test.gradients(rows) = at.weights.cwiseProduct(gradients.products());
  test.spreads(rows) =
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

Index test_draws(double variance, double tolerance, std::int64_t spent, const SieveTuning& tuning) {
  const double wanted = variance / (tuning.test_noise * tolerance * tolerance);
  const auto affordable = static_cast<double>(spent / (tuning.least_test_blocks * block_size));
  return static_cast<Index>(
      std::clamp(std::min(wanted, affordable), 2.0, static_cast<double>(most_test_draws)));
}

void add(const Oracle& oracle, const Basis& wide, const SieveState& state, std::uint64_t seed,
         Index look, Index blocks, Executor& executor, FreshTest& test) {
  const Index before = test.samples() / block_size, rows = test.samples() + blocks * block_size;
  for (Vector* terms : {&test.steps, &test.gradients, &test.spreads})
    terms->conservativeResize(rows);
  TestSums sums = executor.reduce(
      blocks,
      [&](Index b) { return test_block(oracle, wide, state, seed, look, before + b, test); },
      [](TestSums& left, TestSums&& right) { add(left, std::move(right)); });
  if (before == 0) {
    test.sums = sums.sums;
    test.squares = sums.squares;
  } else {
    test.sums += sums.sums;
    test.squares += sums.squares;
  }
  if (!test.outside) test.outside = std::move(sums.outside);
}

}  // namespace chaosgrad::internal
