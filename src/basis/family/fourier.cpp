#include "basis/family/fourier.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "basis/family/supremum.h"

namespace chaosgrad::internal {
namespace {

constexpr Index lanes = 64;      // samples handled together
constexpr Index harmonics = 16;  // between two exactly evaluated harmonics

DoubleDouble two_sum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

// cos and sin of high + low, |high| < 1e6, to about one unit in the last place: reduction by
// multiples of π/2 and the minimax polynomials of fdlibm on [−π/4, π/4], written without branches
// so that loops over samples vectorise.
inline void cos_sin(double high, double low, double& cosine, double& sine) {
  constexpr double half_pi = 1.57079632679489661923, half_pi_low = 6.12323399573676603587e-17;
  constexpr double rounder =
      6755399441055744.0;  // 1.5 · 2^52: adding and subtracting it rounds to an integer
  const double shifted = high * (1 / half_pi) + rounder;
  const double turns = shifted - rounder;
  const double exact = std::fma(-turns, half_pi, high);
  const double rest = std::fma(-turns, half_pi_low, low);
  const double x = exact + rest, y = rest - (x - exact);
  const double z = x * x;
  const double s = 8.33333333332248946124e-03 +
                   z * (-1.98412698298579493134e-04 +
                        z * (2.75573137070700676789e-06 +
                             z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  const double sin_x = x - ((z * (0.5 * y - z * x * s) - y) + z * x * 1.66666666666666324348e-01);
  const double c =
      4.16666666666666019037e-02 +
      z * (-1.38888888888741095749e-03 +
           z * (2.48015872894767294178e-05 +
                z * (-2.75573143513906633035e-07 +
                     z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11))));
  const double half = 0.5 * z, one = 1 - half;
  const double cos_x = one + (((1 - one) - half) + (z * z * c - x * y));
  // The integer sits in the low bits of `shifted`: bit 0 swaps, bits 0 and 1 decide the signs.
  const auto quadrant = std::bit_cast<std::uint64_t>(shifted);
  const bool swap = (quadrant & 1) != 0;
  const double first = swap ? sin_x : cos_x, second = swap ? cos_x : sin_x;
  cosine = ((quadrant + 1) & 2) != 0 ? -first : first;
  sine = (quadrant & 2) != 0 ? -second : second;
}

// The angles ωτ of up to `lanes` samples, and cos and sin of their multiples.
struct Angles {
  double high[lanes], low[lanes];

  void multiple(Index n, double* __restrict cosine, double* __restrict sine) const {
    const auto factor = static_cast<double>(n);
    for (Index i = 0; i < lanes; ++i) {
      const double product = factor * high[i];
      const double error = std::fma(factor, high[i], -product) + factor * low[i];
      cos_sin(product, error, cosine[i], sine[i]);
    }
  }
};

struct Table {
  double cosine[harmonics + 1][lanes], sine[harmonics + 1][lanes];

  // Harmonics 1..last: powers of two exactly, the others as products of few of them.
  void fill(const Angles& angles, Index last) {
    Index power = 1;
    for (Index j = 1; j <= last; ++j) {
      if (j == 2 * power) power = j;
      if (j == power) {
        angles.multiple(j, cosine[j], sine[j]);
      } else {
        rotate(cosine[power], sine[power], j - power, 1, cosine[j], sine[j], lanes);
      }
    }
  }

  // (c, s) = factor · (anchor rotated by j harmonics).
  void rotate(const double* __restrict anchor_cosine, const double* __restrict anchor_sine, Index j,
              double factor, double* __restrict c, double* __restrict s, Index count) const {
    const double* __restrict cj = cosine[j];
    const double* __restrict sj = sine[j];
    for (Index i = 0; i < count; ++i) {
      const double ca = factor * anchor_cosine[i], sa = factor * anchor_sine[i];
      c[i] = ca * cj[i] - sa * sj[i];
      s[i] = sa * cj[i] + ca * sj[i];
    }
  }
};

}  // namespace

Fourier::Fourier(const Uniform& interval) : interval_(interval) {
  const DoubleDouble sum = two_sum(interval.lower, interval.upper);
  middle_ = {0.5 * sum.high, 0.5 * sum.low};
  const double width = interval.upper - interval.lower;
  constexpr double two_pi = 2 * std::numbers::pi, two_pi_low = 2.44929359829470641435e-16;
  frequency_.high = two_pi / width;
  if (width != two_pi) {
    frequency_.low = (std::fma(-frequency_.high, width, two_pi) + two_pi_low) / width;
  }
}

void Fourier::values(const double* theta, Index count, BlockOut values) const {
  const Index columns = values.cols();
  Angles angles;
  Table table;
  double anchor_cosine[lanes], anchor_sine[lanes], spare[lanes];
  for (Index begin = 0; begin < count; begin += lanes) {
    const Index size = std::min(lanes, count - begin);
    for (Index i = 0; i < lanes; ++i) {
      const double t = theta[begin + std::min(i, size - 1)];
      const DoubleDouble tau = two_sum(t, -middle_.high);
      angles.high[i] = tau.high * frequency_.high;
      angles.low[i] = std::fma(tau.high, frequency_.high, -angles.high[i]) +
                      tau.high * frequency_.low + (tau.low - middle_.low) * frequency_.high;
    }
    if (columns > 0) values.col(0).segment(begin, size).setOnes();
    const Index last = columns / 2;  // highest harmonic asked for
    table.fill(angles, std::min(last, harmonics));
    std::fill_n(anchor_cosine, lanes, std::numbers::sqrt2);
    std::fill_n(anchor_sine, lanes, 0.0);
    const auto column = [&](Index n) {
      return n < columns ? values.data() + n * values.outerStride() + begin : spare;
    };
    for (Index anchor = 0; anchor < last; anchor += harmonics) {
      if (anchor > 0) {
        angles.multiple(anchor, anchor_cosine, anchor_sine);
        for (Index i = 0; i < lanes; ++i) {
          anchor_cosine[i] *= std::numbers::sqrt2;
          anchor_sine[i] *= std::numbers::sqrt2;
        }
      }
      for (Index j = 1; j <= std::min(harmonics, last - anchor); ++j) {
        const Index n = 2 * (anchor + j);
        table.rotate(anchor_cosine, anchor_sine, j, 1, column(n - 1), column(n), size);
      }
    }
  }
}

void Fourier::derivatives(const double* theta, Index count, BlockOut derivatives) const {
  const Index columns = derivatives.cols();
  Matrix b(count, columns + 1);
  values(theta, count, b);
  if (columns > 0) derivatives.col(0).head(count).setZero();
  for (Index n = 1; n < columns; ++n) {
    const double factor = static_cast<double>((n + 1) / 2) * frequency_.high;
    const bool is_cosine = n % 2 == 1;
    derivatives.col(n).head(count) =
        (is_cosine ? -factor : factor) * b.col(is_cosine ? n + 1 : n - 1);
  }
}

namespace {

// u − sin u for u in [0, π], without cancellation.
double angle_minus_sine(double u) {
  if (u > 1) return u - std::sin(u);
  const double z = u * u;
  double term = u * z / 6, sum = 0;
  for (double k = 4; std::abs(term) > 1e-18 * sum; k += 2) {
    sum += term;
    term *= -z / (k * (k + 1));
  }
  return sum;
}

// Solves u − sin u = M for M in [0, π]: Newton from above on a convex function, near 0 from a
// series.
double solve_kepler(double mean) {
  if (mean <= 0) return 0;
  const double root = std::cbrt(6 * mean);
  double u = std::min(root * (1 + root * root / 60), std::numbers::pi);
  for (int k = 0; k < 20; ++k) {
    const double half_sine = std::sin(0.5 * u);
    const double slope = 2 * half_sine * half_sine;
    const double change = (angle_minus_sine(u) - mean) / slope;
    u = std::clamp(u - change, 0.25 * u, std::numbers::pi);
    if (std::abs(change) < 1e-15 * u) break;
  }
  return u;
}

}  // namespace

double Fourier::induced_quantile(Index n, double p) const {
  const double width = interval_.upper - interval_.lower;
  if (n == 0) return interval_.lower + width * p;
  // 2 sin² has 2k equal bumps from the lower to the upper end; 2 cos² the same, half a bump later.
  const double bumps = static_cast<double>(2 * ((n + 1) / 2));
  const double place = p * bumps + (n % 2 == 1 ? 0.5 : 0.0);
  const double bump = std::floor(place), part = place - bump;
  const double pi = std::numbers::pi;
  const double u =
      part <= 0.5 ? solve_kepler(2 * pi * part) : 2 * pi - solve_kepler(2 * pi * (1 - part));
  const double offset = bump + u / (2 * pi) - (n % 2 == 1 ? 0.5 : 0.0);
  return std::clamp(interval_.lower + width * (offset / bumps), interval_.lower, interval_.upper);
}

double Fourier::supremum(const Vector& c, double& argmax) const {
  argmax = middle_.high;
  bool cosines_lead = true;
  for (Index n = 2; n < c.size(); n += 2) cosines_lead = cosines_lead && c[n - 1] >= c[n];
  // Σ 2c_cos cos² + 2c_sin sin² = Σ 2c_sin + 2(c_cos − c_sin) cos²: greatest at τ = 0.
  if (cosines_lead) {
    double sum = c.size() > 0 ? c[0] : 0;
    for (Index n = 1; n < c.size(); n += 2) sum += 2 * c[n];
    return sum;
  }
  const auto square_sum = [&](const double* theta, Index count, double* result) {
    Matrix b(count, c.size());
    values(theta, count, b);
    const Vector sums = b.array().square().matrix() * c;
    std::copy_n(sums.data(), count, result);
  };
  // The sum is symmetric about the middle; a quarter of the shortest wave is sampled eight times.
  return maximise(square_sum, middle_.high, interval_.upper, 16 * c.size() + 64, false, argmax);
}

}  // namespace chaosgrad::internal
