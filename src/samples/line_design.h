#pragma once
// Points on a line for least squares with the first m functions of a family. Their natural scale is
//   t = F_m(η) = ∫_{−∞}^η (1/m) Σ_{i<m} ψ_i² dπ ∈ (0, 1),
// on which the points of a good design stand evenly. Here F_m is the distribution function of a
// Gauss rule, linear between its nodes.
#include "chaosgrad/basis.h"
#include "random/random.h"

namespace chaosgrad::internal {

class LineScale {
 public:
  LineScale(const Family& family, Index m);
  [[nodiscard]] double to_scale(double eta) const;
  [[nodiscard]] double from_scale(double t) const;

 private:
  Vector nodes_, positions_;  // ascending
};

// Up to `count` new points in the widest gaps between the old ones (n×1) on the scale, none twice:
// fewer if a discrete distribution has no more. Where in a gap: by `stream`, number n, n + 1, ….
[[nodiscard]] Matrix fill_gaps(const Family& family, const LineScale& scale, const Matrix& points,
                               Index count, const Stream& stream);

// Least squares weights, of mean about 1: the length of the cell of each point on the scale times
// n, over (1/m) Σ ψ_i². Then Σ_j w_j φ(η_j)/n ≈ ∫ φ dπ.
[[nodiscard]] Vector cell_weights(const LineScale& scale, const Matrix& points, const Matrix& psi);

// Weighted least squares with the first m columns of psi for every m up to their number at once:
// rows √w ψ = Q R.
class OrderedFits {
 public:
  OrderedFits(const Matrix& psi, const Vector& weights, const Matrix& x);
  // The m ≤ most with the smallest leave-one-out error.
  [[nodiscard]] Index best_size(Index most) const;
  struct Fit {
    Coefficients u;
    Matrix residuals;  // √w (x − x_u), n×q
    Vector slack;      // 1 − leverage: residual/slack is the error of the fit without that point
  };
  [[nodiscard]] Fit operator()(Index m) const;

 private:
  Matrix q_, r_;  // n×m, m×m
  Matrix right_;  // Qᵀ√w x
  Matrix x_;      // √w x
};

}  // namespace chaosgrad::internal
