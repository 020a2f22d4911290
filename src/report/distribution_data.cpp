#include <algorithm>
#include <cmath>

#include "chaosgrad/random.h"
#include "report/expansion_data.h"

namespace chaosgrad {
namespace {

constexpr double levels[] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

// As many points as a moment of work and of memory allows.
Index point_count(const Expansion& expansion) {
  const auto q = static_cast<double>(expansion.coefficients().cols());
  const double work = 3e9 / (static_cast<double>(expansion.coefficients().rows()) * q);
  const double memory = 8e6 / q;
  const double points = std::clamp(std::min(work, memory), 2048.0, 65536.0);
  return static_cast<Index>(std::exp2(std::floor(std::log2(points))));
}

// x*(θ) at points spread by π, one row each.
Matrix draw_components(const Expansion& expansion, std::uint64_t seed) {
  const Index d = expansion.measure().dimension(), count = point_count(expansion);
  const Stream stream = make_stream(seed, Purpose::verification, 1);
  const bool spread = d <= SobolSequence::max_dimension();
  const SobolSequence sequence(spread ? d : 1, stream);
  Matrix eta(block_size, d), x(count, expansion.coefficients().cols());
  for (Index first = 0; first < count; first += block_size) {
    if (spread)
      sequence.fill(first, eta);
    else
      fill_uniform(stream, first, eta);
    expansion.measure().germ_from_uniform(eta, eta);
    x.middleRows(first, block_size) = expansion.evaluate_germ(eta);
  }
  return x;
}

// The value below which a share `level` of the sorted values lies, interpolated.
double quantile_of(const std::vector<double>& sorted, double level) {
  const double place = level * static_cast<double>(sorted.size()) - 0.5;
  const double whole = std::floor(place);
  const auto i = static_cast<std::size_t>(whole);
  return sorted[i] + (place - whole) * (sorted[i + 1] - sorted[i]);
}

// Density on equal bins between the 0.1 % and the 99.9 % quantile.
Json histogram(const std::vector<double>& sorted) {
  constexpr std::size_t bins = 64;
  const double low = quantile_of(sorted, 0.001), high = quantile_of(sorted, 0.999);
  if (!(high > low)) return nullptr;  // a constant has no density
  const double width = (high - low) / bins;
  std::vector<double> edges(bins + 1), density(bins);
  for (std::size_t j = 0; j <= bins; ++j) edges[j] = low + static_cast<double>(j) * width;
  for (const double value : sorted) {
    if (value < low || value > high) continue;
    density[std::min(bins - 1, static_cast<std::size_t>((value - low) / width))] +=
        1 / (static_cast<double>(sorted.size()) * width);
  }
  return {{"edges", packed(edges)}, {"density", packed(density)}};
}

Json with_error(double value, double error) {
  return {value, std::isfinite(error) ? Json(error) : Json(nullptr)};
}

}  // namespace

Json distribution_data(const Expansion& expansion, const std::vector<std::string>& names,
                       const Vector& errors, std::uint64_t seed) {
  const Matrix x = draw_components(expansion, seed);
  const Vector means = mean(expansion), deviations = sd(expansion);
  Json outputs = Json::array();
  for (Index i = 0; i < x.cols(); ++i) {
    std::vector<double> sorted(x.col(i).begin(), x.col(i).end());
    std::sort(sorted.begin(), sorted.end());
    Json quantiles = Json::array();
    for (const double level : levels) quantiles.push_back({quantile_of(sorted, level), nullptr});
    outputs.push_back({{"name", names[static_cast<std::size_t>(i)]},
                       {"mean", with_error(means(i), errors(i))},
                       {"sd", with_error(deviations(i), errors(i))},
                       {"quantiles", std::move(quantiles)},
                       {"histogram", histogram(sorted)}});
  }
  return {{"levels", levels}, {"outputs", std::move(outputs)}};
}

}  // namespace chaosgrad
