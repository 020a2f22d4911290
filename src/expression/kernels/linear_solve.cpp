// The kernel of solve(A, b): Gaussian elimination with partial pivoting, sample by sample.
#include <algorithm>
#include <cmath>
#include <vector>

#include "expression/kernels/kernels.h"

namespace chaosgrad::internal::kernels {
namespace {

// [A | B], n × (n + k), row by row, becomes [· | A⁻¹B]; not finite if A is singular.
void eliminate(double* table, Index n, Index k) {
  const Index width = n + k;
  for (Index j = 0; j < n; ++j) {
    double* pivot = table + j * width;
    for (Index i = j + 1; i < n; ++i) {
      double* row = table + i * width;
      if (std::abs(row[j]) > std::abs(pivot[j])) std::swap_ranges(row + j, row + width, pivot + j);
    }
    for (Index i = j + 1; i < n; ++i) {
      double* row = table + i * width;
      const double factor = row[j] / pivot[j];
      for (Index l = j + 1; l < width; ++l) row[l] -= factor * pivot[l];
    }
  }
  for (Index j = n; j-- > 0;) {
    double* row = table + j * width;
    for (Index l = n; l < width; ++l) {
      for (Index i = j + 1; i < n; ++i) row[l] -= row[i] * table[i * width + l];
      row[l] /= row[j];
    }
  }
}

}  // namespace

void solve(const Call& call) {
  const Index n = call.rows, k = call.columns / n, width = n + k;
  thread_local std::vector<double> table;  // kept, so that evaluation does not allocate
  table.resize(static_cast<std::size_t>(n * width));
  const auto value = [](const View& view, Index column, Index sample) {
    return view.data[column * view.column_stride + (view.step == 0 ? 0 : sample)];
  };
  for (Index sample = 0; sample < call.samples; ++sample) {
    for (Index i = 0; i < n; ++i) {
      double* row = table.data() + i * width;
      for (Index j = 0; j < n; ++j) row[j] = value(call.a, i + j * n, sample);
      for (Index j = 0; j < k; ++j) row[n + j] = value(call.b, i + j * n, sample);
    }
    eliminate(table.data(), n, k);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < k; ++j) {
        call.out.data[(i + j * n) * call.out.column_stride + sample] =
            table[static_cast<std::size_t>(i * width + n + j)];
      }
    }
  }
}

}  // namespace chaosgrad::internal::kernels
