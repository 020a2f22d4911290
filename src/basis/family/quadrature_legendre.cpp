#include <algorithm>
#include <cmath>
#include <numbers>

#include "chaosgrad/basis.h"
#include "chaosgrad/error.h"

namespace chaosgrad {
using namespace internal;
namespace {

constexpr Index points_at_once = 32;

// P_{n−1} and P_n at x_i = 1 − 2y_i. The differences
//   D_k = P_k − P_{k−1} = ((k−1) D_{k−1} − 2(2k−1) y P_{k−1})/k
// carry the recurrence: nothing is lost near x = 1, where y is known to full relative accuracy.
void legendre_pair(Index n, const double* __restrict y, double* __restrict before,
                   double* __restrict value) {
  double difference[points_at_once], current[points_at_once];
  for (Index i = 0; i < points_at_once; ++i) {
    difference[i] = 0;
    before[i] = current[i] = 1;
  }
  for (Index k = 1; k <= n; ++k) {
    const double inverse = 1 / static_cast<double>(k);
    const double one = 1 - inverse, two = 2 * (2 - inverse);
    for (Index i = 0; i < points_at_once; ++i) {
      difference[i] = one * difference[i] - two * y[i] * current[i];
      before[i] = current[i];
      current[i] += difference[i];
    }
  }
  for (Index i = 0; i < points_at_once; ++i) value[i] = current[i];
}

// Angles φ of up to `points_at_once` zeros x = cos φ, by Newton steps from their asymptotic places;
// and the slopes dP_n/dφ.
void solve_zeros(Index n, Index first, double* phi, double* slope) {
  const auto degree = static_cast<double>(n);
  for (Index i = 0; i < points_at_once; ++i) {
    const auto k = static_cast<double>(std::min(first + i, (n - 1) / 2));
    phi[i] = std::numbers::pi * (4 * k + 3) / (4 * degree + 2);
    phi[i] += 1 / (8 * degree * degree * std::tan(phi[i])) * (1 - 1 / degree);
  }
  double y[points_at_once], before[points_at_once], value[points_at_once];
  constexpr int limit = 6;
  double largest = 1;
  for (int step = 0; step < limit; ++step) {
    for (Index i = 0; i < points_at_once; ++i) {
      const double sine = std::sin(0.5 * phi[i]);
      y[i] = sine * sine;
    }
    legendre_pair(n, y, before, value);
    for (Index i = 0; i < points_at_once; ++i) {
      slope[i] = -degree * (before[i] - (1 - 2 * y[i]) * value[i]) / std::sin(phi[i]);
    }
    if (largest < 1e-9) return;  // the last step changed nothing that the slopes would notice
    largest = 0;
    for (Index i = 0; i < points_at_once; ++i) {
      const double change = value[i] / slope[i];
      phi[i] -= change;
      largest = std::max(largest, std::abs(change) * degree);
    }
  }
}

}  // namespace

Quadrature gauss_legendre(Index n, double lower, double upper) {
  if (n < 1) throw InputError("nodes", "must be at least 1");
  Quadrature rule{Vector(n), Vector(n)};
  const double half = 0.5 * (upper - lower), middle = lower + half;
  double phi[points_at_once], slope[points_at_once];
  for (Index first = 0; first < (n + 1) / 2; first += points_at_once) {
    solve_zeros(n, first, phi, slope);
    for (Index i = 0; i < points_at_once && first + i < (n + 1) / 2; ++i) {
      const Index k = first + i;
      const bool center = 2 * k + 1 == n;
      const double cosine = center ? 0 : std::cos(phi[i]);
      rule.nodes[k] = middle - half * cosine;
      rule.nodes[n - 1 - k] = middle + half * cosine;
      rule.weights[k] = rule.weights[n - 1 - k] = 1 / (slope[i] * slope[i]);
    }
  }
  return rule;
}

}  // namespace chaosgrad
