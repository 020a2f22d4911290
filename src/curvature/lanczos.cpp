#include "curvature/lanczos.h"

#include <algorithm>
#include <cmath>

#include "random/random.h"

namespace chaosgrad::internal {

KrylovSpace lanczos(const std::function<Vector(const Vector&)>& product, Index q,
                    const Stream& start) {
  Matrix first(1, q);
  fill_uniform(start, 0, first);
  return lanczos(product, (first.row(0).transpose().array() - 0.5).matrix());
}

KrylovSpace lanczos(const std::function<Vector(const Vector&)>& product, const Vector& first) {
  const Index q = first.size(), most = std::min(krylov_dimension, q);
  Matrix V(q, most), T = Matrix::Zero(most, most);
  V.col(0) = first.normalized();
  Index size = 0;
  for (Index j = 0; j < most; ++j) {
    Vector w = product(V.col(j));
    // Only the last two entries of the column are not zero but for the rounding of the products.
    T.col(j).head(j + 1) = V.leftCols(j + 1).transpose() * w;
    size = j + 1;
    if (size == most) break;
    for (int pass = 0; pass < 2; ++pass)
      w -= V.leftCols(j + 1) * (V.leftCols(j + 1).transpose() * w);
    if (!(w.norm() >= 1e-10 * std::abs(T(0, 0)))) break;  // the space is invariant, or not finite
    V.col(j + 1) = w.normalized();
  }
  KrylovSpace space{V.leftCols(size), Matrix::Zero(size, size)};
  for (Index i = 0; i < size; ++i) {
    space.tridiagonal(i, i) = T(i, i);
    if (i > 0) space.tridiagonal(i, i - 1) = space.tridiagonal(i - 1, i) = T(i - 1, i);
  }
  return space;
}

}  // namespace chaosgrad::internal
