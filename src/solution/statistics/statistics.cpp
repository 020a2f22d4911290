#include "chaosgrad/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "solution/statistics/bars.h"
#include "solution/statistics/exact.h"
#include "solution/statistics/statistic_table.h"

namespace chaosgrad {
using namespace internal;
namespace {

ShapeMoments shape_of(const SampledTable& table, Index j) {
  const auto value = [&](Estimate OutputStatistics::*member) {
    return table.value(j, number_column(member));
  };
  return {.mean = value(&OutputStatistics::mean),
          .sd = std::max(value(&OutputStatistics::sd), 0.0),  // NaN stays NaN
          .third = value(&OutputStatistics::skewness),
          .fourth = value(&OutputStatistics::excess_kurtosis),
          .sixth = table.value(j, table.layout.sixth())};
}

Histogram histogram(const SampledTable& table, Index j, double norm, double confidence) {
  const Vector& edges = table.edges[static_cast<std::size_t>(j)];
  const Vector& sorted = table.sorted[static_cast<std::size_t>(j)];
  if (edges.size() == 0) return {};
  const Index bins = edges.size() - 1;
  Histogram result{edges, Vector(bins), Vector(bins)};
  // Where every quantile may move by δ an edge may too.
  const double delta = norm / std::sqrt(1 - confidence);
  for (Index b = 0; b < bins; ++b) {
    const double a = edges(b), c = edges(b + 1), width = c - a;
    const bool closed = table.layout.atoms && b == 0;
    const double mass = sorted_mass(sorted, a, c, closed);
    const double most = sorted_cdf(sorted, c + delta) - sorted_cdf(sorted, a - delta);
    // Bounds of x hold for x* too: what lies on them stays inside.
    const double from = closed && a <= sorted(0) ? a : a + delta;
    const bool last = table.layout.atoms && c >= sorted(sorted.size() - 1);
    const double least = std::max(0.0, sorted_mass(sorted, from, last ? c : c - delta, closed));
    const double value = std::max(0.0, table.value(j, table.layout.bin(b)));
    result.density(b) = value / width;
    result.error(b) =
        (table.error(j, table.layout.bin(b)) + std::max(most - mass, mass - least)) / width;
  }
  return result;
}

// What the samples cannot see of the tails is part of the bar.
void add_tails(const Extremes& extremes, const ShapeMoments& shape, OutputStatistics& output) {
  output.skewness.error += beyond_samples(extremes, shape.mean, shape.sd, 3);
  output.excess_kurtosis.error += beyond_samples(extremes, shape.mean, shape.sd, 4);
}

constexpr Estimate not_known{std::numeric_limits<double>::quiet_NaN(), infinity};

OutputStatistics nothing_sampled() {
  OutputStatistics output;
  for (const NumberEntry& number : number_statistics()) output.*number.member = not_known;
  return output;
}

// Of an output that is not a number at some samples.
OutputStatistics nothing_known(const TableLayout& layout, bool indexed) {
  OutputStatistics output = nothing_sampled();
  const auto list = [](Index size) {
    return std::vector<Estimate>(static_cast<std::size_t>(size), not_known);
  };
  output.quantiles = list(layout.levels);
  output.correlation = output.slope = list(layout.dimension);
  if (!indexed) return output;
  output.main = output.total = list(layout.dimension);
  output.pairwise = list(layout.pairs);
  return output;
}

// The statistics of one output from its row of the table.
OutputStatistics read_row(const SampledTable& table, Index j, const Propagated& propagated,
                          const Vector& parameter_sd, double confidence,
                          const StatisticsOptions& options, bool indexed) {
  const TableLayout& layout = table.layout;
  const ShapeMoments shape = shape_of(table, j);
  if (std::isnan(shape.mean)) return nothing_known(layout, indexed);
  const Vector& sorted = table.sorted[static_cast<std::size_t>(j)];
  OutputStatistics output;
  Index column = 0;
  for (const NumberEntry& number : number_statistics()) {
    output.*number.member = {
        number.sampled.finish(table.value(j, column)),
        table.error(j, column) + number.sampled.bar({propagated, sorted, confidence})};
    ++column;
  }
  add_tails(table.extremes[static_cast<std::size_t>(j)], shape, output);
  for (Index l = 0; l < layout.levels; ++l) {
    const double level = options.levels[static_cast<std::size_t>(l)];
    output.quantiles.push_back({table.value(j, layout.quantile(l)),
                                table.error(j, layout.quantile(l)) +
                                    quantile_bar(sorted, level, propagated.norm, confidence)});
  }
  output.histogram = histogram(table, j, propagated.norm, confidence);

  const double angle = largest_angle(propagated.norm, shape.sd);
  for (Index k = 0; k < layout.dimension; ++k) {
    output.correlation.push_back(correlation_estimate(
        table.value(j, layout.correlation(k)), table.error(j, layout.correlation(k)), angle));
    const double value = output.correlation.back().value;
    // slope = correlation · sd/sd(θ_k); an error e of the output moves it by at most ‖e‖/sd(θ_k).
    const double sampling = table.error(j, layout.correlation(k)) * shape.sd +
                            std::abs(value) * table.error(j, number_column(&OutputStatistics::sd));
    output.slope.push_back(parameter_sd(k) > 0
                               ? Estimate{value * shape.sd / parameter_sd(k),
                                          (sampling + propagated.norm) / parameter_sd(k)}
                               : Estimate{0, 0});
  }
  if (!indexed) return output;
  const auto share = [&](Index at) {
    return share_estimate(table.value(j, at), table.error(j, at), angle);
  };
  for (Index k = 0; k < layout.dimension; ++k) {
    output.main.push_back(share(layout.main(k)));
    output.total.push_back(share(layout.total(k)));
  }
  for (Index p = 0; p < layout.pairs; ++p) output.pairwise.push_back(share(layout.pair(p)));
  return output;
}

// Every error but the noise grows by the factor.
Accuracy scaled(Accuracy accuracy, double factor) {
  accuracy.total *= factor;
  accuracy.components *= factor;
  return accuracy;
}

std::vector<Index> every(Index count) {
  std::vector<Index> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void set_covariance(const SampledTable& table, const std::vector<Propagated>& propagated,
                    Statistics& result) {
  const Index outputs = table.value.rows();
  result.covariance = table.value.middleCols(table.layout.covariance(0), outputs);
  result.covariance_error = table.error.middleCols(table.layout.covariance(0), outputs);
  for (Index i = 0; i < outputs; ++i) {
    for (Index j = 0; j < outputs; ++j) {
      const double ei = propagated[static_cast<std::size_t>(i)].norm,
                   ej = propagated[static_cast<std::size_t>(j)].norm;
      const double si = shape_of(table, i).sd, sj = shape_of(table, j).sd;
      result.covariance_error(i, j) += si * ej + sj * ei + ei * ej;
    }
  }
}

// Whether statistics of x follow from the coefficients.
bool is_exact(const Expansion& expansion, const StatisticsOptions& options) {
  return !options.measure && !expansion.lift();
}

// By sampling: of the chosen components and the quantities.
void set_sampled(const Expansion& expansion, const Accuracy& accuracy, const CrossFit& fit,
                 const OutputSampler& sampler, const std::vector<Index>& chosen,
                 const Quantities& quantities, const StatisticsOptions& options,
                 Statistics& result) {
  const Measure& law = options.measure ? *options.measure : expansion.measure();
  const Index components = sampler.components(), outputs = sampler.outputs();
  const Index first_inexact = is_exact(expansion, options) ? components : 0;
  const Index first_indexed = options.indices ? first_inexact : outputs;
  const SampledTable table =
      sampled_statistics(sampler, fit, result.pairs, law.dimension(), first_indexed, first_inexact,
                         accuracy.confidence, options);
  result.infeasible = table.infeasible;
  std::vector<Propagated> propagated;
  for (Index i = 0; i < components; ++i)
    propagated.push_back(propagate_component(
        accuracy.components(chosen[static_cast<std::size_t>(i)]), shape_of(table, i)));
  if (quantities.count > 0) {
    std::vector<ShapeMoments> shapes;
    for (Index j = components; j < outputs; ++j) shapes.push_back(shape_of(table, j));
    const std::vector<Propagated> more =
        propagate_quantities(sampler, quantities, accuracy, shapes, law.dimension(), options);
    propagated.insert(propagated.end(), more.begin(), more.end());
  }
  const Vector parameter_sd = parameter_deviations(law);
  const Index q = static_cast<Index>(result.outputs.size()) - quantities.count;
  for (Index j = 0; j < outputs; ++j) {
    const Index output = j < components ? chosen[static_cast<std::size_t>(j)] : q + j - components;
    result.outputs[static_cast<std::size_t>(output)] =
        read_row(table, j, propagated[static_cast<std::size_t>(j)], parameter_sd,
                 accuracy.confidence, options, j >= first_indexed);
  }
  if (components == q && table.layout.covariances > 0) set_covariance(table, propagated, result);
}

}  // namespace

bool is_useless(const Estimate& shape) {
  return !std::isfinite(shape.value) || !(shape.error <= std::max(1.0, std::abs(shape.value)));
}

Accuracy accuracy(const ErrorEstimate& error, std::vector<Coefficients> replicates,
                  Index dimension) {
  Accuracy result{.confidence = error.confidence};
  result.replicates = std::move(replicates);
  if (error.estimate) {
    // What the replicates show as noise is not counted twice.
    result.total = *error.estimate;
    if (!result.replicates.empty() && error.basis && error.optimisation)
      result.total = std::hypot(*error.basis, *error.optimisation);
  }
  result.components = Vector::Constant(dimension, result.total);
  if (error.components.size() == dimension && error.estimate && *error.estimate > 0)
    result.components = error.components * (result.total / *error.estimate);
  return result;
}

Accuracy accuracy(const Solution& solution) {
  return accuracy(solution.error, solution.replicates, solution.expansion.coefficients().cols());
}

namespace {

// The parts of both kinds of statistics: of x and quantities, and of quantities alone.
struct Frame {
  Accuracy accuracy;
  Statistics result;
};

Frame frame(const Expansion& expansion, const Accuracy& given, const StatisticsOptions& options) {
  Frame frame{given, {}};
  frame.result.levels = options.levels;
  if (options.measure) {
    frame.result.reweighting = reweighting(expansion.measure(), *options.measure);
    frame.accuracy = scaled(given, frame.result.reweighting->error_factor);
  }
  if (options.indices)
    frame.result.pairs =
        relevant_pairs(expansion.basis().indices(), expansion.coefficients().rows());
  return frame;
}

void drop_useless(Statistics& statistics) {
  for (OutputStatistics& output : statistics.outputs) {
    for (Estimate* shape : {&output.skewness, &output.excess_kurtosis}) {
      if (is_useless(*shape)) *shape = {std::nan(""), infinity};
    }
  }
}

}  // namespace

Statistics statistics(const Expansion& expansion, const Accuracy& given,
                      const Quantities& quantities, const StatisticsOptions& options) {
  auto [accuracy, result] = frame(expansion, given, options);
  const CrossFit fit(expansion.coefficients(), accuracy.replicates);
  const bool exact = is_exact(expansion, options), all = !exact || !options.components;
  const std::vector<Index> chosen =
      all ? every(expansion.coefficients().cols()) : *options.components;
  result.outputs.resize(
      static_cast<std::size_t>(expansion.coefficients().cols() + quantities.count),
      nothing_sampled());
  const OutputSampler sampler(expansion, options.measure ? *options.measure : expansion.measure(),
                              chosen, quantities, options);
  if (sampler.outputs() > 0)
    set_sampled(expansion, accuracy, fit, sampler, chosen, quantities, options, result);
  if (exact) set_exact_components(expansion, fit, accuracy, options.work / 4, result);
  drop_useless(result);
  return result;
}

Statistics internal::quantity_statistics(const Expansion& expansion, const Accuracy& given,
                                         const Quantities& quantities,
                                         const StatisticsOptions& options) {
  auto [accuracy, result] = frame(expansion, given, options);
  if (quantities.count == 0) return result;
  const CrossFit fit(expansion.coefficients(), accuracy.replicates);
  result.outputs.resize(static_cast<std::size_t>(quantities.count), nothing_sampled());
  const OutputSampler sampler(expansion, options.measure ? *options.measure : expansion.measure(),
                              {}, quantities, options);
  set_sampled(expansion, accuracy, fit, sampler, {}, quantities, options, result);
  drop_useless(result);
  return result;
}

Statistics statistics(const Solution& solution, const Quantities& quantities,
                      const StatisticsOptions& options) {
  return statistics(solution.expansion, accuracy(solution), quantities, options);
}

}  // namespace chaosgrad
