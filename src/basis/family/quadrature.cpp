#include "basis/family/quadrature.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/decompositions.h"

namespace chaosgrad::internal {
namespace {

// One Newton step must not jump to a neighbouring zero; it is skipped where p_n overflows.
double polished(const RecurrenceKernel& kernel, Index n, double node, double room) {
  constexpr int steps = 3;
  for (int k = 0; k < steps; ++k) {
    const PolynomialPoint point = polynomial_point(kernel, n, node);
    const double step = point.value / point.derivative;
    if (!(std::abs(step) < 0.1 * room)) break;
    node -= step;
    if (std::abs(step) < 1e-13 * room) break;
  }
  return node;
}

Quadrature christoffel_rule(const RecurrenceKernel& kernel, Index n, const Vector& zeros) {
  Quadrature rule{Vector(n), Vector(n)};
  Index kept = 0;
  for (Index i = 0; i < n; ++i) {
    double room = infinity;
    if (i > 0) room = std::min(room, zeros[i] - zeros[i - 1]);
    if (i + 1 < n) room = std::min(room, zeros[i + 1] - zeros[i]);
    if (n == 1) room = 1 / kernel.inverse_scale;
    const double node = polished(kernel, n, zeros[i], room);
    const double weight = 1 / polynomial_point(kernel, n, node).squares;
    if (!(weight > std::numeric_limits<double>::min())) continue;
    rule.nodes[kept] = node;
    rule.weights[kept++] = weight;
  }
  rule.nodes.conservativeResize(kept);
  rule.weights.conservativeResize(kept);
  rule.weights /= rule.weights.sum();
  return rule;
}

// Number of eigenvalues of the Jacobi matrix below t: negative pivots of J − t.
Index sturm_count(const Recurrence& r, Index n, double t) {
  Index count = 0;
  double pivot = r.a[0] - t;
  for (Index k = 1;; ++k) {
    if (pivot < 0) ++count;
    if (k == n) return count;
    if (pivot == 0) pivot = std::numeric_limits<double>::min();
    pivot = r.a[k] - t - r.b[k] * (r.b[k] / pivot);
  }
}

}  // namespace

Quadrature gauss_rule(const Recurrence& recurrence, Index n) {
  const Vector zeros =
      tridiagonal_eigenvalues(recurrence.a.head(n), recurrence.b.segment(1, n - 1));
  return christoffel_rule(recurrence_kernel(recurrence), n,
                          (recurrence.center + recurrence.scale * zeros.array()).matrix());
}

Quadrature graded_gauss_rule(const Recurrence& recurrence, Index n) {
  const auto below = [&](double log_theta) {
    return sturm_count(recurrence, n, (std::exp(log_theta) - recurrence.center) / recurrence.scale);
  };
  double low = std::log(recurrence.center), high = low;
  while (below(low) > 0) low -= 1;
  while (below(high) < n) high += 1;
  Vector zeros(n);
  for (Index i = 0; i < n; ++i) {
    double left = low, right = high;
    while (right - left > 1e-9) {
      const double middle = 0.5 * (left + right);
      (below(middle) > i ? right : left) = middle;
    }
    zeros[i] = std::exp(0.5 * (left + right));
  }
  return christoffel_rule(recurrence_kernel(recurrence), n, zeros);
}

Quadrature eigenvector_gauss_rule(const Recurrence& recurrence, Index n) {
  const auto [values, vectors] =
      tridiagonal_eigen(recurrence.a.head(n), recurrence.b.segment(1, n - 1));
  Quadrature rule;
  rule.nodes = recurrence.center + recurrence.scale * values.array();
  rule.weights = vectors.row(0).transpose().array().square();
  rule.weights /= rule.weights.sum();
  return rule;
}

}  // namespace chaosgrad::internal
