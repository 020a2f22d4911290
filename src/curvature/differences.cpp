#include "curvature/differences.h"

namespace chaosgrad::internal {

Matrix hessian_by_differences(const MeanGradient& gradient, const Vector& x, const Vector& h,
                              Difference kind) {
  const Index q = x.size();
  Matrix hessian(q, q);
  Vector centre;
  if (kind == Difference::forward) centre = gradient(x);
  Vector moved = x;
  for (Index a = 0; a < q; ++a) {
    moved(a) = x(a) + h(a);
    const Vector above = gradient(moved);
    if (kind == Difference::forward) {
      hessian.col(a) = (above - centre) / (moved(a) - x(a));
    } else {
      moved(a) = x(a) - h(a);
      hessian.col(a) = (above - gradient(moved)) / (2 * h(a));
    }
    moved(a) = x(a);
  }
  return hessian;
}

std::vector<Matrix> sample_hessians(const Oracle& oracle, const Matrix& x, const Matrix& theta,
                                    const Matrix& noise, Difference kind, bool noisy) {
  const Index q = oracle.dimension(), n = x.rows();
  std::vector<Matrix> hessians(static_cast<std::size_t>(n), Matrix(q, q));
  Matrix moved = x, above(n, q), below(n, q);
  if (kind == Difference::forward) oracle.gradient(x, theta, noise, below);
  for (Index a = 0; a < q; ++a) {
    const double h = difference_step(kind, noisy, x.col(a).cwiseAbs().mean());
    moved.col(a) = x.col(a).array() + h;
    oracle.gradient(moved, theta, noise, above);
    if (kind == Difference::central) {
      moved.col(a) = x.col(a).array() - h;
      oracle.gradient(moved, theta, noise, below);
    }
    moved.col(a) = x.col(a);
    const double width = kind == Difference::central ? 2 * h : h;
    for (Index i = 0; i < n; ++i) {
      hessians[static_cast<std::size_t>(i)].col(a) =
          (above.row(i) - below.row(i)).transpose() / width;
    }
    // At the edge of a domain the step goes to its inside.
    if (kind == Difference::forward && !above.allFinite()) {
      moved.col(a) = x.col(a).array() - h;
      Matrix behind(n, q);
      oracle.gradient(moved, theta, noise, behind);
      moved.col(a) = x.col(a);
      for (Index i = 0; i < n; ++i) {
        if (!above.row(i).allFinite())
          hessians[static_cast<std::size_t>(i)].col(a) =
              (below.row(i) - behind.row(i)).transpose() / h;
      }
    }
  }
  return hessians;
}

}  // namespace chaosgrad::internal
