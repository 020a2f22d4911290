#include "solution/statistics/sampled.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "solution/statistics/bars.h"
#include "solution/statistics/statistic_table.h"

namespace chaosgrad::internal {
namespace {

constexpr Index shifts = 16;  // independent sets of Sobol' points; their scatter is the error
constexpr double memory_limit = 3e7;  // numbers kept at a time

// Points of a set, as many as work and memory allow: a power of 2.
Index points_per_shift(const OutputSampler& sampler, Index evaluations, Index indexed,
                       Index columns, Index versions, const StatisticsOptions& options) {
  const double work = static_cast<double>(evaluations * (shifts + versions - 1)) * sampler.work();
  const double memory =
      static_cast<double>(evaluations * indexed + 5 * sampler.outputs() + 3 * columns);
  const double points = std::min(
      {static_cast<double>(options.samples / shifts), options.work / work, memory_limit / memory});
  // Projections on many rows are dear.
  const double least = sampler.constraints() ? 32 : static_cast<double>(block_size);
  return static_cast<Index>(std::bit_floor(static_cast<std::size_t>(std::max(least, points))));
}

std::vector<Vector> sorted_columns(const Matrix& values, int threads) {
  std::vector<Vector> sorted(static_cast<std::size_t>(values.cols()));
  Executor(threads).for_each(values.cols(), [&](Index j) {
    Vector& column = sorted[static_cast<std::size_t>(j)];
    column = values.col(j);
    // NaN is not less than anything, which sorting must not meet.
    std::sort(column.begin(), column.end(),
              [](double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); });
  });
  return sorted;
}

// From then on the samples are of θ that have an x.
InfeasibleSamples leave_out_infeasible(OutputSamples& samples) {
  if (samples.has_x.all()) return {};
  const auto all = samples.has_x.size();
  const Index first = std::ranges::find(samples.has_x, false) - samples.has_x.begin();
  const InfeasibleSamples found{
      1 - static_cast<double>(samples.has_x.count()) / static_cast<double>(all),
      samples.theta.row(first).transpose()};
  const std::vector<Index> rows = rows_with(samples.has_x);
  samples = {samples.theta(rows, Eigen::all), samples.values(rows, Eigen::all),
             samples.has_x(rows)};
  return found;
}

void add(const InfeasibleSamples& some, double weight, InfeasibleSamples& sum) {
  sum.share += weight * some.share;
  if (sum.theta.size() == 0) sum.theta = some.theta;
}

}  // namespace

SampledTable sampled_statistics(const OutputSampler& sampler, const CrossFit& fit,
                                const Pairs& pairs, Index d, Index first_indexed,
                                Index first_inexact, double confidence,
                                const StatisticsOptions& options) {
  const Index outputs = sampler.outputs();
  const Index indexed = outputs - first_indexed;
  const Index evaluations = indexed > 0 ? 2 * d + 2 : 1, columns = indexed > 0 ? 2 * d : d;
  const Index count =
      points_per_shift(sampler, evaluations, indexed, columns, fit.versions(), options);
  SampledTable result{.layout = {.numbers = static_cast<Index>(number_statistics().size()),
                                 .levels = static_cast<Index>(options.levels.size()),
                                 .bins = options.bins,
                                 .dimension = d,
                                 .pairs = static_cast<Index>(pairs.size()),
                                 .outputs = outputs,
                                 .first_inexact = first_inexact,
                                 .covariances = outputs <= most_covariances ? outputs : 0,
                                 .atoms = sampler.constraints() != nullptr},
                      .value = {},
                      .error = {},
                      .sorted = {},
                      .edges = {},
                      .extremes = std::vector<Extremes>(static_cast<std::size_t>(outputs)),
                      .infeasible = {}};
  const auto table_of = [&](const Matrix& u, const NoiseRule& noise, const Coefficients& version,
                            bool main) {
    OutputSamples samples = sampler.at(u.leftCols(d), version, noise);
    const InfeasibleSamples left_out = leave_out_infeasible(samples);
    if (main) add(left_out, 1.0 / shifts, result.infeasible);
    std::vector<Vector> sorted = sorted_columns(samples.values, options.threads);
    for (std::size_t j = 0; j < sorted.size(); ++j) {
      if (main) result.extremes[j].add(sorted[j]);
      if (result.edges.size() <= j)
        result.edges.push_back(histogram_edges(sorted[j], options.bins));
    }
    Matrix table = describe(samples, sorted, result.layout, options.levels, result.edges);
    if (indexed > 0)
      add_sobol_indices(sampler, u, version, noise, pairs, first_indexed, result.layout, table);
    if (result.sorted.empty()) result.sorted = std::move(sorted);
    return table;
  };

  std::vector<Matrix> tables;
  const Coefficients u = fit.mean(0);
  for (Index shift = 0; shift < shifts; ++shift) {
    tables.push_back(table_of(shifted_points(options.seed, shift, count, columns),
                              sampler.noise(shift), u, true));
  }
  result.value = Matrix::Zero(outputs, result.layout.size());
  for (const Matrix& table : tables) result.value += table / static_cast<double>(shifts);
  result.error = scatter_error(tables, confidence);
  if (!fit.noisy()) return result;

  // The noise in the coefficients, on one set of points: T + (G − 1)(T − mean of T without one) has
  // no bias of first order in its variance.
  const Matrix points = shifted_points(options.seed, 0, count, columns);
  std::vector<Matrix> without_one;
  Matrix mean = Matrix::Zero(outputs, result.layout.size());
  const auto G = static_cast<double>(fit.versions() - 1);
  for (Index version = 1; version < fit.versions(); ++version) {
    without_one.push_back(table_of(points, sampler.noise(0), fit.mean(version), false));
    mean += without_one.back() / G;
  }
  Matrix correction = (G - 1) * (tables[0] - mean);
  // What the correction leaves is of higher order, but not small where it is itself large.
  result.error += jackknife_error(without_one, confidence) + correction.cwiseAbs();
  // A bin counts points that jump across its edges, and G − 1 would magnify that: the bar is
  // enough.
  correction.middleCols(result.layout.bin(0), options.bins).setZero();
  result.value += correction;
  return result;
}

}  // namespace chaosgrad::internal
