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

// Density on equal bins, as wide as Freedman and Diaconis advise. Long tails are cut at the 0.1 %
// quantiles.
Json histogram(const std::vector<double>& sorted) {
  const auto count = static_cast<double>(sorted.size());
  const double near = quantile_of(sorted, 0.001), far = quantile_of(sorted, 0.999);
  double low = sorted.front(), high = sorted.back();
  if (near - low > 0.25 * (far - near)) low = near;
  if (high - far > 0.25 * (far - near)) high = far;
  if (!(high > low)) return nullptr;  // a constant has no density
  const double advised =
      2 * (quantile_of(sorted, 0.75) - quantile_of(sorted, 0.25)) / std::cbrt(count);
  const double wanted = advised > 0 ? (high - low) / advised : 0;
  const auto bins = static_cast<std::size_t>(std::clamp(std::ceil(wanted), 30.0, 90.0));
  const double width = (high - low) / static_cast<double>(bins);
  std::vector<double> density(bins);
  double outside = 0;
  for (const double value : sorted) {
    if (value < low || value > high) {
      outside += 1 / count;
      continue;
    }
    density[std::min(bins - 1, static_cast<std::size_t>((value - low) / width))] +=
        1 / (count * width);
  }
  return {{"low", low}, {"high", high}, {"outside", outside}, {"density", packed(density)}};
}

}  // namespace

Json distribution_data(const Expansion& expansion, std::uint64_t seed) {
  const Matrix x = draw_components(expansion, seed);
  Json components = Json::array();
  for (Index i = 0; i < x.cols(); ++i) {
    std::vector<double> sorted(x.col(i).begin(), x.col(i).end());
    std::sort(sorted.begin(), sorted.end());
    Json quantiles = Json::array();
    for (const double level : levels) quantiles.push_back(quantile_of(sorted, level));
    components.push_back({{"histogram", histogram(sorted)}, {"quantiles", quantiles}});
  }
  return {{"points", x.rows()}, {"levels", levels}, {"components", std::move(components)}};
}

}  // namespace chaosgrad
