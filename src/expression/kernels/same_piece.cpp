// The kernel of same_piece(A, B): may A be reached from B without a singular matrix on the way?
// The regular matrices fall into two pieces, by the sign of the determinant; the regular symmetric
// ones into as many as there are numbers of negative eigenvalues. Of symmetric matrices that are
// definite (stiffness matrices, covariances) the piece is known for certain: both must be definite
// alike. Of others the sign of the determinant decides, which does not see two eigenvalues cross
// zero together.
#include <algorithm>
#include <cmath>
#include <vector>

#include "expression/kernels/kernels.h"

namespace chaosgrad::internal::kernels {
namespace {

struct Piece {
  int determinant = 0;  // its sign; 0: singular, or not finite
  bool symmetric = false;
  int definite = 0;  // 1: positive, −1: negative
};

int sign_of(double number) { return number > 0 ? 1 : number < 0 ? -1 : 0; }

// Sums of products in different order give the two halves of a symmetric matrix different rounding.
constexpr double rounding = 1e-12;

bool is_symmetric(const std::vector<double>& a, Index n) {
  double largest = 0, difference = 0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) {
      const double lower = a[static_cast<std::size_t>(i * n + j)];
      const double upper = a[static_cast<std::size_t>(j * n + i)];
      largest = std::max({largest, std::abs(lower), std::abs(upper)});
      difference = std::max(difference, std::abs(lower - upper));
    }
  }
  return difference <= rounding * largest;
}

// 1 or −1 if all pivots of the elimination without exchanges have that sign, else 0. a is lost.
int definiteness(std::vector<double>& a, Index n) {
  const int sign = sign_of(a[0]);
  for (Index j = 0; j < n && sign != 0; ++j) {
    const double* pivot = a.data() + j * n;
    if (sign_of(pivot[j]) != sign) return 0;
    for (Index i = j + 1; i < n; ++i) {
      double* row = a.data() + i * n;
      const double factor = row[j] / pivot[j];
      for (Index l = j + 1; l < n; ++l) row[l] -= factor * pivot[l];
    }
  }
  return sign;
}

// The sign of the determinant, by elimination with partial pivoting. a is lost.
int determinant_sign(std::vector<double>& a, Index n) {
  int sign = 1;
  for (Index j = 0; j < n && sign != 0; ++j) {
    double* pivot = a.data() + j * n;
    for (Index i = j + 1; i < n; ++i) {
      double* row = a.data() + i * n;
      if (std::abs(row[j]) <= std::abs(pivot[j])) continue;
      std::swap_ranges(row + j, row + n, pivot + j);
      sign = -sign;
    }
    sign *= sign_of(pivot[j]);
    for (Index i = j + 1; i < n; ++i) {
      double* row = a.data() + i * n;
      const double factor = row[j] / pivot[j];
      for (Index l = j + 1; l < n; ++l) row[l] -= factor * pivot[l];
    }
  }
  return sign;
}

// `work` is kept, so that evaluation does not allocate.
Piece piece_of(const View& view, Index n, Index sample, std::vector<double>& work) {
  const Index row = view.step == 0 ? 0 : sample;
  const auto load = [&] {
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j)
        work[static_cast<std::size_t>(i * n + j)] =
            view.data[(i + j * n) * view.column_stride + row];
    }
  };
  load();
  Piece piece;
  piece.symmetric = is_symmetric(work, n);
  if (piece.symmetric) {
    piece.definite = definiteness(work, n);
    piece.determinant = piece.definite == -1 && n % 2 == 1 ? -1 : std::abs(piece.definite);
    if (piece.definite != 0) return piece;
    load();
  }
  piece.determinant = determinant_sign(work, n);
  return piece;
}

}  // namespace

void same_piece(const Call& call) {
  const Index n = call.rows;
  thread_local std::vector<double> work;
  work.resize(static_cast<std::size_t>(n * n));
  Piece start = piece_of(call.b, n, 0, work);
  for (Index sample = 0; sample < call.samples; ++sample) {
    if (sample > 0 && call.b.step != 0) start = piece_of(call.b, n, sample, work);
    const Piece here = piece_of(call.a, n, sample, work);
    const bool known = start.symmetric && here.symmetric && (start.definite | here.definite) != 0;
    const bool same = known ? here.definite == start.definite
                            : here.determinant != 0 && here.determinant == start.determinant;
    call.out.data[sample] = same ? 1 : 0;
  }
}

}  // namespace chaosgrad::internal::kernels
