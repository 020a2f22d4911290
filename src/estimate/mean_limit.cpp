#include "estimate/mean_limit.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace chaosgrad::internal {
namespace {

// A value with its multiplicity.
struct Atoms {
  Vector values, counts;
};

// The largest draws one by one, the others in bins of equal width by their means: what a bin hides
// is its own tiny spread.
Atoms gathered(const Vector& draws) {
  constexpr Index single = 256, bins = 1024;
  const Index n = draws.size();
  if (n <= single + bins) return {draws, Vector::Ones(n)};
  std::vector<double> sorted(draws.begin(), draws.end());
  std::nth_element(sorted.begin(), sorted.begin() + single, sorted.end(), std::greater<>());
  const auto [low, high] = std::minmax_element(sorted.begin() + single, sorted.end());
  const double least = *low, width = std::max((*high - least) / bins, 1e-300);
  Vector sums = Vector::Zero(bins), counts = Vector::Zero(bins);
  for (auto x = sorted.begin() + single; x != sorted.end(); ++x) {
    const auto bin = std::min(static_cast<Index>((*x - least) / width), bins - 1);
    sums(bin) += *x;
    counts(bin) += 1;
  }
  std::vector<double> values(sorted.begin(), sorted.begin() + single), numbers(single, 1.0);
  for (Index b = 0; b < bins; ++b) {
    if (counts(b) == 0) continue;
    values.push_back(sums(b) / counts(b));
    numbers.push_back(counts(b));
  }
  const auto size = static_cast<Index>(values.size());
  return {Eigen::Map<const Vector>(values.data(), size),
          Eigen::Map<const Vector>(numbers.data(), size)};
}

double normal_density(double w) { return std::exp(-0.5 * w * w) / std::sqrt(2 * std::numbers::pi); }
double normal_cdf(double w) { return 0.5 * std::erfc(-w / std::numbers::sqrt2); }

struct Tilted {
  double mean = 0;         // t
  double probability = 0;  // that Σ V_i x_i ≤ t
};

// V_i = E_i/ΣE with exponential E, so that Σ V_i x_i ≤ t where S = Σ E_i (x_i − t) ≤ 0. By the
// saddlepoint formula of Lugannani and Rice (1980), with K(s) = −Σ log(1 − s(x_i − t)) and
// K'(s) = 0. In place of s the tilt z = s/(1 + st) is given: then t = Σ x_i/(1 − z x_i) over
// Σ 1/(1 − z x_i), and 1 − s(x_i − t) = (1 − z x_i)/(1 − z t).
Tilted tilted(const Atoms& atoms, double z) {
  const auto rest = (1 - z * atoms.values.array()).eval();
  const auto weights = (atoms.counts.array() / rest).eval();
  const double t = (weights * atoms.values.array()).sum() / weights.sum();
  const double shift = 1 - z * t, s = z / shift;
  const double exponent = (atoms.counts.array() * (rest / shift).log()).sum();  // −K
  const double curvature =
      (atoms.counts.array() * ((atoms.values.array() - t) * shift / rest).square()).sum();
  const double w = std::copysign(std::sqrt(2 * std::max(0.0, exponent)), s);
  const double v = s * std::sqrt(curvature);
  return {t, normal_cdf(w) + normal_density(w) * (1 / w - 1 / v)};
}

}  // namespace

double mean_limit(const Vector& draws, double confidence, double headroom) {
  const double least = draws.minCoeff(), largest = draws.maxCoeff();
  const double ceiling = largest + (headroom - 1) * draws.cwiseAbs().maxCoeff();
  if (!std::isfinite(least) || !std::isfinite(ceiling)) return infinity;
  if (!(ceiling > least)) return ceiling;
  // On [0, 1], with the ceiling at 1.
  Atoms atoms = gathered((draws.array() - least) / (ceiling - least));
  const Index n = atoms.values.size();
  atoms.values.conservativeResize(n + 1);
  atoms.counts.conservativeResize(n + 1);
  atoms.values(n) = atoms.counts(n) = 1;
  // z = 1 − e^{−y} runs from −∞ to 1, and the probability grows with it. At z = 0 the formula is 0/0,
  // around it rounding: the bisection steps over it.
  double low = -30, high = 36;
  Tilted found;
  for (int step = 0; step < 60; ++step) {
    double y = 0.5 * (low + high);
    if (std::abs(y) < 1e-4) y = 1e-4;
    found = tilted(atoms, -std::expm1(-y));
    (found.probability < confidence ? low : high) = y;
    if (high - low < 1e-9 * (1 + std::abs(high))) break;
  }
  return least + (ceiling - least) * found.mean;
}

double confidence_of_look(Index k, double confidence) {
  const auto look = static_cast<double>(k);
  return 1 - (1 - confidence) / (look * (look + 1));
}

}  // namespace chaosgrad::internal
