#pragma once
// Statistics of samples of the outputs, as one table per set of samples: a row per output.
#include "solution/statistics/coefficients.h"
#include "solution/statistics/sampler.h"

namespace chaosgrad::internal {

// The columns of the table.
struct TableLayout {
  Index numbers;  // of statistic_table.h, first
  Index levels, bins, dimension, pairs, outputs;
  // Outputs before this one have exact correlations with θ and covariances among themselves: their
  // columns stay 0.
  Index first_inexact = 0;
  Index covariances = outputs;  // 0: none, there are too many outputs
  // Outputs may have a bound that holds with a probability: the first bin includes its lower edge.
  bool atoms = false;

  [[nodiscard]] Index sixth() const { return numbers; }  // E z⁶, for the bars of the others
  [[nodiscard]] Index quantile(Index l) const { return numbers + 1 + l; }
  [[nodiscard]] Index bin(Index b) const { return quantile(levels) + b; }  // probability
  [[nodiscard]] Index correlation(Index k) const { return bin(bins) + k; }
  [[nodiscard]] Index covariance(Index j) const { return correlation(dimension) + j; }
  [[nodiscard]] Index main(Index k) const { return covariance(covariances) + k; }
  [[nodiscard]] Index total(Index k) const { return main(dimension) + k; }
  [[nodiscard]] Index pair(Index p) const { return total(dimension) + p; }
  [[nodiscard]] Index size() const { return pair(pairs); }
};

// Standardised third, fourth and sixth moments of weighted values.
struct ShapeMoments {
  double mean = 0, sd = 0, third = 0, fourth = 0, sixth = 0;
};
[[nodiscard]] ShapeMoments shape_moments(const Vector& values, const Vector& weights);

// The largest deviations from the mean among all samples of an output, to see whether its tails end
// where the samples do.
struct Extremes {
  std::vector<double> values;  // of every set of samples its lowest and highest
  Index samples = 0;           // in all
  void add(const Vector& sorted);
};
// What of E|z|^power, z = (value − mean)/sd, may lie beyond the samples, by how much less each of
// two ranges of rare values adds to it than the one before; infinite where it does not add less.
[[nodiscard]] double beyond_samples(const Extremes& extremes, double mean, double sd, int power);

[[nodiscard]] double sorted_quantile(const Vector& sorted, double p);
// P(output ≤ t) of a sorted sample.
[[nodiscard]] double sorted_cdf(const Vector& sorted, double t);
// P(from < output ≤ to); with `closed` P(from ≤ output ≤ to).
[[nodiscard]] double sorted_mass(const Vector& sorted, double from, double to, bool closed);
// From the 0.1 % to the 99.9 % quantile; empty if they are the same.
[[nodiscard]] Vector histogram_edges(const Vector& sorted, Index bins);

// Everything but the Sobol' indices. `sorted` are the columns of the samples in order; edges[j]
// belongs to output j.
[[nodiscard]] Matrix describe(const OutputSamples& samples, const std::vector<Vector>& sorted,
                              const TableLayout& layout, const std::vector<double>& levels,
                              const std::vector<Vector>& edges);

// Sobol' indices of the outputs from `first` on, by pick and freeze: u holds two points per row (n
// × 2d), and the outputs are compared between points that share some coordinates.
void add_sobol_indices(const OutputSampler& sampler, const Matrix& u, const Coefficients& u_hat,
                       const NoiseRule& noise, const Pairs& pairs, Index first,
                       const TableLayout& layout, Matrix& table);

}  // namespace chaosgrad::internal
