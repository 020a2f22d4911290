#include "solution/statistics/sampler.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "samples/parameters.h"
#include "solution/statistics/bars.h"

namespace chaosgrad {
using namespace internal;
namespace {

// Scatter of a mean over the noise under one shift, against the largest mean; 16 shifts together
// are four times as accurate.
constexpr double noise_accuracy = 1e-3;
constexpr Index pilot_points = 32;
constexpr Index average_shifts = 16;

Stream noise_stream(std::uint64_t seed, Index shift) {
  return make_stream(seed, Purpose::statistics, 2 * static_cast<std::uint64_t>(shift) + 1);
}

// As many draws as the work allows, so that a few hundred θ are left.
Index affordable_draws(const Quantities& quantities, double work) {
  const double most = work / (16.0 * 256.0 * std::max(1.0, quantities.operations));
  return std::clamp<Index>(static_cast<Index>(most), least_noise_draws, most_noise_draws);
}

// Draws among which one must make a difference. Of a tail that matters few are in it: all cases
// where there are finitely many, else as many as a small part of a second allows.
Matrix telling_draws(const Quantities& quantities, const NoiseRule& cases, Index points) {
  if (cases.weights.size() > 0) return cases.nodes;
  constexpr double work = 1e8;  // multiplications
  const double affordable =
      work / (static_cast<double>(points) * std::max(1.0, quantities.operations));
  const auto draws = std::clamp<Index>(static_cast<Index>(affordable), least_noise_draws, 1024);
  return shifted_rule(noise_stream(1, 0), draws, quantities.noise_dimension).nodes;
}

// `cases` is the case_rule of the quantities.
bool depends_on_noise(const Quantities& quantities, const NoiseRule& cases, const Block& x,
                      const Block& theta) {
  const Matrix noise = telling_draws(quantities, cases, x.rows());
  const Matrix first = quantity_means(quantities, x, theta, noise.topRows(1));
  for (Index i = 1; i < noise.rows(); ++i) {
    const Matrix other = quantity_means(quantities, x, theta, noise.middleRows(i, 1));
    if (!(other.array() == first.array() || (other.array().isNaN() && first.array().isNaN())).all())
      return true;
  }
  return false;
}

}  // namespace

std::vector<Index> internal::rows_with(const Flags& has_x) {
  constexpr Index fewest = 2;  // that have a standard deviation
  std::vector<Index> rows;
  for (Index i = 0; i < has_x.size(); ++i) {
    if (has_x(i)) rows.push_back(i);
  }
  if (static_cast<Index>(rows.size()) >= fewest) return rows;
  rows.resize(static_cast<std::size_t>(has_x.size()));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

// Sets that are shifted alone all have the same standard deviation of a parameter. Scrambled ones
// tell how far off it is; for thousands of parameters they take longer than all the rest (2,000: 1.6
// instead of 0.3 s), and one of them hardly matters.
Matrix internal::shifted_points(std::uint64_t seed, Index shift, Index count, Index columns) {
  constexpr Index most_scrambled = 128;  // columns
  using Randomisation = SobolSequence::Randomisation;
  Matrix u(count, columns);
  const SobolSequence sequence(
      columns, make_stream(seed, Purpose::statistics, 2 * static_cast<std::uint64_t>(shift)),
      columns <= most_scrambled ? Randomisation::scramble : Randomisation::shift);
  for (Index first = 0; first < count; first += block_size) {
    const Index n = std::min(block_size, count - first);
    sequence.fill(first, u.middleRows(first, n));
  }
  return u;
}

OutputSampler::OutputSampler(const Expansion& expansion, const Measure& law,
                             std::vector<Index> components, const Quantities& quantities,
                             const StatisticsOptions& options)
    : expansion_(expansion),
      law_(law),
      same_law_(&law == &expansion.measure()),
      components_(std::move(components)),
      quantities_(quantities),
      seed_(options.seed),
      executor_(options.threads) {
  if (quantities_.count == 0 || quantities_.noise_dimension == 0) return;
  const auto [theta, x] = optima(shifted_points(seed_, 0, pilot_points, law_.dimension()));
  NoiseRule cases = case_rule(quantities_.noise_axes);
  if (!depends_on_noise(quantities_, cases, x, theta)) return;
  exact_ = std::move(cases);
  if (exact_.weights.size() > 0) return;
  std::vector<Stream> shifts;
  for (Index shift = 0; shift < 4; ++shift) shifts.push_back(noise_stream(seed_, shift));
  draws_ = enough_draws(
      [&, &theta = theta, &x = x](const NoiseRule& rule) {
        return quantity_means(quantities_, x, theta, rule.nodes, rule.weights);
      },
      shifts, quantities_.noise_dimension, noise_accuracy,
      affordable_draws(quantities_, options.work));
}

OutputSampler::Optima OutputSampler::optima(const Matrix& u) const {
  Optima result{Matrix(u.rows(), law_.dimension()),
                Matrix(u.rows(), expansion_.coefficients().cols())};
  for (Index first = 0; first < u.rows(); first += block_size) {
    const Index n = std::min(block_size, u.rows() - first);
    Matrix eta(n, law_.dimension()), theta(n, law_.dimension());
    parameters_from_uniform(law_, u.middleRows(first, n), eta, theta);
    if (!same_law_) expansion_.measure().germ_from_parameters(theta, eta);
    result.theta.middleRows(first, n) = theta;
    result.x.middleRows(first, n) = expansion_.evaluate_germ(eta);
  }
  const std::vector<Index> rows = rows_with(result.x.array().isFinite().rowwise().all());
  return {result.theta(rows, Eigen::all), result.x(rows, Eigen::all)};
}

const Constraints* OutputSampler::constraints() const {
  return expansion_.lift() ? &expansion_.lift()->constraints() : nullptr;
}

NoiseRule OutputSampler::noise(Index shift, Index most) const {
  const Index limit = std::max(most, least_noise_draws);
  if (exact_.weights.size() == 0)
    return shifted_rule(noise_stream(seed_, shift), std::min(draws_, limit),
                        quantities_.noise_dimension);
  const Index stride = (exact_.weights.size() + limit - 1) / limit;
  if (stride == 1) return exact_;
  const Index count = (exact_.weights.size() + stride - 1) / stride;
  NoiseRule some{exact_.nodes(Eigen::seqN(0, count, stride), Eigen::all),
                 exact_.weights(Eigen::seqN(0, count, stride))};
  some.weights /= some.weights.sum();
  return some;
}

double OutputSampler::work() const {
  const auto m = static_cast<double>(expansion_.coefficients().rows());
  const auto columns =
      static_cast<double>(quantities_.count > 0 ? expansion_.coefficients().cols() : components());
  const auto draws = static_cast<double>(std::max<Index>(draws_, exact_.weights.size()));
  constexpr double per_parameter = 30;  // a Sobol' number and a quantile
  constexpr double per_output = 100;    // sorting
  return m * (1 + columns) + (expansion_.lift() ? projection_work(*expansion_.lift()) : 0) +
         per_parameter * static_cast<double>(law_.dimension()) +
         per_output * static_cast<double>(outputs()) +
         (quantities_.count > 0 ? draws * quantities_.operations : 0);
}

// A metric of its own for each sample, its inverse, and some changes of the active set; with norms
// and constraints that are not affine some ten such problems one after the other. However small they
// are, 23 problems of the benchmarks take 8 to 35 and 40 to 100 µs (`benchmarks/projections.py`).
double internal::projection_work(const Lift& lift) {
  const auto q = static_cast<double>(lift.constraints().dimension()),
             p = static_cast<double>(lift.constraints().rows());
  const bool sequential = std::ranges::any_of(
      lift.constraints().list(), [](const Constraint& c) { return c.norm || !c.affine; });
  const double least = sequential ? 50'000 : 12'000, changes = 5 + p / 50;
  return least + static_cast<double>(lift.factor().size()) + 2 * q * (q + p) * (q + changes);
}

Matrix quantity_means(const Quantities& quantities, Block x, Block theta, const Matrix& noise,
                      const Vector& weights) {
  Matrix mean = Matrix::Zero(x.rows(), quantities.count), values(x.rows(), quantities.count);
  for (Index draw = 0; draw < noise.rows(); ++draw) {
    quantities.evaluate(x, theta, noise.row(draw).replicate(x.rows(), 1), values);
    if (weights.size() > 0) {
      mean += weights(draw) * values;
    } else {
      mean += values / static_cast<double>(noise.rows());
    }
  }
  if (quantities.noiseless) quantities.noiseless(x, theta, mean);
  return mean;
}

OutputSamples OutputSampler::at(const Matrix& u, const Coefficients& coefficients,
                                const NoiseRule& noise) const {
  // Quantities and projections need all of x.
  const bool all = quantities_.count > 0 || expansion_.lift();
  const Expansion expansion(
      expansion_.measure(), expansion_.basis(),
      all ? coefficients : Coefficients(coefficients(Eigen::all, components_)),
      expansion_.shared_lift());
  OutputSamples samples{Matrix(u.rows(), law_.dimension()), Matrix(u.rows(), outputs()),
                        Flags(u.rows())};
  executor_.for_each((u.rows() + block_size - 1) / block_size, [&](Index block) {
    const Index first = block * block_size, n = std::min(block_size, u.rows() - first);
    Matrix eta(n, law_.dimension()), theta(n, law_.dimension());
    parameters_from_uniform(law_, u.middleRows(first, n), eta, theta);
    if (!same_law_) expansion.measure().germ_from_parameters(theta, eta);
    const Matrix x = expansion.evaluate_germ(eta);
    samples.theta.middleRows(first, n) = theta;
    samples.has_x.segment(first, n) = x.array().isFinite().rowwise().all();
    if (!all) {
      samples.values.middleRows(first, n) = x;
      return;
    }
    for (Index i = 0; i < components(); ++i)
      samples.values.block(first, i, n, 1) = x.col(components_[static_cast<std::size_t>(i)]);
    if (quantities_.count == 0) return;
    samples.values.block(first, components(), n, quantities_.count) =
        quantity_means(quantities_, x, theta, noise.nodes, noise.weights);
  });
  return samples;
}

QuantityAverage::QuantityAverage(const Quantities& quantities, const Block& x, const Block& theta,
                                 std::uint64_t seed, double confidence)
    : quantities_(quantities), confidence_(confidence) {
  const auto shift = [&](Index s) {
    return make_stream(seed, Purpose::sample, 1 + static_cast<std::uint64_t>(s));
  };
  NoiseRule exact = case_rule(quantities.noise_axes);
  const bool noisy = quantities.count > 0 && quantities.noise_dimension > 0;
  if (!noisy || !depends_on_noise(quantities, exact, x, theta)) {
    rules_.push_back(shifted_rule(shift(0), 1, quantities.noise_dimension));
    return;
  }
  if (exact.weights.size() > 0) {
    rules_.push_back(std::move(exact));
    return;
  }
  std::vector<Stream> shifts;
  for (Index s = 0; s < average_shifts; ++s) shifts.push_back(shift(s));
  const Index draws = enough_draws(
      [&](const NoiseRule& rule) {
        return quantity_means(quantities, x, theta, rule.nodes, rule.weights);
      },
      {shifts.begin(), shifts.begin() + 4}, quantities.noise_dimension, noise_accuracy,
      most_noise_draws);
  for (const Stream& one : shifts)
    rules_.push_back(shifted_rule(one, draws, quantities.noise_dimension));
}

QuantityAverage::Result QuantityAverage::at(const Block& x, const Block& theta) const {
  std::vector<Matrix> means;
  for (const NoiseRule& rule : rules_)
    means.push_back(quantity_means(quantities_, x, theta, rule.nodes, rule.weights));
  if (exact()) return {means[0], Matrix::Zero(x.rows(), quantities_.count)};
  Result result{Matrix::Zero(x.rows(), quantities_.count), scatter_error(means, confidence_)};
  for (const Matrix& mean : means) result.mean += mean / static_cast<double>(means.size());
  return result;
}

}  // namespace chaosgrad
