#include "samples/basis_table.h"

#include <algorithm>

namespace chaosgrad::internal {

Matrix basis_table(const Basis& basis, const Matrix& eta, Index m, Executor& executor) {
  const Index n = eta.rows();
  Matrix table(n, m);
  if (n == 0) return table;
  executor.for_each((n + block_size - 1) / block_size, [&](Index block) {
    const Index first = block * block_size, count = std::min(block_size, n - first);
    BasisBlock psi;
    basis.evaluate(eta.middleRows(first, count), m, psi);
    for (Index j = 0; j < m; ++j) {
      for (Index i = 0; i < count; ++i) table(first + i, j) = psi(i, j);
    }
  });
  return table;
}

}  // namespace chaosgrad::internal
