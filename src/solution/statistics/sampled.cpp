#include "solution/statistics/sampled.h"

#include <algorithm>
#include <bit>

#include "solution/statistics/bars.h"
#include "solution/statistics/statistic_table.h"

namespace chaosgrad::internal {
namespace {

constexpr Index shifts = 16;        // independent sets of Sobol' points; their scatter is the error
constexpr double work_limit = 4e9;  // multiplications in all
constexpr double memory_limit = 3e7;  // numbers kept at a time

// Points of a set, as many as work and memory allow: a power of 2.
Index points_per_shift(const OutputSampler& sampler, const Expansion& expansion,
                       const Quantities& quantities, Index evaluations, Index indexed,
                       Index versions, Index most) {
  const auto functions = static_cast<double>(expansion.coefficients().size());
  const double formulas = 50.0 * static_cast<double>(sampler.draws() * quantities.count);
  const double work =
      static_cast<double>(evaluations * (shifts + versions)) * (functions + formulas);
  const double memory =
      static_cast<double>(evaluations * indexed + 4 * sampler.outputs() + 2 * evaluations);
  const double points =
      std::min({static_cast<double>(most), work_limit / work, memory_limit / memory});
  return static_cast<Index>(std::bit_floor(static_cast<std::size_t>(std::max(128.0, points))));
}

}  // namespace

SampledTable sampled_statistics(const OutputSampler& sampler, const Expansion& expansion,
                                const CrossFit& fit, const Quantities& quantities,
                                const Pairs& pairs, Index first_indexed, double confidence,
                                const StatisticsOptions& options) {
  const Index d = expansion.measure().dimension(), outputs = sampler.outputs();
  const Index indexed = outputs - first_indexed;
  const Index evaluations = indexed > 0 ? 2 * d + 2 : 1, columns = indexed > 0 ? 2 * d : d;
  const Index count = points_per_shift(sampler, expansion, quantities, evaluations, indexed,
                                       fit.versions(), options.samples / shifts);
  SampledTable result{.layout = {static_cast<Index>(number_statistics().size()),
                                 static_cast<Index>(options.levels.size()), options.bins, d,
                                 static_cast<Index>(pairs.size()), outputs},
                      .value = {},
                      .error = {},
                      .sorted = {},
                      .edges = {}};
  const auto table_of = [&](const ShiftedPoints& points, const Coefficients& u) {
    const OutputSamples samples = sampler.at(points.u.leftCols(d), u, points.noise);
    if (result.sorted.empty()) {
      for (Index j = 0; j < outputs; ++j) {
        Vector sorted = samples.values.col(j);
        std::sort(sorted.begin(), sorted.end());
        result.edges.push_back(histogram_edges(sorted, options.bins));
        result.sorted.push_back(std::move(sorted));
      }
    }
    Matrix table = describe(samples, result.layout, options.levels, result.edges);
    if (indexed > 0)
      add_sobol_indices(sampler, points.u, u, points.noise, pairs, first_indexed, result.layout,
                        table);
    return table;
  };

  std::vector<Matrix> tables;
  const Coefficients u = fit.mean(0);
  for (Index shift = 0; shift < shifts; ++shift) {
    tables.push_back(table_of(shifted_points(options.seed, shift, count, columns, sampler.draws(),
                                             quantities.noise_dimension),
                              u));
  }
  result.value = Matrix::Zero(outputs, result.layout.size());
  for (const Matrix& table : tables) result.value += table / static_cast<double>(shifts);
  result.error = scatter_error(tables, confidence);
  if (!fit.noisy()) return result;

  // The noise in the coefficients, on one set of points: T + (G − 1)(T − mean of T without one) has
  // no bias of first order in its variance.
  const ShiftedPoints points =
      shifted_points(options.seed, 0, count, columns, sampler.draws(), quantities.noise_dimension);
  std::vector<Matrix> without_one;
  Matrix mean = Matrix::Zero(outputs, result.layout.size());
  const auto G = static_cast<double>(fit.versions() - 1);
  for (Index version = 1; version < fit.versions(); ++version) {
    without_one.push_back(table_of(points, fit.mean(version)));
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
